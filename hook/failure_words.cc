#include "hook/failure_words.h"

namespace ringfence {
namespace {

using enum WordingForm;

// From the most specific to the least: the first one found in a line counts.
constexpr Wording kWordings[] = {
    // ringfence's sandbox and hook
    {"ringfence: ", kOurs},
    // macOS: the client's <sandbox_violations>, and sandboxd's log lines
    {" deny(", kSeatbelt},
    {"sandbox: deny(", kSeatbelt},
    // hosts: curl, git, cargo; ssh; wget; apt; node; Go; Python
    {"could not resolve host: ", kHostBehind},
    {"could not resolve hostname ", kHostBehind},
    {"unable to resolve host address ", kHostBehind},
    {"temporary failure resolving ", kHostBehind},
    {"getaddrinfo enotfound ", kHostBehind},
    {"getaddrinfo eai_again ", kHostBehind},
    {"connect enetunreach ", kHostBehind},
    {"dial tcp: lookup ", kHostBehind},
    {"connect to host ", kHostBehind},
    {"failed to connect to ", kHostBehind},
    {"connectionpool(host=", kHostBehind},
    // the client's proxy, and programs that report its answer
    {"blocked by network allowlist", kHostSomewhere},
    {"blocked-by-allowlist", kHostSomewhere},
    {"connect tunnel failed", kHostSomewhere},
    {"tunnel connection failed", kHostSomewhere},
    {"network is unreachable", kHostSomewhere},
    {"temporary failure in name resolution", kHostSomewhere},
    // the kernel, as Rust's std::io::Error prints it
    {"(os error 30)", kPathAbove},
    {"(os error 13)", kPathAbove},
    {"(os error 1)", kPathAbove},
    // the kernel: strerror(3), and the names that Node prints
    {"read-only file system", kWrittenPath},
    {"erofs", kWrittenPath},
    {"permission denied", kPath},
    {"eacces", kPath},
    {"operation not permitted", kPath},
    {"eperm", kPath},
    {"no such file or directory", kHiddenPath},
    {"enoent", kHiddenPath},
};

}  // namespace

const Wording* FindWording(std::string_view lower_line, size_t* at) {
  for (const Wording& wording : kWordings) {
    const size_t found = lower_line.find(wording.words);
    if (found == std::string_view::npos) continue;
    *at = found + wording.words.size();
    return &wording;
  }
  return nullptr;
}

}  // namespace ringfence
