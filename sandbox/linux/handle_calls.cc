#include "sandbox/linux/handle_calls.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "sandbox/linux/supervised_calls.h"

namespace ringfence {
namespace {

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
    return Times();
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
