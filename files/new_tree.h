// Creates a new file, link or directory with its contents, under a temporary name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "files/attributes.h"
#include "files/entry.h"

namespace ringfence {

// One entry of a new tree; kSpecial is a whiteout of an overlay's upper layer. A regular file has
// `bytes` or a `source` to copy. With both, only the source's extended attributes are copied.
struct NewEntry {
  std::string below;  // path in the new directory; "" for the new entry itself
  EntryKind kind = EntryKind::kFile;
  uint32_t mode = 0644;
  std::string target;                // of a link
  std::optional<std::string> bytes;  // of a file
  uint64_t hole_size = 0;            // a file with `bytes` ends with a hole up to this size
  std::string source;                // path below NewTree::sources
  // The file becomes a hard link to the source, if it is in the same file system: it has
  // the same inode then, which IsSameInode() compares.
  bool is_link_to_source = false;
  // Of a file with `bytes`: instead of those of the source.
  std::optional<AttributeValues> attributes;
  std::optional<int64_t> mtime;  // nanoseconds since 1970; absent: now
  std::string digest;            // of a file, if it is known (DigestOf())
};

struct NewTree {
  // Each directory comes before what is in it.
  std::vector<NewEntry> entries;
};

// Where files are copied from. Not owned.
struct CopySources {
  const UniqueFd* folder = nullptr;
  bool keeps_marks = false;  // the attributes of an overlay's upper layer, too
  std::function<void(const NewEntry&)> created = nullptr;  // called after each entry
  // Called for a file that is left out, because its source does not exist any more or the user has
  // no permission to read it. Without this function, both are errors, as all others are.
  std::function<void(const NewEntry&, const Error&)> left_out = nullptr;
};

// Creates the tree as `name`, which must not exist. Copies extended attributes of sources, except
// those of an overlay's upper layer. On an error, a part of it may exist.
Status CreateTree(const UniqueFd& folder, const std::string& name, const NewTree& tree,
                  const CopySources& sources);

// Describes what is at `path` below `folder`, for a copy of it: its files are to be copied from
// there. Leaves out FIFOs, sockets and devices.
Result<NewTree> TreeAt(const UniqueFd& folder, const std::string& path);

}  // namespace ringfence
