#include "staging/libgit2.h"

#include <git2.h>
#include <git2/sys/transport.h>

#include <string>

// In place of the parts of libgit2.a that call libssh2 and Kerberos, which have no static form. The
// linker takes the first definition that it finds. Repositories are only read from directories, so
// no connection is ever opened.
// NOLINTBEGIN(misc-use-internal-linkage)
extern "C" {
int git_smart_subtransport_ssh(git_smart_subtransport**, git_transport*, void*) {
  return GIT_ENOTFOUND;
}
int git_transport_ssh_global_init() { return 0; }
int git_http_auth_negotiate(void**, const void*) { return GIT_ENOTFOUND; }
}
// NOLINTEND(misc-use-internal-linkage)

namespace ringfence {

Status StartLibgit2() {
  static const int started = git_libgit2_init();
  return started >= 1 ? Status(Unit{}) : Libgit2Error("start");
}

Error Libgit2Error(const char* call) {
  const git_error* last = git_error_last();
  const std::string what = last != nullptr && last->message != nullptr ? last->message : "failed";
  return Error{Error::Kind::kSystem, "libgit2: " + std::string(call), what, ""};
}

}  // namespace ringfence
