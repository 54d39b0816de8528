// AnswerCall(): each supervised call, carried out in place of the caller.
#include "sandbox/linux/supervised_calls.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/case_fold.h"
#include "base/inside.h"
#include "sandbox/linux/git_names.h"
#include "sandbox/linux/kernel_abi.h"
#include "sandbox/linux/location.h"
#include "sandbox/linux/nested_rules.h"
#include "sandbox/linux/open_call.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {
namespace {

// Which argument of a call is what. The calls without "at" have no descriptors; not every
// architecture has them.
enum class What : uint8_t {
  kOpen,
  kMkdir,
  kMknod,
  kSymlink,
  kLink,
  kRename,
  kUnlink,
  kRmdir,
  kTruncate,
  kChmod,
  kFchmod,
  kBind,
  kTimes,
};
struct Shape {
  int number;
  What what;
  int8_t fd, path, fd2, path2, flags, mode;  // indices; -1: the call has none
};
constexpr Shape kShapes[] = {
#ifdef SYS_open
    {SYS_open, What::kOpen, -1, 0, -1, -1, 1, 2},
    {SYS_creat, What::kOpen, -1, 0, -1, -1, -1, 1},
    {SYS_mkdir, What::kMkdir, -1, 0, -1, -1, -1, 1},
    {SYS_mknod, What::kMknod, -1, 0, -1, -1, 2, 1},
    {SYS_symlink, What::kSymlink, -1, 0, -1, 1, -1, -1},
    {SYS_link, What::kLink, -1, 0, -1, 1, -1, -1},
    {SYS_rename, What::kRename, -1, 0, -1, 1, -1, -1},
    {SYS_unlink, What::kUnlink, -1, 0, -1, -1, -1, -1},
    {SYS_rmdir, What::kRmdir, -1, 0, -1, -1, -1, -1},
    {SYS_chmod, What::kChmod, -1, 0, -1, -1, -1, 1},
#endif
#ifdef SYS_renameat
    {SYS_renameat, What::kRename, 0, 1, 2, 3, -1, -1},
#endif
    {SYS_openat, What::kOpen, 0, 1, -1, -1, 2, 3},
    {SYS_mkdirat, What::kMkdir, 0, 1, -1, -1, -1, 2},
    {SYS_mknodat, What::kMknod, 0, 1, -1, -1, 3, 2},
    {SYS_symlinkat, What::kSymlink, -1, 0, 1, 2, -1, -1},
    {SYS_linkat, What::kLink, 0, 1, 2, 3, 4, -1},
    {SYS_renameat2, What::kRename, 0, 1, 2, 3, 4, -1},
    {SYS_unlinkat, What::kUnlink, 0, 1, -1, -1, 2, -1},
    {SYS_truncate, What::kTruncate, -1, 0, -1, -1, -1, 1},
    {SYS_fchmodat, What::kChmod, 0, 1, -1, -1, -1, 2},
    {kFchmodat2, What::kChmod, 0, 1, -1, -1, 3, 2},
    {SYS_fchmod, What::kFchmod, 0, -1, -1, -1, -1, 1},
    {SYS_bind, What::kBind, 0, 1, -1, -1, 2, -1},
    {SYS_utimensat, What::kTimes, 0, 1, -1, -1, 3, 2},
};

const Shape* ShapeOf(int number) {
  const auto* found = std::ranges::find(kShapes, number, &Shape::number);
  return found == std::end(kShapes) ? nullptr : found;
}

class Call {
 public:
  Call(const SupervisedCaller& caller, const seccomp_notif& notification, Supervision& supervision,
       const Shape& shape)
      : caller_(caller), notification_(notification), supervision_(supervision), shape_(shape) {}

  void Answer() {
    switch (shape_.what) {
      case What::kOpen:
        return Open();
      case What::kMkdir:
        return Return(Mkdir());
      case What::kMknod:
        return Return(Mknod());
      case What::kSymlink:
        return Return(Symlink());
      case What::kLink:
        return Return(Link());
      case What::kRename:
        return Return(Rename());
      case What::kUnlink:
      case What::kRmdir:
        return Return(Unlink());
      case What::kTruncate:
        return Return(Truncate());
      case What::kChmod:
        return Return(Chmod());
      case What::kFchmod:
        return Return(Fchmod());
      case What::kBind:
        return Return(Bind());
      case What::kTimes:
        return Return(Times());
    }
  }

 private:
  // 0 or an errno value.
  void Return(int code) {
    if (code == 0) return caller_.ReturnValue(0);
    if (code == EROFS || code == EACCES) Report(supervision_, last_path_, nullptr, code);
    caller_.ReturnError(code);
  }

  int Fd(int8_t index) const { return index < 0 ? AT_FDCWD : caller_.IntArgument(index); }
  int Flags() const { return shape_.flags < 0 ? 0 : caller_.IntArgument(shape_.flags); }
  mode_t Mode() const { return static_cast<mode_t>(caller_.argument(shape_.mode)) & 07777; }

  Got<std::string> Text(int8_t index) const { return caller_.ReadPath(caller_.argument(index)); }

  Got<Location> Find(int8_t fd, int8_t path) {
    const Got<std::string> text = Text(path);
    if (!text.ok()) return {{}, text.code};
    Got<Location> location = Locate(caller_, supervision_, Fd(fd), text.value);
    if (location.ok()) last_path_ = location.value.path();
    if (location.ok() && !caller_.IsWaiting()) return {{}, ESRCH};
    return location;
  }

  int Judge(const Location& location, Reach reach) {
    return JudgeName(supervision_, location, reach);
  }

  // A mode that the call itself does not cut by the supervisor's own mask.
  mode_t MaskedMode() const { return Mode() & ~caller_.Umask(); }

  void Open() {
    OpenRequest request;
    request.flags = shape_.flags < 0 ? O_CREAT | O_WRONLY | O_TRUNC : Flags();
    request.mode = Mode();
    const Got<std::string> text = Text(shape_.path);
    if (!text.ok()) return caller_.ReturnError(text.code);
    request.text = text.value;
    request.fd = Fd(shape_.fd);
    AnswerOpen(caller_, notification_, supervision_, std::move(request));
  }

  // After a call that makes anything but a folder.
  int Made(long result, const Location& location) {
    if (result != 0) return errno;
    NoteGitFile(supervision_, location);
    return 0;
  }

  int Mkdir() {
    const Got<Location> at = Find(shape_.fd, shape_.path);
    if (!at.ok()) return at.code;
    if (const int code = Judge(at.value, Reach::kFolder)) return code;
    const UniqueFd& folder = FolderToChange(supervision_, at.value);
    if (::mkdirat(folder.get(), at.value.name.c_str(), MaskedMode()) != 0) return errno;
    NoteRepository(supervision_, at.value);
    return 0;
  }

  int Mknod() {
    const Got<Location> at = Find(shape_.fd, shape_.path);
    if (!at.ok()) return at.code;
    if (const int code = Judge(at.value, Reach::kName)) return code;
    const mode_t type = static_cast<mode_t>(caller_.argument(shape_.mode)) & S_IFMT;
    const auto device = static_cast<dev_t>(caller_.argument(shape_.flags));
    const int made =
        ::mknodat(at.value.folder.get(), at.value.name.c_str(), type | MaskedMode(), device);
    return Made(made, at.value);
  }

  int Symlink() {
    const Got<std::string> target = Text(shape_.path);
    if (!target.ok()) return target.code;
    const Got<Location> at = Find(shape_.fd2, shape_.path2);
    if (!at.ok()) return at.code;
    if (const int code = Judge(at.value, Reach::kTree)) return code;
    return Made(::symlinkat(target.value.c_str(), at.value.folder.get(), at.value.name.c_str()),
                at.value);
  }

  // Both names are judged: the new one would change what the old one is not to be changed by.
  int Link() {
    const Got<std::string> old_text = Text(shape_.path);
    if (!old_text.ok()) return old_text.code;
    Handle old_file;
    if (old_text.value.empty() && (Flags() & AT_EMPTY_PATH) != 0) {
      Got<UniqueFd> own = caller_.Descriptor(Fd(shape_.fd));
      if (!own.ok()) return own.code;
      const Got<std::string> name = Text(shape_.path2);
      if (name.ok() && name.value == kRulesName) return TakeRules(caller_, supervision_, own.value);
      old_file.fd = std::move(own.value);
    } else {
      const bool follow = (Flags() & AT_SYMLINK_FOLLOW) != 0;
      const int code =
          OpenHandle(caller_, supervision_, {Fd(shape_.fd), old_text.value, follow}, old_file);
      if (code != 0) return code;
    }
    if (const int code = JudgeHandle(supervision_, old_file)) return code;
    const Got<Location> at = Find(shape_.fd2, shape_.path2);
    if (!at.ok()) return at.code;
    if (const int code = Judge(at.value, Reach::kName)) return code;
    const std::string own_name = std::to_string(old_file.fd.get());
    return Made(::linkat(supervision_.own_fds.get(), own_name.c_str(),
                         FolderToChange(supervision_, at.value).get(), at.value.name.c_str(),
                         AT_SYMLINK_FOLLOW),
                at.value);
  }

  int Rename() {
    const Got<Location> from = Find(shape_.fd, shape_.path);
    if (!from.ok()) return from.code;
    const Got<Location> to = Find(shape_.fd2, shape_.path2);
    if (!to.ok()) return to.code;
    const bool exchange = (Flags() & kRenameExchange) != 0;
    if (const int code = JudgeMove(from.value, to.value)) return code;
    if (exchange) {
      if (const int code = JudgeMove(to.value, from.value)) return code;
    }
    // A trailing slash says that the name is a folder's; the kernel checks it.
    const std::string from_name = from.value.name + (from.value.must_be_folder ? "/" : "");
    const std::string to_name = to.value.name + (to.value.must_be_folder ? "/" : "");
    const UniqueFd& from_folder = FolderToChange(supervision_, from.value);
    const UniqueFd& to_folder = FolderToChange(supervision_, to.value);
    const long moved = ::syscall(SYS_renameat2, from_folder.get(), from_name.c_str(),
                                 to_folder.get(), to_name.c_str(), Flags());
    return Made(moved, to.value);
  }

  // A plain file has one name; a folder or a link brings all that is below it.
  int JudgeMove(const Location& from, const Location& to) {
    struct stat facts {};
    if (::fstatat(from.folder.get(), from.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      return errno;
    }
    const bool has_below = S_ISDIR(facts.st_mode) || S_ISLNK(facts.st_mode);
    if (!has_below) {
      if (const int code = Judge(from, Reach::kName)) return code;
      return Judge(to, Reach::kName);
    }
    if (const int code = JudgeTree(supervision_, from, from)) return code;
    return JudgeTree(supervision_, to, from);
  }

  int Unlink() {
    const Got<Location> at = Find(shape_.fd, shape_.path);
    if (!at.ok()) return at.code;
    const bool is_folder = shape_.what == What::kRmdir || (Flags() & AT_REMOVEDIR) != 0;
    if (const int code = Judge(at.value, is_folder ? Reach::kFolder : Reach::kName)) return code;
    const std::string name = at.value.name + (at.value.must_be_folder && !is_folder ? "/" : "");
    const int unknown = Flags() & ~AT_REMOVEDIR;
    if (unknown != 0) return EINVAL;
    const UniqueFd& folder = FolderToChange(supervision_, at.value);
    return ::unlinkat(folder.get(), name.c_str(), is_folder ? AT_REMOVEDIR : 0) == 0 ? 0 : errno;
  }

  int Truncate() {
    const Got<std::string> text = Text(shape_.path);
    if (!text.ok()) return text.code;
    Handle file;
    if (const int code = OpenHandle(caller_, supervision_, {AT_FDCWD, text.value, true}, file)) {
      return code;
    }
    last_path_ = file.path;
    if (const int code = JudgeHandle(supervision_, file)) return code;
    struct stat facts {};
    if (::fstat(file.fd.get(), &facts) != 0) return errno;
    if (S_ISDIR(facts.st_mode)) return EISDIR;
    if (!S_ISREG(facts.st_mode)) return EINVAL;
    const std::string own_name = std::to_string(file.fd.get());
    const UniqueFd writable(
        ::openat(supervision_.own_fds.get(), own_name.c_str(), O_WRONLY | O_CLOEXEC));
    if (!writable.valid()) return errno;
    const auto size = static_cast<off_t>(caller_.argument(shape_.mode));
    return ::ftruncate(writable.get(), size) == 0 ? 0 : errno;
  }

  int Chmod() {
    const Got<std::string> text = Text(shape_.path);
    if (!text.ok()) return text.code;
    if ((Flags() & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) != 0) return EINVAL;
    Handle file;
    if (text.value.empty() && (Flags() & AT_EMPTY_PATH) != 0) {
      Got<UniqueFd> own = caller_.Folder(Fd(shape_.fd));
      if (!own.ok()) return own.code;
      file.fd = std::move(own.value);
    } else {
      const bool follow = (Flags() & AT_SYMLINK_NOFOLLOW) == 0;
      const int code = OpenHandle(caller_, supervision_, {Fd(shape_.fd), text.value, follow}, file);
      if (code != 0) return code;
    }
    last_path_ = file.path;
    if (const int code = JudgeHandle(supervision_, file)) return code;
    struct stat facts {};
    if (::fstat(file.fd.get(), &facts) != 0) return errno;
    if (S_ISLNK(facts.st_mode)) return EOPNOTSUPP;
    const std::string own_name = std::to_string(file.fd.get());
    return ::fchmodat(supervision_.own_fds.get(), own_name.c_str(), Mode(), 0) == 0 ? 0 : errno;
  }

  int Fchmod() {
    Handle file;
    Got<UniqueFd> own = caller_.Descriptor(caller_.IntArgument(shape_.fd));
    if (!own.ok()) return own.code;
    file.fd = std::move(own.value);
    if (const int code = JudgeHandle(supervision_, file)) return code;
    last_path_ = file.path;
    return ::fchmod(file.fd.get(), Mode()) == 0 ? 0 : errno;
  }

  // A Unix socket by path makes a name; every other address is bound as it is.
  int Bind() {
    const uint64_t size = caller_.argument(shape_.flags) & 0xFFFFFFFF;
    if (size > sizeof(sockaddr_storage)) return EINVAL;
    const Got<std::string> bytes = caller_.ReadBytes(caller_.argument(shape_.path), size);
    if (!bytes.ok()) return bytes.code;
    const Got<UniqueFd> socket = caller_.Descriptor(caller_.IntArgument(shape_.fd));
    if (!socket.ok()) return socket.code;
    sockaddr_storage address{};
    std::memcpy(&address, bytes.value.data(), size);
    constexpr size_t kPathAt = offsetof(sockaddr_un, sun_path);
    const bool by_path =
        address.ss_family == AF_UNIX && size > kPathAt && bytes.value[kPathAt] != 0;
    if (!by_path) return BindAs(socket.value, address, static_cast<socklen_t>(size));
    std::string text = bytes.value.substr(kPathAt);
    text.resize(std::min(text.size(), text.find('\0')));
    const Got<Location> at = Locate(caller_, supervision_, AT_FDCWD, text);
    if (!at.ok()) return at.code;
    last_path_ = at.value.path();
    if (const int code = Judge(at.value, Reach::kName)) return code;
    return BindName(socket.value, at.value);
  }

  // Times are no content: where a file is not to be written, its mount says so.
  int Times() {
    const Got<std::string> text = Text(shape_.path);
    if (!text.ok()) return text.code;
    if ((Flags() & ~AT_SYMLINK_NOFOLLOW) != 0) return EINVAL;
    std::array<timespec, 2> times{};
    const uint64_t address = caller_.argument(shape_.mode);
    if (address != 0) {
      const Got<std::string> bytes = caller_.ReadBytes(address, sizeof times);
      if (!bytes.ok()) return bytes.code;
      std::memcpy(times.data(), bytes.value.data(), sizeof times);
    }
    Handle file;
    const bool follow = (Flags() & AT_SYMLINK_NOFOLLOW) == 0;
    const int code = OpenHandle(caller_, supervision_, {Fd(shape_.fd), text.value, follow}, file);
    if (code != 0) return code;
    last_path_ = file.path;
    const std::string own_name = std::to_string(file.fd.get());
    const timespec* wanted = address == 0 ? nullptr : times.data();
    return ::utimensat(supervision_.own_fds.get(), own_name.c_str(), wanted, 0) == 0 ? 0 : errno;
  }

  static int BindAs(const UniqueFd& socket, const sockaddr_storage& address, socklen_t size) {
    sockaddr generic{};
    static_assert(sizeof generic <= sizeof address);
    const void* bytes = &address;
    return ::bind(socket.get(), static_cast<const sockaddr*>(bytes), size) == 0 ? 0 : errno;
  }

  // From within the folder, since a socket's address is short.
  int BindName(const UniqueFd& socket, const Location& at) const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (at.name.size() >= sizeof address.sun_path) return ENAMETOOLONG;
    std::memcpy(address.sun_path, at.name.data(), at.name.size());
    if (::fchdir(at.folder.get()) != 0) return errno;
    const mode_t own = ::umask(caller_.Umask());
    const void* bytes = &address;
    const int code =
        ::bind(socket.get(), static_cast<const sockaddr*>(bytes), sizeof address) == 0 ? 0 : errno;
    ::umask(own);
    return ::fchdir(supervision_.root.get()) == 0 ? code : errno;
  }

  static constexpr int kRenameExchange = 2;  // RENAME_EXCHANGE (linux/fs.h)

  const SupervisedCaller& caller_;
  const seccomp_notif& notification_;
  Supervision& supervision_;
  const Shape& shape_;
  std::string last_path_;
};

}  // namespace

void AnswerCall(const SupervisedCaller& caller, const seccomp_notif& call,
                Supervision& supervision) {
  const Shape* shape = ShapeOf(call.data.nr);
  if (shape == nullptr) return caller.ReturnError(ENOSYS);
  if (const int code = FindRules(caller, supervision)) return caller.ReturnError(code);
  Call(caller, call, supervision, *shape).Answer();
}

}  // namespace ringfence
