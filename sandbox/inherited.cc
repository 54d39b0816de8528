#include "sandbox/inherited.h"

#include <csignal>

namespace ringfence {
namespace {

// Whether the signal was ignored before.
bool Set(int signal, void (*handler)(int)) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  return ::sigaction(signal, &action, &before) == 0 && before.sa_handler == SIG_IGN;
}

template <int Resource>
rlimit RaiseToHardLimit() {
  rlimit before{RLIM_INFINITY, RLIM_INFINITY};
  if (::getrlimit(Resource, &before) != 0 || before.rlim_cur == before.rlim_max) return before;
  const rlimit raised{before.rlim_max, before.rlim_max};
  [[maybe_unused]] const int set =
      ::setrlimit(Resource, &raised);  // else the call that needs it fails
  return before;
}

template <int Resource>
void Restore(const rlimit& limit) {
  if (limit.rlim_cur != limit.rlim_max) ::setrlimit(Resource, &limit);
}

}  // namespace

Inherited Inherited::Replace() {
  Inherited inherited;
  inherited.ignores_children_ = Set(SIGCHLD, SIG_DFL);
  inherited.ignores_file_size_ = Set(SIGXFSZ, SIG_IGN);
  inherited.file_size_ = RaiseToHardLimit<RLIMIT_FSIZE>();
  inherited.files_ = RaiseToHardLimit<RLIMIT_NOFILE>();
  return inherited;
}

void Inherited::RestoreFileSize() const { Restore<RLIMIT_FSIZE>(file_size_); }

void Inherited::RestoreAll() const {
  RestoreFileSize();
  Restore<RLIMIT_NOFILE>(files_);
  if (ignores_children_) Set(SIGCHLD, SIG_IGN);
  if (!ignores_file_size_) Set(SIGXFSZ, SIG_DFL);
}

}  // namespace ringfence
