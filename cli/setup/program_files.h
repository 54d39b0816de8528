// The files of an installation outside /usr, as its list share/ringfence/files.sha256 names them.
// cmake/installed_files.cmake writes the list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "files/entry.h"

namespace ringfence {

inline constexpr const char* kFileList = "share/ringfence/files.sha256";  // below the prefix

struct ListedFile {
  std::string path;    // below the prefix
  std::string digest;  // SHA-256, 64 lower case digits

  // The programs are executable. A file's own mode does not count: some package managers change it.
  uint32_t mode() const { return path.starts_with("bin/") ? 0755 : 0644; }
  bool operator==(const ListedFile&) const = default;
};

// Accepts plain paths below the prefix only: without ".", ".." and control characters, each once,
// none below another one, and not the list's own. Sorted by path. `name` is the list's name in
// errors.
Result<std::vector<ListedFile>> ParseFileList(std::string_view text, const std::string& name);

struct ProgramTree {
  Path prefix;
  UniqueFd root;     // the open prefix
  std::string list;  // the text of its list; "" if it has none
  std::vector<ListedFile> files;

  const ListedFile* Find(const std::string& path) const;
};

// The tree that the running program belongs to. Without a list it is an error, which names the
// package manager that installed the program.
Result<ProgramTree> OwnTree();

// True if npm put the file there. npm replaces and removes its directories, and an agent may write
// to those in its project.
bool IsNpms(const std::string& path);

// Reads the list in tree.root; leaves `list` and `files` empty if it does not exist.
Status ReadFileList(ProgramTree& tree);

// Reads a listed file once. Fails if its digest is another one.
Result<std::string> ReadListed(const ProgramTree& tree, const ListedFile& file);

// The entry at a path below the prefix; kNone if the path or a directory of it does not exist. A
// link in the place of a directory is an error.
Result<Entry> EntryBelow(const ProgramTree& tree, const std::string& path);

// True if the entry, as EntryBelow() returned it for the path, is a file with these bytes.
bool HasBytes(const ProgramTree& tree, const Entry& entry, const std::string& path,
              std::string_view bytes);

// The same for the bytes of a listed file.
bool HasDigest(const ProgramTree& tree, const Entry& entry, const ListedFile& file);

}  // namespace ringfence
