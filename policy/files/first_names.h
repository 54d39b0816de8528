// FirstNames says which names exist where the paths of an MCP tool may begin. A text whose first
// name does not exist there names nothing, and a folder is listed once however many texts there
// are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "policy/files/cached_files.h"

namespace ringfence {

// The folders in which an MCP server may look for a relative path, as they were given: where the
// session began, since a server stays there, and where the model is now (which may be "").
std::vector<std::string> ServerFolders(const Path& start, std::string_view cwd);

class FirstNames;

// Whether `text` begins or ends with what a server may drop, and names something with it.
bool MayNameAsWritten(std::string_view text, const FirstNames& names);

class FirstNames {
 public:
  // `files` outlives this. `ignores_case`: names that differ in letter case may be the same.
  FirstNames(const CachedFiles& files, bool ignores_case)
      : files_(files), ignores_case_(ignores_case), places_{{Path(), &files.FolderOf(Path())}} {}

  // `folder` is one that relative paths begin at. It is looked at when the first one is asked
  // about.
  void AddFolder(std::string folder) { unseen_.push_back(std::move(folder)); }

  // Whether `path`, absolute or relative, begins with a name that exists. What cannot be seen
  // counts as existing, and so does what no policy lets anyone create (".claude/settings.json").
  bool MayName(std::string_view path) const;

  // Whether an object's key may be a path. Without a slash it is mostly the name of a parameter: it
  // is a path where it leads elsewhere, as ".." and links do, or is protected.
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
  bool ignores_case_;
  mutable std::vector<std::string> unseen_;
  mutable std::vector<Place> places_;  // the first is "/"
};

}  // namespace ringfence
