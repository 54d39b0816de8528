// FileId: identifies the file or directory that a descriptor or a name refers to.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/unique_fd.h"
#include "sandbox/linux/caller.h"

namespace ringfence {

// Includes the birth time, since file systems reuse inode numbers.
struct FileId {
  uint32_t device_major = 0, device_minor = 0;
  uint64_t inode = 0;
  int64_t born = 0;  // seconds; 0 if the file system does not record it
  uint32_t born_nanoseconds = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): not a pointer
  auto operator<=>(const FileId&) const = default;
};

// Returns the id of `name` in `folder` without following a link, or of the open file itself if
// `name` is "".
Result<FileId> IdOf(const UniqueFd& folder, const char* name);

// Sets of files, as sorted vectors.
void Remember(std::vector<FileId>& sorted, const Result<FileId>& id);
bool IsIn(const std::vector<FileId>& sorted, const Result<FileId>& id);

}  // namespace ringfence
