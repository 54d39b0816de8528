#include "sandbox/linux/handle_calls.h"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "sandbox/linux/supervised_calls.h"

namespace ringfence {
namespace {

constexpr std::string_view kAccessList = "system.posix_acl_access";

// What the owner may do by an access control list, as a mode: a 32-bit version, then entries of 16
// bits tag, 16 bits rights and a 32-bit id, least byte first (linux/posix_acl_xattr.h).
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
  HandleCall(const SupervisedCaller& caller, const CallArguments& arguments,
             Supervision& supervision)
      : caller_(caller), arguments_(arguments), supervision_(supervision) {}

  CallResult Answer() {
    const int code = Carry();
    return {code, std::move(last_path_)};
  }

 private:
  int Carry() {
    const SupervisedCall what = arguments_.what();
    if (what == SupervisedCall::kTruncate) return Truncate();
    if (what == SupervisedCall::kChmod) return Chmod();
    if (what == SupervisedCall::kFchmod) return Fchmod();
    if (what == SupervisedCall::kTimes) return Times();
    return ChangeAttribute();
  }

  int Truncate() {
    const Got<std::string> text = arguments_.path();
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
    const auto size = static_cast<off_t>(arguments_.raw_mode());
    return ::ftruncate(writable.get(), size) == 0 ? 0 : errno;
  }

  int Chmod() {
    const Got<std::string> text = arguments_.path();
    if (!text.ok()) return text.code;
    if ((arguments_.flags() & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) != 0) return EINVAL;
    Handle file;
    if (text.value.empty() && (arguments_.flags() & AT_EMPTY_PATH) != 0) {
      Got<UniqueFd> own = caller_.Folder(arguments_.fd());
      if (!own.ok()) return own.code;
      file.fd = std::move(own.value);
    } else {
      const bool follow = (arguments_.flags() & AT_SYMLINK_NOFOLLOW) == 0;
      const int code =
          OpenHandle(caller_, supervision_, {arguments_.fd(), text.value, follow}, file);
      if (code != 0) return code;
    }
    last_path_ = file.path;
    if (const int code = JudgeHandle(supervision_, file, Reach::kWhole)) return code;
    if (const int code = JudgeMode(supervision_, file, arguments_.mode())) return code;
    struct stat facts {};
    if (::fstat(file.fd.get(), &facts) != 0) return errno;
    if (S_ISLNK(facts.st_mode)) return EOPNOTSUPP;
    const std::string own_name = std::to_string(file.fd.get());
    return ::fchmodat(supervision_.own_fds.get(), own_name.c_str(), arguments_.mode(), 0) == 0
               ? 0
               : errno;
  }

  int Fchmod() {
    Handle file;
    Got<UniqueFd> own = caller_.Descriptor(arguments_.fd());
    if (!own.ok()) return own.code;
    file.fd = std::move(own.value);
    if (const int code = JudgeHandle(supervision_, file, Reach::kWhole)) return code;
    if (const int code = JudgeMode(supervision_, file, arguments_.mode())) return code;
    last_path_ = file.path;
    return ::fchmod(file.fd.get(), arguments_.mode()) == 0 ? 0 : errno;
  }

  // Times are no content: where a file is not to be written, its mount says so.
  int Times() {
    const Got<std::string> text = arguments_.path();
    if (!text.ok()) return text.code;
    if ((arguments_.flags() & ~AT_SYMLINK_NOFOLLOW) != 0) return EINVAL;
    std::array<timespec, 2> times{};
    const uint64_t address = arguments_.raw_mode();
    if (address != 0) {
      const Got<std::string> bytes = caller_.ReadBytes(address, sizeof times);
      if (!bytes.ok()) return bytes.code;
      std::memcpy(times.data(), bytes.value.data(), sizeof times);
    }
    Handle file;
    const bool follow = (arguments_.flags() & AT_SYMLINK_NOFOLLOW) == 0;
    const int code = OpenHandle(caller_, supervision_, {arguments_.fd(), text.value, follow}, file);
    if (code != 0) return code;
    last_path_ = file.path;
    const std::string own_name = std::to_string(file.fd.get());
    const timespec* wanted = address == 0 ? nullptr : times.data();
    return ::utimensat(supervision_.own_fds.get(), own_name.c_str(), wanted, 0) == 0 ? 0 : errno;
  }

  struct Attribute {
    std::string name, value;
  };

  bool IsRemoval() const { return !arguments_.has_flags(); }

  Got<Attribute> ReadAttribute() const {
    if ((arguments_.flags() & ~(XATTR_CREATE | XATTR_REPLACE)) != 0) return {{}, EINVAL};
    Got<std::string> name = arguments_.path2();
    if (!name.ok()) return {{}, name.code};
    if (name.value.empty() || name.value.size() > XATTR_NAME_MAX) return {{}, ERANGE};
    if (IsRemoval()) return {{std::move(name.value), ""}, 0};
    const uint64_t size = caller_.argument(3);
    if (size > XATTR_SIZE_MAX) return {{}, E2BIG};
    if (size == 0) return {{std::move(name.value), ""}, 0};
    Got<std::string> value = caller_.ReadBytes(arguments_.raw_mode(), size);
    return {{std::move(name.value), std::move(value.value)}, value.code};
  }

  int OpenForAttribute(Handle& file) const {
    if (arguments_.what() == SupervisedCall::kFxattr) {
      Got<UniqueFd> own = caller_.Descriptor(arguments_.fd());
      if (!own.ok()) return own.code;
      file.fd = std::move(own.value);
      // As the kernel has it for a descriptor that cannot be read or written.
      return (::fcntl(file.fd.get(), F_GETFL) & O_PATH) != 0 ? EBADF : 0;
    }
    const Got<std::string> text = arguments_.path();
    if (!text.ok()) return text.code;
    const bool follow = arguments_.what() == SupervisedCall::kXattr;
    return OpenHandle(caller_, supervision_, {AT_FDCWD, text.value, follow}, file);
  }

  int ChangeAttribute() {
    const Got<Attribute> attribute = ReadAttribute();
    if (!attribute.ok()) return attribute.code;
    const auto& [name, value] = attribute.value;
    Handle file;
    if (const int code = OpenForAttribute(file)) return code;
    last_path_ = file.path;
    if (const int code = JudgeHandle(supervision_, file, Reach::kWhole)) return code;
    const bool is_list = name == kAccessList && !IsRemoval();
    const mode_t mode = is_list ? OwnersMode(value) : S_IRWXU;  // the owner's stays
    if (const int code = JudgeMode(supervision_, file, mode)) return code;
    // setxattrat(2) came with Linux 6.13.
    if (::fchdir(supervision_.own_fds.get()) != 0) return errno;
    const std::string own_name = std::to_string(file.fd.get());
    const int done = IsRemoval() ? ::removexattr(own_name.c_str(), name.c_str())
                                 : ::setxattr(own_name.c_str(), name.c_str(), value.data(),
                                              value.size(), arguments_.flags());
    const int code = done == 0 ? 0 : errno;
    return ::fchdir(supervision_.root.get()) == 0 ? code : errno;
  }

  const SupervisedCaller& caller_;
  const CallArguments& arguments_;
  Supervision& supervision_;
  std::string last_path_;
};

}  // namespace

CallResult AnswerHandleCall(const SupervisedCaller& caller, const CallArguments& arguments,
                            Supervision& supervision) {
  return HandleCall(caller, arguments, supervision).Answer();
}

}  // namespace ringfence
