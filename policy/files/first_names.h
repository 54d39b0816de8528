// FirstNames tells which names exist where the paths of an MCP tool may begin. A text whose first
// name does not exist there names nothing. Each directory is listed once, however many texts there
// are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "policy/files/cached_files.h"
#include "policy/places.h"

namespace ringfence {

// Returns the directories in which an MCP server may look for a relative path, as given: the one
// that the session started in, where a server stays, and the model's current one (which may be "").
std::vector<std::string> ServerFolders(const Path& start, std::string_view cwd);

class FirstNames {
 public:
  // `files` and `places` outlive this.
  FirstNames(const CachedFiles& files, const Places& places)
      : files_(files),
        agent_(*places.agent),
        ignores_case_(places.macos_names),
        places_{{Path(), &files.FolderOf(Path())}} {}

  // Adds a directory that relative paths may begin at. It is resolved when the first relative path
  // is checked.
  void AddFolder(std::string folder) { unseen_.push_back(std::move(folder)); }

  // True if `path`, absolute or relative, begins with a name that exists. A name that cannot be
  // checked counts as existing, and so does one that no policy lets an agent create
  // (".claude/settings.json").
  bool MayName(std::string_view path) const;

  // True if `text` begins or ends with characters that a server may drop, and names something if
  // they are kept.
  bool MayNameAsWritten(std::string_view text) const;

  // True if an object's key may be a path. A key without a slash usually names a parameter: it is a
  // path only if it leads elsewhere, as ".." and links do, or is protected.
  bool MayNameAsKey(std::string_view key) const;

 private:
  struct Place {
    Path path;
    CachedFiles::Folder* folder;
  };
  Result<FileKind> KindOf(const Place& place, std::string_view name) const;
  bool Exists(const Place& place, std::string_view name) const;
  bool ExistsInFolder(std::string_view name) const;
  bool IsLinkInFolder(std::string_view name) const;
  std::span<const Place> Folders() const;

  const CachedFiles& files_;
  const Agent& agent_;
  bool ignores_case_;  // names that differ in letter case may be the same file
  mutable std::vector<std::string> unseen_;
  mutable std::vector<Place> places_;  // the first is "/"
};

}  // namespace ringfence
