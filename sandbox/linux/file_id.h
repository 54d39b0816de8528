// FileId: which file or directory a descriptor or a name stands for.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/unique_fd.h"
#include "sandbox/linux/caller.h"

namespace ringfence {

// The time of birth is a part of it, since file systems reuse inode numbers.
struct FileId {
  uint32_t device_major = 0, device_minor = 0;
  uint64_t inode = 0;
  int64_t born = 0;  // seconds; 0 where the file system does not keep it
  uint32_t born_nanoseconds = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): no pointer here
  auto operator<=>(const FileId&) const = default;
};

// Of `name` in `folder`, which is not followed; of the open file itself where `name` is "".
Result<FileId> IdOf(const UniqueFd& folder, const char* name);

// Sets of files, sorted.
void Remember(std::vector<FileId>& sorted, const Result<FileId>& id);
bool IsIn(const std::vector<FileId>& sorted, const Result<FileId>& id);

}  // namespace ringfence
