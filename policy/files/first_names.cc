#include "policy/files/first_names.h"

#include <algorithm>
#include <cerrno>

#include "base/utf8.h"
#include "policy/files/resolve.h"
#include "policy/mcp/mcp_value.h"
#include "policy/rules/protected.h"

namespace ringfence {

std::vector<std::string> ServerFolders(const Path& start, std::string_view cwd) {
  std::vector<std::string> folders{start.text()};
  if (!cwd.empty() && cwd != start.text()) folders.emplace_back(cwd);
  return folders;
}

bool FirstNames::MayNameAsWritten(std::string_view text) const {
  return TrimUnseen(text).size() != text.size() && MayName(text);
}

std::span<const FirstNames::Place> FirstNames::Folders() const {
  for (const std::string& folder : unseen_) {
    const Path path = Walk(folder, files_).end;
    places_.push_back({path, &files_.FolderOf(path)});
  }
  unseen_.clear();
  return std::span(places_).subspan(1);
}

bool FirstNames::ExistsInFolder(std::string_view name) const {
  return std::ranges::any_of(Folders(), [&](const Place& place) { return Exists(place, name); });
}

bool FirstNames::IsLinkInFolder(std::string_view name) const {
  return std::ranges::any_of(Folders(), [&](const Place& place) {
    const Result<FileKind> kind = KindOf(place, name);
    return kind ? *kind == FileKind::kLink : kind.error().code != ENAMETOOLONG;
  });
}

bool FirstNames::MayNameAsKey(std::string_view key) const {
  const std::string_view name = TrimUnseen(key);
  if (name == ".." || key.find('/') != key.npos) return true;
  if (name.empty() || name == ".") return false;
  return IsProtectedAnywhere(name, agent_) || IsLinkInFolder(name) ||
         (name.size() != key.size() && IsLinkInFolder(key));
}

bool FirstNames::MayName(std::string_view path) const {
  const std::string_view name = FirstName(path);
  if (name.empty()) return true;
  if (!path.starts_with('/')) {
    return (IsProtectedAnywhere(path, agent_) && !IsProse(path)) || ExistsInFolder(name);
  }
  if (Exists(places_.front(), name)) return true;
  // "/a/../etc/x" is "/etc/x" to a server that cleans the text first.
  if (!HasDotDot(path)) return false;
  const Path clean = Path::Clean(path);
  return clean.is_root() || Exists(places_.front(), FirstName(clean.text()));
}

Result<FileKind> FirstNames::KindOf(const Place& place, std::string_view name) const {
  if (ignores_case_) return files_.LookKind(place.path.Child(name));
  return files_.ChildKind(*place.folder, name);
}

bool FirstNames::Exists(const Place& place, std::string_view name) const {
  const Result<FileKind> kind = KindOf(place, name);
  if (kind) return *kind != FileKind::kMissing;
  return kind.error().code != ENAMETOOLONG;
}

}  // namespace ringfence
