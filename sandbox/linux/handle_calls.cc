#include <fcntl.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/syscall.h"
#include "sandbox/linux/proc_entry.h"
#include "sandbox/linux/supervised_calls.h"

namespace ringfence {
namespace {

// Opens one name of a chain of links. On entry, `link` says whether to follow the last link; on
// return, whether the name is a link that has yet to be followed.
int OpenStep(const SupervisedCaller& caller, const Location& at, Handle& handle, bool& link) {
  const bool follow = std::exchange(link, false);
  handle.path = at.path();
  if (const int code = EvaluateProcEntry(caller, handle.path)) return code;
  const UniqueFd& folder = FolderToChange(caller.supervision(), at);
  handle.fd = UniqueFd(::openat(folder.get(), at.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!handle.fd.valid()) return errno;
  struct stat facts {};
  if (::fstat(handle.fd.get(), &facts) != 0) return errno;
  if (!S_ISLNK(facts.st_mode)) {
    return at.must_be_folder && !S_ISDIR(facts.st_mode) ? ENOTDIR : 0;
  }
  if (!follow && !at.must_be_folder) return 0;
  link = !at.is_in_proc();
  if (link) return 0;
  if (Status s = Jump(caller, at).MoveTo(handle.fd); !s) return s.error().code;
  return 0;
}

constexpr std::string_view kAccessList = "system.posix_acl_access";

// Returns the owner's permissions in an access control list, as a mode. The list has a 32-bit
// version, then entries of a 16-bit tag, 16 bits of rights and a 32-bit id, little-endian
// (linux/posix_acl_xattr.h).
mode_t OwnersMode(std::string_view list) {
  constexpr size_t kHeader = 4;
  constexpr size_t kEntry = 8;
  constexpr char kOwner = 0x01;  // ACL_USER_OBJ
  for (size_t at = kHeader; at + kEntry <= list.size(); at += kEntry) {
    if (list[at] == kOwner && list[at + 1] == 0) return static_cast<mode_t>(list[at + 2] & 7) << 6;
  }
  return 0;
}

class HandleCall {
 public:
  explicit HandleCall(const CallArguments& arguments) : arguments_(arguments) {}

  CallResult Answer() {
    const int code = Carry();
    return {code, std::move(last_path_)};
  }

 private:
  int Carry() {
    using enum SupervisedCall;
    const SupervisedCall what = arguments_.what();
    if (what == kTruncate) return Truncate();
    if (what == kChmod) return Chmod();
    if (what == kFchmod) return Fchmod();
    if (what == kTimes || what == kMicroseconds || what == kSeconds) return Times();
    if (what == kOwner || what == kLowner || what == kFowner) return ChangeOwner();
    if (what == kXattr || what == kLxattr || what == kFxattr) return ChangeAttribute();
    return ENOSYS;  // answered elsewhere
  }

  int OpenPath(Handle& file, bool follow) const {
    const Result<std::string> text = arguments_.path();
    return text ? OpenHandle(caller_, {arguments_.fd(), *text, follow}, file) : text.error().code;
  }

  // Opens the file by its name, or by the descriptor if the name is empty (AT_EMPTY_PATH).
  int OpenNamed(Handle& file, int flags) {
    if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) != 0) return EINVAL;
    const Result<std::string> text = arguments_.path();
    if (!text) return text.error().code;
    if (text->empty() && (flags & AT_EMPTY_PATH) != 0) {
      if (Status s = caller_.Folder(arguments_.fd()).MoveTo(file.fd); !s) return s.error().code;
      return 0;
    }
    const bool follow = (flags & AT_SYMLINK_NOFOLLOW) == 0;
    const int code = OpenHandle(caller_, {arguments_.fd(), *text, follow}, file);
    last_path_ = file.path;
    return code;
  }

  // Takes the caller's descriptor; like the kernel, refuses one opened with O_PATH.
  int OpenDescriptor(Handle& file) const {
    if (Status s = caller_.Descriptor(arguments_.fd()).MoveTo(file.fd); !s) return s.error().code;
    return (::fcntl(file.fd.get(), F_GETFL) & O_PATH) != 0 ? EBADF : 0;
  }

  // Owners and times are not content: if there are mounts, the mount of a file decides if they may
  // change.
  int EvaluateWithoutMounts(Handle& file) {
    if (supervision_.modes_within.empty()) return UseOwnMount(supervision_, file);
    if (const int code = EvaluateHandle(supervision_, file, SandboxScope::kWhole)) return code;
    last_path_ = file.path;
    return EvaluateMode(supervision_, file, S_IRWXU);
  }

  int Truncate() {
    Handle file;
    if (const int code = OpenPath(file, true)) return code;
    last_path_ = file.path;
    if (const int code = EvaluateHandle(supervision_, file)) return code;
    struct stat facts {};
    if (::fstat(file.fd.get(), &facts) != 0) return errno;
    if (S_ISDIR(facts.st_mode)) return EISDIR;
    if (!S_ISREG(facts.st_mode)) return EINVAL;
    const UniqueFd writable = ReopenFile(supervision_, file.fd, O_WRONLY);
    if (!writable.valid()) return errno;
    const auto size = static_cast<off_t>(arguments_.raw_mode());
    return ::ftruncate(writable.get(), size) == 0 ? 0 : errno;
  }

  int Chmod() {
    Handle file;
    if (const int code = OpenNamed(file, arguments_.flags())) return code;
    if (const int code = EvaluateHandle(supervision_, file, SandboxScope::kWhole)) return code;
    if (const int code = EvaluateMode(supervision_, file, arguments_.mode())) return code;
    struct stat facts {};
    if (::fstat(file.fd.get(), &facts) != 0) return errno;
    if (S_ISLNK(facts.st_mode)) return EOPNOTSUPP;
    return SetMode(file);
  }

  int SetMode(const Handle& file) const {
    const std::string own_name = file.own_name();
    const mode_t mode = WithoutSetId(file, arguments_.mode());
    return ::fchmodat(supervision_.own_fds.get(), own_name.c_str(), mode, 0) == 0 ? 0 : errno;
  }

  int Fchmod() {
    Handle file;
    if (const int code = OpenDescriptor(file)) return code;
    if (const int code = EvaluateHandle(supervision_, file, SandboxScope::kWhole)) return code;
    if (const int code = EvaluateMode(supervision_, file, arguments_.mode())) return code;
    last_path_ = file.path;
    return SetMode(file);
  }

  struct FileTimes {
    bool are_now = false;
    std::array<timespec, 2> given{};
  };

  // Reads timespec of utimensat(2), timeval of utimes(2) or whole seconds of utime(2).
  Result<FileTimes> ReadTimes() const {
    FileTimes times;
    const uint64_t address = arguments_.raw_mode();
    times.are_now = address == 0;
    if (times.are_now) return times;
    const bool is_utime = arguments_.what() == SupervisedCall::kSeconds;
    const bool is_micro = arguments_.what() == SupervisedCall::kMicroseconds;
    const size_t each = is_utime ? sizeof(int64_t) : 2 * sizeof(int64_t);
    const Result<std::string> bytes = caller_.ReadBytes(address, 2 * each);
    if (!bytes) return bytes.error();
    for (size_t i = 0; i < times.given.size(); ++i) {
      std::array<int64_t, 2> parts{};
      std::memcpy(parts.data(), bytes->data() + i * each, each);
      if (is_micro && (parts[1] < 0 || parts[1] >= 1'000'000)) return Errno(EINVAL);
      times.given[i].tv_sec = parts[0];
      times.given[i].tv_nsec = is_micro ? parts[1] * 1000 : parts[1];
    }
    return times;
  }

  int Times() {
    const Result<FileTimes> times = ReadTimes();
    if (!times) return times.error().code;
    Handle file;
    const bool by_descriptor = arguments_.path_address() == 0;
    if (by_descriptor && arguments_.flags() != 0) return EINVAL;
    const int code = by_descriptor ? OpenDescriptor(file) : OpenNamed(file, arguments_.flags());
    if (code != 0) return code;
    if (const int refused = EvaluateWithoutMounts(file)) return refused;
    const std::string own_name = file.own_name();
    const timespec* wanted = times->are_now ? nullptr : times->given.data();
    return ::utimensat(supervision_.own_fds.get(), own_name.c_str(), wanted, 0) == 0 ? 0 : errno;
  }

  int ChangeOwner() {
    Handle file;
    const bool by_descriptor = arguments_.what() == SupervisedCall::kFowner;
    const bool is_link = arguments_.what() == SupervisedCall::kLowner;
    const int flags = is_link ? AT_SYMLINK_NOFOLLOW : arguments_.flags();
    if (const int code = by_descriptor ? OpenDescriptor(file) : OpenNamed(file, flags)) return code;
    if (const int code = EvaluateWithoutMounts(file)) return code;
    const auto owner = static_cast<uid_t>(arguments_.raw_mode());
    const auto group = static_cast<gid_t>(arguments_.after_mode());
    const std::string own_name = file.own_name();
    if (::fchownat(supervision_.own_fds.get(), own_name.c_str(), owner, group, 0) == 0) return 0;
    // Outside a sandbox, an id that is unmapped here is refused like any other user's.
    return errno == EINVAL ? EPERM : errno;
  }

  struct Attribute {
    std::string name, value;
  };

  bool IsRemoval() const { return !arguments_.has_flags(); }

  Result<Attribute> ReadAttribute() const {
    if ((arguments_.flags() & ~(XATTR_CREATE | XATTR_REPLACE)) != 0) return Errno(EINVAL);
    Result<std::string> name = arguments_.path2();
    if (!name) return name.error();
    if (name->empty() || name->size() > XATTR_NAME_MAX) return Errno(ERANGE);
    if (IsRemoval()) return Attribute{std::move(*name), ""};
    const uint64_t size = caller_.argument(3);
    if (size > XATTR_SIZE_MAX) return Errno(E2BIG);
    if (size == 0) return Attribute{std::move(*name), ""};
    Result<std::string> value = caller_.ReadBytes(arguments_.raw_mode(), size);
    if (!value) return value.error();
    return Attribute{std::move(*name), std::move(*value)};
  }

  int OpenForAttribute(Handle& file) const {
    if (arguments_.what() == SupervisedCall::kFxattr) return OpenDescriptor(file);
    return OpenPath(file, arguments_.what() == SupervisedCall::kXattr);
  }

  int ChangeAttribute() {
    const Result<Attribute> attribute = ReadAttribute();
    if (!attribute) return attribute.error().code;
    const auto& [name, value] = *attribute;
    Handle file;
    if (const int code = OpenForAttribute(file)) return code;
    last_path_ = file.path;
    if (const int code = EvaluateHandle(supervision_, file, SandboxScope::kWhole)) return code;
    const bool is_list = name == kAccessList && !IsRemoval();
    // Other attributes leave the owner's permissions unchanged.
    const mode_t mode = is_list ? OwnersMode(value) : S_IRWXU;
    if (const int code = EvaluateMode(supervision_, file, mode)) return code;
    // Changes the current directory, since setxattrat(2) exists only from Linux 6.13 on.
    if (::fchdir(supervision_.own_fds.get()) != 0) return errno;
    const std::string own_name = file.own_name();
    const int done = IsRemoval() ? ::removexattr(own_name.c_str(), name.c_str())
                                 : ::setxattr(own_name.c_str(), name.c_str(), value.data(),
                                              value.size(), arguments_.flags());
    const int code = done == 0 ? 0 : errno;
    return ::fchdir(supervision_.root.get()) == 0 ? code : errno;
  }

  const CallArguments& arguments_;
  const SupervisedCaller& caller_ = arguments_.caller();
  Supervision& supervision_ = caller_.supervision();
  std::string last_path_;
};

}  // namespace

int OpenHandle(const SupervisedCaller& caller, const NameText& name, Handle& handle) {
  return FollowLinks(caller, name.fd, name.text, [&](const Location& at, bool& is_link) {
    is_link = name.follow;
    const int code = OpenStep(caller, at, handle, is_link);
    return caller.IsWaiting() ? code : ESRCH;
  });
}

CallResult AnswerHandleCall(const CallArguments& arguments) {
  return HandleCall(arguments).Answer();
}

}  // namespace ringfence
