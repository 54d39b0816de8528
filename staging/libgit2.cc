#include "staging/libgit2.h"

#include <git2.h>

#include <string>

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
