// The calls that the supervisor carries out, and the meaning of their arguments.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "sandbox/linux/caller.h"

namespace ringfence {

enum class SupervisedCall : uint8_t {
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
  kConnect,
  kTimes,         // as timespec
  kMicroseconds,  // as timeval
  kSeconds,       // as utimbuf
  kXattr,
  kLxattr,
  kFxattr,
  kOwner,
  kLowner,
  kFowner,
  kSignal,
};

// Argument indices; -1 if the call has no such argument. Calls without "at" have no descriptors.
// For extended attributes, `path2` is the name and `mode` the value; a call without flags removes
// the attribute. `mode` is also the owner, with the group after it, or the times.
struct CallShape {
  int number;
  SupervisedCall what;
  int8_t fd, path, fd2, path2, flags, mode;
};

// Returns nullptr for a call that is not supervised.
const CallShape* ShapeOf(int number);

// The arguments of one call, by their meaning.
class CallArguments {
 public:
  CallArguments(const SupervisedCaller& caller, const CallShape& shape)
      : caller_(caller), shape_(shape) {}

  const SupervisedCaller& caller() const { return caller_; }
  SupervisedCall what() const { return shape_.what; }
  int fd() const { return Fd(shape_.fd); }
  int fd2() const { return Fd(shape_.fd2); }
  bool has_flags() const { return shape_.flags >= 0; }
  int flags() const { return has_flags() ? caller_.IntArgument(shape_.flags) : 0; }
  mode_t mode() const { return static_cast<mode_t>(caller_.argument(shape_.mode)) & 07777; }
  // The paths, as currently in the caller's memory.
  Result<std::string> path() const { return caller_.ReadPath(path_address()); }
  Result<std::string> path2() const { return caller_.ReadPath(caller_.argument(shape_.path2)); }
  // True if the caller's memory cannot be read: the kernel protects that of an unreadable program.
  bool is_out_of_reach() const {
    if (shape_.path < 0) return false;
    const Result<std::string> text = path();
    return !text && text.error().code == EPERM;
  }
  uint64_t path_address() const { return caller_.argument(shape_.path); }
  // Unconverted: a device of mknod(2), a size, an address.
  uint64_t raw_flags() const { return caller_.argument(shape_.flags); }
  uint64_t raw_mode() const { return caller_.argument(shape_.mode); }
  uint64_t after_mode() const { return caller_.argument(shape_.mode + 1); }

 private:
  int Fd(int8_t index) const { return index < 0 ? AT_FDCWD : caller_.IntArgument(index); }

  const SupervisedCaller& caller_;
  const CallShape& shape_;
};

struct CallResult {
  static constexpr int kAnswered = -1;
  int code = 0;      // an errno value; kAnswered if the caller has its answer, or gets it later
  std::string path;  // the path concerned, if known
};

}  // namespace ringfence
