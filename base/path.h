// Path is an absolute path without ".", ".." or empty components. It knows nothing about links; use
// Walk() (policy/files/resolve.h) to find out where a name leads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

inline constexpr size_t kMaxPathBytes = 4095;  // PATH_MAX without the final NUL
inline constexpr size_t kMaxNameBytes = 255;   // NAME_MAX, per component
inline constexpr int kMaxLinks = 40;  // the kernel's limit per resolution (path_resolution(7))

class Path {
 public:
  Path() : text_("/") {}

  // Returns nothing if `text` is not absolute, contains NUL, or has a ".." component.
  static std::optional<Path> Parse(std::string_view text);

  // Removes "." and ".." without asking the file system, as Node's path.resolve does (".." of "/"
  // is "/"). `text` must be absolute.
  static Path Clean(std::string_view text);

  const std::string& text() const { return text_; }
  bool is_root() const { return text_.size() == 1; }
  std::string_view name() const;  // the last component; "" for "/"
  Path Parent() const;            // "/" is its own parent
  Path Child(std::string_view name) const;

  // True if this path is `folder` or below it.
  bool IsInside(const Path& folder) const;
  // Returns the part after `folder` and its slash if this path is inside; "" for `folder` itself.
  std::optional<std::string_view> Below(const Path& folder) const;

  auto operator<=>(const Path&) const = default;  // NOLINT(modernize-use-nullptr): no pointer here

 private:
  explicit Path(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// Returns the part after the last slash; all of `path` if there is none.
constexpr std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// True if one of the components is "..".
bool HasDotDot(std::string_view text);

// Removes the first component from `rest` and returns it without slashes; empty if nothing is left.
std::string_view TakeComponent(std::string_view& rest);

}  // namespace ringfence
