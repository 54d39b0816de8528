#include "files/entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <vector>

#include "base/directory.h"
#include "base/file_digest.h"
#include "base/syscall.h"
#include "files/attributes.h"
#include "files/beneath.h"
#include "files/system_calls.h"

namespace ringfence {
namespace {

EntryKind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return EntryKind::kFile;
  if (S_ISDIR(mode)) return EntryKind::kDirectory;
  return S_ISLNK(mode) ? EntryKind::kLink : EntryKind::kSpecial;
}

Result<UniqueFd> OpenToRead(int folder, const std::string& name, const std::string& path) {
  // O_NONBLOCK: a file that was replaced by a FIFO must not make this wait.
  UniqueFd file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!file.valid()) return SystemError("open(" + path + ")");
  return file;
}

// Reads from an offset until the buffer is full or the file ends. Returns -1 on an error.
ssize_t Fill(int fd, off_t at, std::vector<char>& buffer) {
  size_t size = 0;
  while (size < buffer.size()) {
    const ssize_t got =
        ::pread(fd, buffer.data() + size, buffer.size() - size, at + static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  return static_cast<ssize_t>(size);
}

// Terabytes of holes take no space, but hours to read.
bool HasLargeHoles(const UniqueFd& file) {
  constexpr int64_t kMost = int64_t{1} << 30;
  constexpr int64_t kBlock = 512;  // stat(2)
  struct stat facts {};
  return ::fstat(file.get(), &facts) == 0 && facts.st_size - facts.st_blocks * kBlock > kMost;
}

class ContentsReader {
 public:
  explicit ContentsReader(const ContentsOptions& options) : options_(options) {}

  // Adds what is in the directory `path` below the first one.
  Status Add(const UniqueFd& folder, const std::string& path, int depth) {
    if (depth > kMaxDepth) return SystemError("open(" + path + ")", ELOOP);
    std::vector<std::string> names;
    const std::optional<bool> read = AnyEntry(folder, [&names](const dirent& entry) {
      names.emplace_back(entry.d_name);
      return false;
    });
    if (!read) return SystemError("readdir(" + path + ")");
    std::ranges::sort(names);
    for (const std::string& name : names) {
      const std::string below = PathIn(path, name);
      Result<Entry> entry = LookAt(folder.get(), name, below);
      if (!entry) return entry.error();
      const bool is_directory = entry->is_directory();
      if (options_.has_attributes) AddAttributes(folder.get(), name, *entry);
      contents_.emplace_back(below, std::move(*entry));
      if (!is_directory || (options_.leaves_out_deep && IsTooDeep(below))) continue;
      const UniqueFd inner(
          ::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!inner.valid()) return SystemError("open(" + below + ")");
      if (Status s = Add(inner, below, depth + 1); !s) return s;
    }
    return Unit{};
  }

  Contents& contents() { return contents_; }

 private:
  const ContentsOptions& options_;
  Contents contents_;
};

bool HaveSameSize(int one, int other) {
  struct stat one_facts {};
  struct stat other_facts {};
  return ::fstat(one, &one_facts) == 0 && ::fstat(other, &other_facts) == 0 &&
         one_facts.st_size == other_facts.st_size;
}

// The next offset at which one of the files has data, from `at` on; -1 if none
// has, and `at` if that is unknown.
off_t NextData(int one, int other, off_t at) {
  off_t next = -1;
  for (const int file : {one, other}) {
    const off_t data = ::lseek(file, at, SEEK_DATA);
    if (data < 0 && errno != ENXIO) return at;
    if (data >= 0 && (next < 0 || data < next)) next = data;
  }
  return next;
}

}  // namespace

bool IsSameInode(const Entry& one, const Entry& other) {
  return one.exists() && one.kind == other.kind && one.inode == other.inode;
}

bool IsUnchanged(const Entry& one, const Entry& other) {
  if (!one.exists() || !other.exists()) return one.kind == other.kind;
  if (!IsSameInode(one, other) || one.target != other.target) return false;
  if (one.is_link()) return true;
  const bool has_same_bytes =
      one.is_directory() || (one.size == other.size && one.mtime == other.mtime);
  return has_same_bytes && one.mode == other.mode;
}

std::string DigestOf(const UniqueFd& folder, const std::string& path) {
  const Result<UniqueFd> file =
      OpenBeneath(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (!file || HasLargeHoles(*file)) return "";
  const Result<std::string> digest = Sha256OfFile(file->get());
  return digest ? *digest : "";
}

bool IsAsCreated(const UniqueFd& folder, const std::string& path, const Entry& now,
                 const Entry& created) {
  if (!IsUnchanged(now, created)) return false;
  // An earlier version has noted neither the last ctime nor a digest.
  if (created.digest.empty() || now.ctime == created.ctime) return true;
  return DigestOf(folder, path) == created.digest;
}

Result<Contents> ContentsOf(const UniqueFd& folder, const ContentsOptions& options) {
  ContentsReader reader(options);
  if (Status s = reader.Add(folder, "", 0); !s) return s.error();
  return std::move(reader.contents());
}

bool IsTooDeep(std::string_view path) {
  constexpr size_t kMaxBytes = 3000;
  return path.size() > kMaxBytes || std::ranges::count(path, '/') >= kMaxDepth;
}

namespace {

// Returns nothing if the name was a link and is not one any more.
Result<std::optional<Entry>> LookOnce(int folder, const std::string& name,
                                      const std::string& path) {
  struct stat facts {};
  if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional(Entry{});
    return SystemError("stat(" + path + ")");
  }
  constexpr mode_t kPermissions = 07777;
  Entry entry{.kind = KindOf(facts.st_mode),
              .mode = static_cast<uint32_t>(facts.st_mode & kPermissions),
              .size = static_cast<uint64_t>(facts.st_size),
              .device = static_cast<uint64_t>(facts.st_dev),
              .inode = facts.st_ino,
              .mtime = ModifiedTime(facts),
              .ctime = ChangedTime(facts),
              .owner = facts.st_uid,
              .group = facts.st_gid,
              .links = static_cast<uint32_t>(facts.st_nlink)};
  if (!entry.is_link()) return std::optional(std::move(entry));
  std::array<char, PATH_MAX + 1> target{};
  const ssize_t size = ::readlinkat(folder, name.c_str(), target.data(), target.size());
  const bool has_changed = size < 0 && (errno == EINVAL || errno == ENOENT || errno == ENOTDIR);
  if (has_changed) return std::optional<Entry>();
  if (size < 0) return SystemError("readlink(" + path + ")");
  entry.target.assign(target.data(), static_cast<size_t>(size));
  return std::optional(std::move(entry));
}

}  // namespace

Result<Entry> LookAt(int folder, const std::string& name, const std::string& path) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    Result<std::optional<Entry>> entry = LookOnce(folder, name, path);
    if (!entry) return entry.error();
    if (*entry) return std::move(**entry);
  }
  return SystemError("readlink(" + path + ")", EINVAL);
}

Result<bool> HaveSameBytes(int one_folder, int other_folder, const std::string& name,
                           const std::string& path) {
  const Result<UniqueFd> one = OpenToRead(one_folder, name, path);
  const Result<UniqueFd> other = OpenToRead(other_folder, name, path);
  for (const auto* file : {&one, &other}) {
    if (!*file && IsMissing(file->error())) return false;
    if (!*file) return file->error();
  }
  constexpr size_t kPart = size_t{64} << 10;
  static thread_local std::vector<char> one_part(kPart);
  static thread_local std::vector<char> other_part(kPart);
  for (off_t at = 0;;) {
    const ssize_t size = Fill(one->get(), at, one_part);
    if (size < 0 || Fill(other->get(), at, other_part) != size) {
      if (size < 0) return SystemError("read(" + path + ")");
      return false;
    }
    const auto length = static_cast<size_t>(size);
    if (std::memcmp(one_part.data(), other_part.data(), length) != 0) return false;
    if (length < kPart) return true;
    // Skips what is a hole in both files.
    at = NextData(one->get(), other->get(), at + size);
    if (at < 0) return HaveSameSize(one->get(), other->get());
  }
}

}  // namespace ringfence
