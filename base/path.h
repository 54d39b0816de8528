// Path: an absolute path without ".", ".." or empty components. It says nothing about links: use
// Walk() in resolve.h for where a name leads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

inline constexpr size_t kMaxPathBytes = 4095;  // PATH_MAX without the final NUL
inline constexpr size_t kMaxNameBytes = 255;   // NAME_MAX, of one component
inline constexpr int kMaxLinks = 40;  // that the kernel follows on one way (path_resolution(7))

class Path {
 public:
  Path() : text_("/") {}

  // Refuses what is not absolute, holds NUL, or has a ".." component.
  static std::optional<Path> Parse(std::string_view text);

  // Removes "." and ".." from the text alone, as Node's path.resolve does (".." of "/" is "/").
  // `text` is absolute.
  static Path Clean(std::string_view text);

  const std::string& text() const { return text_; }
  bool is_root() const { return text_.size() == 1; }
  std::string_view name() const;  // the last component; "" for "/"
  Path Parent() const;            // "/" is its own parent
  Path Child(std::string_view name) const;

  // Equal to `folder` or below it.
  bool IsInside(const Path& folder) const;
  // What follows `folder` and its slash, when inside: "" for the folder itself.
  std::optional<std::string_view> Below(const Path& folder) const;

  auto operator<=>(const Path&) const = default;  // NOLINT(modernize-use-nullptr): no pointer here

 private:
  explicit Path(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// What follows the last slash; all of `path` where there is none.
constexpr std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// One of its components is "..".
bool HasDotDot(std::string_view text);

// Takes the first component off `rest`, without its slashes; empty when nothing is left.
std::string_view TakeComponent(std::string_view& rest);

}  // namespace ringfence
