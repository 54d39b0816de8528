#include "policy/files/real_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/directory.h"
#include "base/syscall.h"
#include "base/unique_fd.h"

namespace ringfence {
namespace {

FileKind KindOfMode(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kFile;
  if (S_ISDIR(mode)) return FileKind::kDirectory;
  if (S_ISLNK(mode)) return FileKind::kLink;
  if (S_ISFIFO(mode)) return FileKind::kFifo;
  if (S_ISSOCK(mode)) return FileKind::kSocket;
  return S_ISCHR(mode) ? FileKind::kCharacterDevice : FileKind::kBlockDevice;
}

FileKind KindOfEntry(unsigned char type) {
  return type == DT_REG   ? FileKind::kFile
         : type == DT_DIR ? FileKind::kDirectory
         : type == DT_LNK ? FileKind::kLink
                          : FileKind::kMissing;
}

void Add(std::string_view name, unsigned char type, std::vector<DirectoryEntry>& entries) {
  if (name == "." || name == "..") return;
  entries.push_back({std::string(name), KindOfEntry(type)});
}

struct RegularFile {
  UniqueFd fd;
  size_t size = 0;
};

// `call` is for errors.
Result<RegularFile> OpenRegular(const Path& file, const std::string& call) {
  constexpr int kHow = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
  UniqueFd fd(::openat(AT_FDCWD, file.text().c_str(), kHow));
  if (!fd.valid()) return SystemError(call);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return SystemError(call);
  if (!S_ISREG(status.st_mode)) return SystemError(call, EINVAL);
  return RegularFile{std::move(fd), static_cast<size_t>(status.st_size)};
}

#ifdef __linux__

// The result of statx(2), which musl's headers do not declare.
struct StatxFacts {
  uint32_t mask;
  uint32_t other[35];
  uint64_t mount;
  uint64_t more[13];
};
static_assert(sizeof(StatxFacts) == 256);
constexpr unsigned kStatxMount = 0x1000;  // STATX_MNT_ID, since Linux 5.8

// Offsets in struct linux_dirent64 (getdents(2)); the inode and the offset come first.
constexpr size_t kRecordSizeAt = 16;
constexpr size_t kTypeAt = 18;
constexpr size_t kNameAt = 19;

void AddEntries(std::string_view records, std::vector<DirectoryEntry>& entries) {
  while (records.size() > kNameAt) {
    uint16_t size = 0;
    std::memcpy(&size, records.data() + kRecordSizeAt, sizeof size);
    if (size <= kNameAt || size > records.size()) return;
    const std::string_view name = records.substr(kNameAt, size - kNameAt);
    Add(name.substr(0, name.find('\0')), static_cast<unsigned char>(records[kTypeAt]), entries);
    records.remove_prefix(size);
  }
}

#endif

}  // namespace

Result<FileFacts> RealFiles::Look(const Path& path) const {
  struct stat status {};
  if (::lstat(path.text().c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return FileFacts{};
    return SystemError("lstat(" + path.text() + ")");
  }
  return FileFacts{.kind = KindOfMode(status.st_mode),
                   .device = static_cast<uint64_t>(status.st_dev),  // 32 bits with a sign on macOS
                   .inode = status.st_ino,
                   .links = status.st_nlink,
                   .owner = status.st_uid,
                   .group = status.st_gid,
                   .mode = static_cast<uint32_t>(status.st_mode & 07777)};
}

Result<std::string> RealFiles::ReadLink(const Path& path) const {
  std::string target(4096, '\0');  // PATH_MAX: no link is longer
  const ssize_t length = ::readlink(path.text().c_str(), target.data(), target.size());
  if (length < 0) return SystemError("readlink(" + path.text() + ")");
  target.resize(static_cast<size_t>(length));
  return target;
}

uint64_t RealFiles::MountOf(const Path& path) const {
#ifdef __linux__
  StatxFacts facts{};
  const long got =
      ::syscall(SYS_statx, AT_FDCWD, path.text().c_str(), AT_SYMLINK_NOFOLLOW, kStatxMount, &facts);
  if (got != 0) return 0;
  const bool has_mount = (facts.mask & kStatxMount) != 0;
  return has_mount ? facts.mount : 0;
#else
  static_cast<void>(path);
  return 0;
#endif
}

Result<std::string> RealFiles::ReadText(const Path& file, size_t most) const {
  const std::string call = "open(" + file.text() + ")";
  const Result<RegularFile> opened = OpenRegular(file, call);
  if (!opened) return opened.error();
  Result<std::string> text = ReadAll(opened->fd.get(), most, call, opened->size);
  if (text && text->size() < opened->size) {
    return SystemError(call, EIO);  // the file is being truncated
  }
  return text;
}

Result<std::string> RealFiles::ReadStart(const Path& file, size_t most) const {
  const std::string call = "open(" + file.text() + ")";
  const Result<RegularFile> opened = OpenRegular(file, call);
  if (!opened) return opened.error();
  std::string text(most, '\0');
  const ssize_t got = ::read(opened->fd.get(), text.data(), text.size());
  if (got < 0) return SystemError(call);
  text.resize(static_cast<size_t>(got));
  return text;
}

#ifdef __linux__

// Uses getdents64(2), because readdir(3) requests only a few names at a time and a home has
// hundreds.
Result<std::vector<DirectoryEntry>> RealFiles::List(const Path& directory, size_t most) const {
  constexpr int kHow = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  const UniqueFd folder(::openat(AT_FDCWD, directory.text().c_str(), kHow));
  if (!folder.valid()) return SystemError("openat(" + directory.text() + ")");
  alignas(uint64_t) std::array<char, size_t{8} * 1024> buffer{};
  std::vector<DirectoryEntry> entries;
  for (;;) {
    const long got = ::syscall(SYS_getdents64, folder.get(), buffer.data(), buffer.size());
    if (got < 0) return SystemError("getdents64(" + directory.text() + ")");
    if (got == 0) return entries;
    AddEntries({buffer.data(), static_cast<size_t>(got)}, entries);
    if (entries.size() > most) return SystemError("open(" + directory.text() + ")", E2BIG);
  }
}

#else

Result<std::vector<DirectoryEntry>> RealFiles::List(const Path& directory, size_t most) const {
  const DirectoryStream stream(::opendir(directory.text().c_str()));
  if (stream == nullptr) return SystemError("opendir(" + directory.text() + ")");
  std::vector<DirectoryEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    Add(entry->d_name, entry->d_type, entries);
    if (entries.size() > most) return SystemError("opendir(" + directory.text() + ")", E2BIG);
  }
  if (errno != 0) return SystemError("readdir(" + directory.text() + ")");
  return entries;
}

#endif

}  // namespace ringfence
