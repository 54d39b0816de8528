#include "cli/common/file_place.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "base/path.h"
#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

std::string DirectoryOf(const std::string& path) { return Path::Clean(path).Parent().text(); }

// The target is not created, because it may be on a disk that is not mounted.
Error Dangling(const std::string& link, const std::string& hint) {
  std::error_code failed;
  const std::filesystem::path named = std::filesystem::read_symlink(link, failed);
  const std::string target =
      failed ? "" : Path::Clean((std::filesystem::path(DirectoryOf(link)) / named).string()).text();
  return ConfigError(
      link, "is a dangling symbolic link" + (target.empty() ? "" : " to " + Quote(target)), hint);
}

bool IsDangling(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_symlink(path, failed) && !std::filesystem::exists(path, failed);
}

// weakly_canonical() of libstdc++ fails with ENOENT if the file is removed while it looks at it.
std::filesystem::path Canonical(const std::string& path, std::error_code& failed) {
  for (int tries = 100;; --tries) {
    std::filesystem::path real = std::filesystem::weakly_canonical(path, failed);
    if (tries == 0 || failed != std::errc::no_such_file_or_directory) return real;
  }
}

constexpr size_t kAnySize = std::numeric_limits<size_t>::max() / 2;

// Returns the error for a file or directory that cannot be created.
Error NotCreated(const Path& path, int code) {
  Error error = SystemError(path.text(), code);
  if (code == EACCES || code == EPERM) {
    error.what = "cannot be created: permission denied";
    struct stat facts {};
    const std::string parent = path.Parent().text();
    const bool is_roots = ::stat(parent.c_str(), &facts) == 0 && facts.st_uid == 0;
    error.hint = is_roots ? Quote(parent) +
                                " belongs to root: run the command as root, or, if it should be "
                                "yours, change its owner"
                          : "make " + Quote(parent) + " writable for yourself";
  } else if (code == EROFS) {
    error.what = "cannot be created: the file system is read-only";
    error.hint = "mount it writable, or use another home directory: --home DIR";
  } else {
    error.what = "cannot be created: " + ErrnoName(code);
  }
  return error;
}

// Returns the error for a file that could not be written and is unchanged. `error` is the system's.
Error NotWritten(const Path& path, const Error& error) {
  const bool is_full = error.code == ENOSPC || error.code == EDQUOT;
  return {
      Error::Kind::kSystem, path.text(),
      "cannot be written: " + (is_full ? "the disk is full" : error.what),
      is_full ? "make room, and run the command again; nothing was changed" : "nothing was changed",
      error.code};
}

// Removes its file unless the file was renamed.
struct RemovedAtEnd {
  int folder;
  const std::string& name;
  bool is_kept = false;
  ~RemovedAtEnd() {
    if (!is_kept) ::unlinkat(folder, name.c_str(), 0);
  }
};

Status SetOwnership(int fd, const FileOwnership& wanted, const Path& path) {
  struct stat own {};
  if (::fstat(fd, &own) != 0) return SystemError("fstat(" + path.text() + ")");
  const auto differs = [](auto want, auto has) {
    return want != static_cast<decltype(want)>(-1) && want != has;
  };
  const bool is_other = differs(wanted.owner, own.st_uid) || differs(wanted.group, own.st_gid);
  if (is_other && ::fchown(fd, wanted.owner, wanted.group) != 0) {
    return ConfigError(path.text(), "belongs to another user or group, which could not be kept",
                       "run the command as its owner");
  }
  if (::fchmod(fd, wanted.mode) != 0) return SystemError("fchmod(" + path.text() + ")");
  return Unit{};
}

// The process has a stricter mask in between, which can only withhold permissions.
mode_t CurrentMask() {
  const mode_t mask = ::umask(077);
  ::umask(mask);
  return mask;
}

}  // namespace

std::vector<std::string> MissingFolders(const std::string& path) {
  std::vector<std::string> folders;
  struct stat status {};
  for (std::string folder = DirectoryOf(path); ::stat(folder.c_str(), &status) != 0;
       folder = DirectoryOf(folder)) {
    if (errno != ENOENT) break;
    folders.insert(folders.begin(), folder);
  }
  return folders;
}

Result<std::string> FollowedPath(const std::string& path) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, failed);
  if (!status_known(status)) return SystemError("lstat(" + path + ")", failed.value());
  if (!is_symlink(status)) return path;
  const std::string real = std::filesystem::canonical(path, failed).string();
  if (failed) return Dangling(path, "restore its target, or remove the link");
  return real;
}

bool LeadToOneFile(const std::string& one, const std::string& other) {
  if (one == other) return true;
  std::error_code failed;
  const std::filesystem::path first = Canonical(one, failed);
  return !failed && first == Canonical(other, failed) && !failed;
}

Status RefuseDanglingLinks(const std::string& path) {
  if (IsDangling(path)) return Dangling(path, "restore its target, or remove the link");
  for (const std::string& folder : MissingFolders(path)) {
    if (IsDangling(folder)) return Dangling(folder, "create that directory, or remove the link");
  }
  return Unit{};
}

FileOwnership OwnershipOf(const struct stat& facts) {
  return {static_cast<mode_t>(facts.st_mode & 07777), facts.st_uid, facts.st_gid};
}

Result<FilePlace> FilePlace::Find(const std::string& path) {
  if (Status s = RefuseDanglingLinks(path); !s) return s.error();
  std::error_code failed;
  const std::filesystem::path real = Canonical(path, failed);
  if (failed) return NotCreated(Path::Clean(path), failed.value());
  return FindPlain(Path::Clean(real.string()));
}

Result<FilePlace> FilePlace::FindName(const Path& path) {
  const std::string parent = path.Parent().text();
  if (Status s = RefuseDanglingLinks(parent); !s) return s.error();
  std::error_code failed;
  const std::filesystem::path real = Canonical(parent, failed);
  if (failed) return NotCreated(path, failed.value());
  if (path.is_root()) return FindPlain(path);
  return FindPlain(Path::Clean(real.string()).Child(path.name()));
}

Result<FilePlace> FilePlace::FindPlain(const Path& path) {
  if (path.is_root()) return ConfigError(path.text(), "is not a regular file", "");
  Result<NearestFolder> nearest = OpenNearestPlainFolder(path.Parent(), kAnySize);
  if (!nearest) return nearest.error();
  return FilePlace(path, std::move(*nearest));
}

std::vector<std::string> FilePlace::MissingFolders() const {
  std::vector<std::string> folders(nearest_.missing.size());
  Path folder = path_.Parent();
  for (size_t i = folders.size(); i > 0; --i) {
    folders[i - 1] = folder.text();
    folder = folder.Parent();
  }
  return folders;
}

Status FilePlace::MakeFolders(mode_t mode) {
  for (const std::string& folder : MissingFolders()) {
    const std::string name = nearest_.missing.front();
    if (::mkdirat(nearest_.fd.get(), name.c_str(), mode) != 0 && errno != EEXIST) {
      return NotCreated(Path::Clean(folder), errno);
    }
    if (Status s = Sync(); !s) return s;
    UniqueFd made(
        ::openat(nearest_.fd.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!made.valid()) return SystemError("open(" + folder + ")");
    nearest_.fd = std::move(made);
    nearest_.missing.erase(nearest_.missing.begin());
  }
  return Unit{};
}

Result<std::optional<struct stat>> FilePlace::Facts() const {
  struct stat facts {};
  if (!has_folder()) return std::optional<struct stat>();
  if (::fstatat(folder(), name_.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0) {
    return std::optional<struct stat>(facts);
  }
  if (errno == ENOENT) return std::optional<struct stat>();
  return SystemError("fstatat(" + path_.text() + ")");
}

Result<std::optional<std::string>> FilePlace::Read() const {
  const Result<std::optional<struct stat>> facts = Facts();
  if (!facts) return facts.error();
  if (!*facts) return std::optional<std::string>();
  const UniqueFd fd(
      ::openat(folder(), name_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat opened {};
  if (!fd.valid() || ::fstat(fd.get(), &opened) != 0) {
    return SystemError("open(" + path_.text() + ")");
  }
  if (!S_ISREG(opened.st_mode)) return ConfigError(path_.text(), "is not a regular file", "");
  const auto size = static_cast<size_t>(opened.st_size);
  Result<std::string> bytes = ReadAll(fd.get(), kAnySize, path_.text(), size);
  if (!bytes) return bytes.error();
  return std::optional<std::string>(std::move(*bytes));
}

Status FilePlace::Replace(const std::string& temporary, const std::string& bytes,
                          const FileOwnership& if_new, OldLink link) const {
  if (!has_folder()) return NotCreated(path_, ENOENT);
  Result<std::optional<struct stat>> old = Facts();
  if (!old) return old.error();
  if (*old && S_ISLNK((*old)->st_mode) && link == OldLink::kReplace) old->reset();
  if (*old && !S_ISREG((*old)->st_mode)) {
    return ConfigError(path_.text(), "is not a regular file", "");
  }
  const UniqueFd fd(::openat(folder(), temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return NotCreated(path_.Parent().Child(temporary), errno);
  RemovedAtEnd file{folder(), temporary};
  if (Status s = WriteAll(fd.get(), bytes); !s) return NotWritten(path_, s.error());
  if (Status s = SetOwnership(fd.get(), *old ? OwnershipOf(**old) : if_new, path_); !s) return s;
  if (::fsync(fd.get()) != 0) return NotWritten(path_, SystemError("fsync"));
  if (::renameat(folder(), temporary.c_str(), folder(), name_.c_str()) != 0) {
    return SystemError("rename to " + path_.text());
  }
  file.is_kept = true;
  return Sync();
}

Status FilePlace::MakeFolder(const FileOwnership& wanted) const {
  if (!has_folder()) return NotCreated(path_, ENOENT);
  if (::mkdirat(folder(), name_.c_str(), 0700) != 0 && errno != EEXIST) {
    return NotCreated(path_, errno);
  }
  const UniqueFd made(
      ::openat(folder(), name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made.valid()) return SystemError("open(" + path_.text() + ")");
  if (Status s = SetOwnership(made.get(), wanted, path_); !s) return s;
  return Sync();
}

Status FilePlace::Remove() const {
  if (!has_folder()) return Unit{};
  if (::unlinkat(folder(), name_.c_str(), 0) != 0 && errno != ENOENT) {
    return SystemError("unlink(" + path_.text() + ")");
  }
  return Sync();
}

void FilePlace::RemoveEmptyFolder() const {
  if (has_folder()) ::unlinkat(folder(), name_.c_str(), AT_REMOVEDIR);
}

Status FilePlace::Sync() const {
  const UniqueFd fd(::openat(folder(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid() && ::fsync(fd.get()) == 0) return Unit{};
  return SystemError("fsync(" + path_.Parent().text() + ")");
}

std::string TemporaryName() {
  constexpr const char* kCharacters = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<unsigned char, 12> bytes{};
  // Should this ever fail, a file in the way of the name is an error.
  [[maybe_unused]] const int failed = ::getentropy(bytes.data(), bytes.size());
  std::string name(kTemporaryPrefix);
  for (const unsigned char byte : bytes) name += kCharacters[byte % 32];
  return name;
}

Status WriteWhole(const std::string& path, const std::string& bytes, mode_t mode_if_new) {
  const Path clean = Path::Clean(path);
  // Programs rely on /dev/stdout and the like, which root could replace.
  constexpr std::string_view kDevices = "/dev";
  if (clean.Parent().text() == kDevices) {
    return ConfigError(path, "is not a regular file", "name a file, or use standard output");
  }
  const Result<FilePlace> place = FilePlace::FindName(clean);
  if (!place) return place.error();
  if (const std::vector<std::string> missing = place->MissingFolders(); !missing.empty()) {
    return ConfigError(missing.front(), "does not exist", "create the directory first");
  }
  return place->Replace(TemporaryName(), bytes,
                        {.mode = static_cast<mode_t>(mode_if_new & ~CurrentMask())},
                        FilePlace::OldLink::kReplace);
}

}  // namespace ringfence
