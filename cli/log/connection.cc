#include "cli/log/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/process.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

bool ParseAddress(const std::string& text, uint16_t port, Address* address) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  if (::inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1) {
    address->size = sizeof four;
    std::memcpy(&address->bytes, &four, sizeof four);
    return true;
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  if (::inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) != 1) return false;
  address->size = sizeof six;
  std::memcpy(&address->bytes, &six, sizeof six);
  return true;
}

// Returns the name of an error that only a network can cause; otherwise nullptr.
const char* NetworkErrno(int code) {
  switch (code) {
    case ECONNREFUSED:
      return "ECONNREFUSED";
    case ECONNRESET:
      return "ECONNRESET";
    case ETIMEDOUT:
      return "ETIMEDOUT";
    case EHOSTUNREACH:
      return "EHOSTUNREACH";
    case ENETDOWN:
      return "ENETDOWN";
    case ENOBUFS:
      return "ENOBUFS";
    default:
      return nullptr;
  }
}

}  // namespace

// Asks the system's getent, because a static program has no resolver.
Result<Address> ResolveTarget(const LogTarget& target) {
  Address address;
  if (ParseAddress(target.host, target.port, &address)) return address;
  const Result<Finished> done = Run({.program = "/usr/bin/getent",
                                     .arguments = {"ahosts", target.host},
                                     .environment = {},
                                     .input = ""});
  if (!done) return done.error();
  const std::string first = done->out.substr(0, done->out.find_first_of(" \t\n"));
  if (done->exit_status == 0 && ParseAddress(first, target.port, &address)) return address;
  return Error{Error::Kind::kSystem, target.host, "no address is known for this name", ""};
}

Error ReceiverError(const char* call, int code) {
  Error error = SystemError(std::string(call) + "(the log's receiver)", code);
  if (const char* name = NetworkErrno(code); name != nullptr) error.what = name;
  return error;
}

Result<UniqueFd> ConnectTo(const Address& address, int type) {
  UniqueFd fd(::socket(address.get()->sa_family, type | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return ReceiverError("socket", errno);
  const timeval wait{.tv_sec = kSeconds, .tv_usec = 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  if (::connect(fd.get(), address.get(), address.size) != 0) return ReceiverError("connect", errno);
  return fd;
}

}  // namespace ringfence
