// Calls on files that systems have under other names, or not at all: files/linux, files/macos. The
// functions that return a bool or a descriptor leave the cause in errno.
#pragma once

#include <sys/stat.h>
#include <time.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// The nearest time that fits, from 1677 to 2262: any program can set other times of its files.
constexpr int64_t InNanoseconds(const timespec& time) {
  constexpr int64_t kSecond = 1'000'000'000;
  constexpr int64_t kMost = INT64_MAX / kSecond - 1;
  if (time.tv_sec > kMost) return kMost * kSecond;
  if (time.tv_sec < -kMost) return -kMost * kSecond;
  return int64_t{time.tv_sec} * kSecond + time.tv_nsec;
}

// Nanoseconds since 1970.
int64_t ModifiedTime(const struct stat& facts);
int64_t ChangedTime(const struct stat& facts);

// Identifies the mounted file system of a name; 0 if that is not known. Follows no link.
uint64_t MountIdOf(int folder, const char* name);

// Renames within a directory, and fails if `to` exists (EEXIST).
bool RenameToNew(const UniqueFd& folder, const std::string& from, const std::string& to);
// Each of two names gets what the other one has, at once.
bool ExchangeNames(const UniqueFd& folder, const std::string& one, const std::string& other);
// True if the file system cannot do one of these.
bool IsRenameUnsupported(int code);

// Wait until a file, or a whole file system, survives a power failure.
Status SyncFile(int fd);
Status SyncFileSystem(int fd);

// True if the file system copies files without writing their bytes again. `source` is an open file
// that is not empty, and `place` a directory.
bool CanClone(int source, const UniqueFd& place);
// Creates a file that shares the bytes of `source`, with its attributes. Returns an invalid
// descriptor where that is not possible, and always on Linux, which shares the bytes of files that
// exist.
UniqueFd CreateClone(int source, const UniqueFd& place, const std::string& name);
// Lets a new file share the bytes of another one. Returns false where that is not possible, and
// always on macOS.
bool ShareContents(int from, int to);
// Copies from `at` up to `end`. Returns false if the file has become shorter.
Result<bool> CopyPart(int from, int to, off_t at, off_t end);

// The extended attributes of an open file: as flistxattr(2), fgetxattr(2), fsetxattr(2) and
// fremovexattr(2).
ssize_t ListAttributes(int fd, char* names, size_t size);
ssize_t ReadAttribute(int fd, const char* name, void* value, size_t size);
bool WriteAttribute(int fd, const char* name, std::string_view value);
bool RemoveAttribute(int fd, const char* name);
// True for attributes that belong to the user, and not to the system.
bool IsUsersAttribute(std::string_view name);

// The attributes of a file or directory in a folder, which need not be readable on Linux.
class NamedAttributes {
 public:
  NamedAttributes(int folder, const std::string& name);

  ssize_t List(char* names, size_t size) const;
  ssize_t Read(const char* name, void* value, size_t size) const;

 private:
  std::string path_;  // on Linux
  UniqueFd file_;     // on macOS
};

// Creates the device that hides a name in an overlay's upper layer. Fails on macOS.
bool MakeWhiteout(const UniqueFd& folder, const std::string& name);

}  // namespace ringfence
