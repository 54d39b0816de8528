#include "base/path.h"

namespace ringfence {

std::string_view TakeComponent(std::string_view& rest) {
  size_t start = 0;
  while (start < rest.size() && rest[start] == '/') ++start;
  size_t end = start;
  while (end < rest.size() && rest[end] != '/') ++end;
  const std::string_view component = rest.substr(start, end - start);
  rest.remove_prefix(end);
  return component;
}

std::optional<Path> Path::Parse(std::string_view text) {
  if (text.empty() || text[0] != '/' || text.find('\0') != std::string_view::npos) return {};
  return HasDotDot(text) ? std::nullopt : std::optional(Clean(text));
}

Path Path::Clean(std::string_view text) {
  Path path;
  for (std::string_view name = TakeComponent(text); !name.empty(); name = TakeComponent(text)) {
    if (name == ".") continue;
    if (name == "..") {
      const size_t slash = path.text_.rfind('/');
      path.text_.resize(slash == 0 ? 1 : slash);
    } else {
      if (!path.is_root()) path.text_.push_back('/');
      path.text_.append(name);
    }
  }
  return path;
}

std::string_view Path::name() const { return BaseName(text_); }

Path Path::Parent() const {
  const size_t slash = text_.rfind('/');
  return Path(slash == 0 ? "/" : text_.substr(0, slash));
}

Path Path::Child(std::string_view name) const {
  std::string text;
  text.reserve(text_.size() + 1 + name.size());
  if (!is_root()) text = text_;
  text.push_back('/');
  text.append(name);
  return Path(std::move(text));
}

std::optional<std::string_view> Path::Below(const Path& folder) const {
  const std::string_view text = text_;
  if (folder.is_root()) return text.substr(1);
  if (!text.starts_with(folder.text_)) return {};
  if (text.size() == folder.text_.size()) return std::string_view();
  if (text[folder.text_.size()] != '/') return {};
  return text.substr(folder.text_.size() + 1);
}

bool Path::IsInside(const Path& folder) const { return Below(folder).has_value(); }

bool HasDotDot(std::string_view text) {
  for (std::string_view name = TakeComponent(text); !name.empty(); name = TakeComponent(text)) {
    if (name == "..") return true;
  }
  return false;
}

}  // namespace ringfence
