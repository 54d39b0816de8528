#include "cli/common/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/path.h"
#include "base/syscall.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "policy/load/sources.h"

namespace ringfence {
namespace {

constexpr size_t kMaxFile = 8u << 20;

Error Refused(const std::string& path, std::string what, std::string hint) {
  return Error{Error::Kind::kInvalidConfig, path, std::move(what), std::move(hint)};
}

std::string FolderOf(const std::string& path) { return Path::Clean(path).Parent().text(); }

// The target is not created: it may be on a disk that is not mounted now.
Error Dangling(const std::string& link, const std::string& hint) {
  std::error_code failed;
  const std::filesystem::path named = std::filesystem::read_symlink(link, failed);
  const std::string target =
      failed ? "" : Path::Clean((std::filesystem::path(FolderOf(link)) / named).string()).text();
  return Refused(
      link, "is a dangling symbolic link" + (target.empty() ? "" : " to " + Quote(target)), hint);
}

// A link would be replaced by the new file, which would get the mode of the link.
Status RefuseDangling(const std::string& path) {
  struct stat facts {};
  const bool is_link = ::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode);
  if (!is_link || ::stat(path.c_str(), &facts) == 0) return Unit{};
  return Dangling(path, "restore its target, or remove the link");
}

// What may keep a file or folder from being created, said for people.
Error NotCreated(const std::string& path, int code) {
  Error error = SystemError(path, code);
  if (code == EACCES || code == EPERM) {
    error.what = "cannot be created: permission denied";
    error.hint = "make " + Quote(FolderOf(path)) + " writable for yourself";
  } else if (code == EROFS) {
    error.what = "cannot be created: the file system is read-only";
    error.hint = "mount it writable, or use another home directory: --home DIR";
  } else {
    error.what = "cannot be created: " + ErrnoName(code);
  }
  return error;
}

// The file stays as it was. `error` is the system's.
Error NotWritten(const std::string& path, const Error& error) {
  const bool is_full = error.code == ENOSPC || error.code == EDQUOT;
  return {
      Error::Kind::kSystem, path,
      "cannot be written: " + (is_full ? "the disk is full" : error.what),
      is_full ? "make room, and run the command again; nothing was changed" : "nothing was changed",
      error.code};
}

Status MakeFolders(const std::vector<std::string>& folders, mode_t mode,
                   std::vector<std::string>& made) {
  for (const std::string& folder : folders) {
    if (::mkdir(folder.c_str(), mode) != 0) {
      if (errno != EEXIST) return NotCreated(folder, errno);
      return Dangling(folder, "create that directory, or remove the link");
    }
    made.push_back(folder);
  }
  return Unit{};
}

// A file that is only there until it gets its final name.
class TemporaryFile {
 public:
  static Result<std::unique_ptr<TemporaryFile>> Make(const std::string& folder) {
    auto file = std::make_unique<TemporaryFile>();
    file->path_ = folder + "/.ringfence-XXXXXX";
    file->fd_ = UniqueFd(::mkostemp(file->path_.data(), O_CLOEXEC));
    if (!file->fd_.valid()) {
      const int code = errno;
      file->path_.clear();
      return NotCreated(folder + "/.ringfence-XXXXXX", code);
    }
    return file;
  }
  TemporaryFile() = default;
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int fd() const { return fd_.get(); }

  Status MoveTo(const std::string& path) {
    if (::fsync(fd()) != 0) return SystemError("fsync(" + path + ")");
    if (::rename(path_.c_str(), path.c_str()) != 0) return SystemError("rename to " + path);
    path_.clear();
    return Unit{};
  }

 private:
  std::string path_;
  UniqueFd fd_;
};

Status KeepModeAndOwner(int fd, const std::string& path, mode_t mode_if_new) {
  struct stat old {};
  if (::lstat(path.c_str(), &old) != 0) {
    if (errno != ENOENT) return SystemError("lstat(" + path + ")");
    if (::fchmod(fd, mode_if_new) != 0) return SystemError("fchmod(" + path + ")");
    return Unit{};
  }
  struct stat own {};
  if (::fstat(fd, &own) != 0) return SystemError("fstat(" + path + ")");
  const bool same = own.st_uid == old.st_uid && own.st_gid == old.st_gid;
  if (!same && ::fchown(fd, old.st_uid, old.st_gid) != 0) {
    return Refused(path, "belongs to another user or group, which could not be kept",
                   "run the command as its owner");
  }
  if (::fchmod(fd, old.st_mode & 07777) != 0) return SystemError("fchmod(" + path + ")");
  return Unit{};
}

Status SyncFolder(const std::string& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) return SystemError("fsync(" + folder + ")");
  return Unit{};
}

Status Replace(const std::string& path, const std::string& bytes, mode_t mode_if_new) {
  const std::string folder = FolderOf(path);
  Result<std::unique_ptr<TemporaryFile>> file = TemporaryFile::Make(folder);
  if (!file) return file.error();
  if (Status s = WriteAll((*file)->fd(), bytes); !s) return NotWritten(path, s.error());
  if (Status s = KeepModeAndOwner((*file)->fd(), path, mode_if_new); !s) return s.error();
  if (Status s = (*file)->MoveTo(path); !s) return s.error();
  return SyncFolder(folder);
}

Status CheckUnchanged(const std::string& path, const std::optional<std::string>& expected) {
  const Result<std::optional<std::string>> now = ReadIfThere(path);
  if (!now) return now.error();
  if (*now == expected) return Unit{};
  return Refused(path, "was changed by another program in the meantime", "run the command again");
}

}  // namespace

Result<std::optional<std::string>> ReadIfThere(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
    if (errno == ELOOP) return EndlessLinks(path);
    return SystemError("open(" + path + ")");
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return SystemError("fstat(" + path + ")");
  if (!S_ISREG(status.st_mode)) return Refused(path, "is not a regular file", "");
  Result<std::string> bytes = ReadAll(fd.get(), kMaxFile, path);
  if (!bytes) return bytes.error();
  return std::optional<std::string>(std::move(*bytes));
}

std::vector<std::string> MissingFolders(const std::string& path) {
  std::vector<std::string> folders;
  struct stat status {};
  for (std::string folder = FolderOf(path); ::stat(folder.c_str(), &status) != 0;
       folder = FolderOf(folder)) {
    if (errno != ENOENT) break;
    folders.insert(folders.begin(), folder);
  }
  return folders;
}

Result<std::string> FollowedPath(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return path;
    return SystemError("lstat(" + path + ")");
  }
  if (!S_ISLNK(status.st_mode)) return path;
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (real == nullptr) {
    return Dangling(path, "restore its target, or remove the link");
  }
  return std::string(real.get());
}

bool LeadToOneFile(const std::string& one, const std::string& other) {
  if (one == other) return true;
  std::error_code failed;
  const std::filesystem::path first = std::filesystem::weakly_canonical(one, failed);
  if (failed) return false;
  return first == std::filesystem::weakly_canonical(other, failed) && !failed;
}

Status WriteWhole(const std::string& path, const std::string& bytes, mode_t mode_if_new) {
  const Result<std::string> target = FollowedPath(path);
  if (!target) return target.error();
  const std::vector<std::string> missing = MissingFolders(*target);
  if (!missing.empty())
    return Refused(missing.front(), "does not exist", "create the directory first");
  struct stat facts {};
  if (::lstat(target->c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {
    return Refused(*target, "is not a regular file", "");
  }
  return Replace(*target, bytes, mode_if_new);
}

Status Transaction::Write(const std::string& path, const std::optional<std::string>& expected,
                          const std::string& bytes, NewFileModes modes) {
  Done& done = done_.emplace_back();
  done.path = path;
  done.before = expected;
  Status status = CheckUnchanged(path, expected);
  if (status) status = RefuseDangling(path);
  const bool is_unchanged = status.has_value();
  if (status) status = MakeFolders(MissingFolders(path), modes.folders, done.folders);
  if (status) status = Replace(path, bytes, modes.file);
  if (!is_unchanged) done_.pop_back();
  return status;
}

Status Transaction::Remove(const std::string& path, const std::optional<std::string>& expected) {
  if (Status s = CheckUnchanged(path, expected); !s) return s.error();
  if (!expected) return Unit{};
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return SystemError("stat(" + path + ")");
  if (::unlink(path.c_str()) != 0) return SystemError("unlink(" + path + ")");
  done_.push_back({path, expected, status.st_mode & 07777, {}});
  return Unit{};
}

Transaction::~Transaction() {
  for (; !done_.empty(); done_.pop_back()) {
    Done& done = done_.back();
    const Result<std::optional<std::string>> now = ReadIfThere(done.path);
    if (now && *now != done.before) {
      // The best that can be done while another error is on its way to the user.
      if (done.before) {
        (void)Replace(done.path, *done.before, done.mode).has_value();
      } else {
        ::unlink(done.path.c_str());
      }
    }
    for (; !done.folders.empty(); done.folders.pop_back()) ::rmdir(done.folders.back().c_str());
  }
}

}  // namespace ringfence
