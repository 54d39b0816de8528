// Entry: facts about one name in a tree, as stat(2) reports them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

enum class EntryKind : uint8_t {
  kNone,  // the name does not exist
  kFile,
  kDirectory,
  kLink,
  kSpecial,  // a FIFO, a socket or a device
};

struct Entry {
  EntryKind kind = EntryKind::kNone;
  uint32_t mode = 0;  // the permission bits, with set-user-ID, set-group-ID and sticky
  uint64_t size = 0;
  std::string target;  // of a link

  // Identify the state of a file: if these are unchanged, so is the file.
  uint64_t device = 0, inode = 0;
  int64_t mtime = 0, ctime = 0;  // nanoseconds since 1970
  uint32_t owner = 0, group = 0;
  uint32_t links = 0;  // hard links
  std::string digest;  // SHA-256 of a file that a transaction has created; otherwise ""

  // One extended attribute, with a digest of its value.
  struct Attribute {
    std::string name, digest;
    auto operator<=>(const Attribute&) const = default;
  };
  // Of a file or directory, sorted; only where they were read (AddAttributes()).
  std::vector<Attribute> attributes;

  bool exists() const { return kind != EntryKind::kNone; }
  bool is_file() const { return kind == EntryKind::kFile; }
  bool is_directory() const { return kind == EntryKind::kDirectory; }
  bool is_link() const { return kind == EntryKind::kLink; }

  bool operator==(const Entry&) const = default;
};

// True if both are the same file, link or directory, whatever happened to it in between. Numbers of
// devices do not count: they can change when the machine is restarted.
bool IsSameInode(const Entry& one, const Entry& other);
// True if it has not been changed either, except that a directory can have other contents. The
// ctime does not count, since renaming a file changes it.
bool IsUnchanged(const Entry& one, const Entry& other);

// The same for a file that a transaction has created, as it is now at `path` below `folder`: if its
// ctime has changed since, its content is compared. A program can set the mtime, but not the ctime,
// which hard links change, too.
bool IsAsCreated(const UniqueFd& folder, const std::string& path, const Entry& now,
                 const Entry& created);
// The SHA-256 of the file as hexadecimal digits; "" if it cannot be read, or has more than 1 GiB of
// holes.
std::string DigestOf(const UniqueFd& folder, const std::string& path);

// What a directory contains, at any depth, without itself. Paths are relative to it; a directory
// comes before what is in it. Fails if it is nested more than kMaxDepth deep.
constexpr int kMaxDepth = 200;
using Contents = std::vector<std::pair<std::string, Entry>>;
struct ContentsOptions {
  bool has_attributes = false;   // Entry::attributes are read
  bool leaves_out_deep = false;  // of a directory that IsTooDeep(), only its own name is listed
};
Result<Contents> ContentsOf(const UniqueFd& folder, const ContentsOptions& options = {});

// True if stages leave out what is in the directory of this path: it has kMaxDepth others above it,
// or system calls with an absolute path could not reach a name in it (PATH_MAX).
bool IsTooDeep(std::string_view path);

// Follows no link. The entry's kind is kNone if the name does not exist. `path` is for errors.
Result<Entry> LookAt(int folder, const std::string& name, const std::string& path);

// True if both are regular files with the same bytes; false if one of them does not exist. Neither
// follows links. Fails if one of them cannot be read.
Result<bool> HaveSameBytes(int one_folder, int other_folder, const std::string& name,
                           const std::string& path);

}  // namespace ringfence
