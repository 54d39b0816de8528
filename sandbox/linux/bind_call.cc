#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sandbox/linux/supervised_calls.h"

namespace ringfence {
namespace {

int BindAs(const UniqueFd& socket, const void* address, socklen_t size) {
  return ::bind(socket.get(), static_cast<const sockaddr*>(address), size) == 0 ? 0 : errno;
}

struct SocketName {
  const Location& at;
  bool by_path;
};

// Binds to the name that getsockname(2) reports afterwards and that programs pass on to their
// clients: the whole path, unless the caller named a file in its current directory. A path that is
// too long for a socket address is bound from its directory. The path has no links, and no process
// in this sandbox can create any until this call is answered.
int BindName(const SupervisedCaller& caller, const UniqueFd& socket, const SocketName& wanted) {
  const Location& at = wanted.at;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::string name = wanted.by_path ? at.path() : at.name;
  if (name.size() >= sizeof address.sun_path) name = at.name;
  if (name.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (::fchdir(at.folder.get()) != 0) return errno;
  int code = 0;
  {
    const CallersMask mask(caller);
    code = BindAs(socket, &address, sizeof address);
  }
  return ::fchdir(caller.supervision().root.get()) == 0 ? code : errno;
}

// True if the socket is at `at`. While bind(2) resolved the path, another sandbox can have replaced
// a directory with a link; a socket created elsewhere is removed.
bool IsSocketAt(const Location& at) {
  struct stat facts {};
  const bool is_there =
      ::fstatat(at.folder.get(), at.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
  if (is_there && S_ISSOCK(facts.st_mode)) return true;
  struct stat elsewhere {};
  const bool is_socket = ::lstat(at.path().c_str(), &elsewhere) == 0 && S_ISSOCK(elsewhere.st_mode);
  if (is_socket) ::unlink(at.path().c_str());
  return false;
}

}  // namespace

CallResult AnswerBind(const CallArguments& arguments) {
  const SupervisedCaller& caller = arguments.caller();
  Supervision& supervision = caller.supervision();
  const uint64_t size = arguments.raw_flags() & 0xFFFFFFFF;
  if (size > sizeof(sockaddr_storage)) return {EINVAL, ""};
  const Result<std::string> bytes = caller.ReadBytes(arguments.path_address(), size);
  if (!bytes) return {bytes.error().code, ""};
  const Result<UniqueFd> socket = caller.Descriptor(arguments.fd());
  if (!socket) return {socket.error().code, ""};
  sockaddr_storage address{};
  std::memcpy(&address, bytes->data(), size);
  constexpr size_t kPathAt = offsetof(sockaddr_un, sun_path);
  const bool by_path = address.ss_family == AF_UNIX && size > kPathAt && (*bytes)[kPathAt] != 0;
  if (!by_path) return {BindAs(*socket, &address, static_cast<socklen_t>(size)), ""};
  std::string text = bytes->substr(kPathAt);
  text.resize(std::min(text.size(), text.find('\0')));
  const Result<Location> at = Locate(caller, AT_FDCWD, text);
  if (!at) return {at.error().code, ""};
  int code = EvaluateName(supervision, *at, SandboxScope::kName);
  if (code != 0) return {code, at->path()};
  const bool names_folder = text.find('/') != std::string::npos;
  code = BindName(caller, *socket, {*at, names_folder});
  if (code == 0) {
    code = EvaluateMade(supervision, *at, SandboxScope::kName);
    if (code == 0 && !IsSocketAt(*at)) code = EACCES;
    if (code != 0) ::unlinkat(at->folder.get(), at->name.c_str(), 0);
  }
  return {code, at->path()};
}

}  // namespace ringfence
