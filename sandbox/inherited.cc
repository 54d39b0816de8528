#include "sandbox/inherited.h"

#include <csignal>

#include "base/syscall.h"

namespace ringfence {
namespace {

// Returns true if the signal was ignored before.
Result<bool> Set(int signal, void (*handler)(int)) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  if (::sigaction(signal, &action, &before) != 0) return SystemError("sigaction");
  return before.sa_handler == SIG_IGN;
}

bool SetAndTell(int signal, void (*handler)(int)) {
  const Result<bool> was = Set(signal, handler);
  return was && *was;
}

template <int Resource>
rlimit RaiseToHardLimit() {
  rlimit before{RLIM_INFINITY, RLIM_INFINITY};
  if (::getrlimit(Resource, &before) != 0 || before.rlim_cur == before.rlim_max) return before;
  const rlimit raised{before.rlim_max, before.rlim_max};
  // If this fails, the call that needs more fails as well.
  [[maybe_unused]] const int set = ::setrlimit(Resource, &raised);
  return before;
}

template <int Resource>
Status Restore(const rlimit& limit) {
  if (limit.rlim_cur == limit.rlim_max || ::setrlimit(Resource, &limit) == 0) return Unit{};
  return SystemError("setrlimit");
}

}  // namespace

Inherited Inherited::Replace() {
  Inherited inherited;
  inherited.ignores_children_ = SetAndTell(SIGCHLD, SIG_DFL);
  inherited.ignores_file_size_ = SetAndTell(SIGXFSZ, SIG_IGN);
  inherited.file_size_ = RaiseToHardLimit<RLIMIT_FSIZE>();
  inherited.files_ = RaiseToHardLimit<RLIMIT_NOFILE>();
  inherited.data_ = RaiseToHardLimit<RLIMIT_DATA>();
  inherited.memory_ = RaiseToHardLimit<RLIMIT_AS>();
  inherited.processor_ = RaiseToHardLimit<RLIMIT_CPU>();
  return inherited;
}

Status Inherited::RestoreFileSize() const { return Restore<RLIMIT_FSIZE>(file_size_); }

Status Inherited::RestoreAll() const {
  if (Status s = RestoreFileSize(); !s) return s;
  if (Status s = Restore<RLIMIT_NOFILE>(files_); !s) return s;
  if (Status s = Restore<RLIMIT_DATA>(data_); !s) return s;
  if (Status s = Restore<RLIMIT_AS>(memory_); !s) return s;
  if (Status s = Restore<RLIMIT_CPU>(processor_); !s) return s;
  if (ignores_children_) {
    if (const auto set = Set(SIGCHLD, SIG_IGN); !set) return set.error();
  }
  if (!ignores_file_size_) {
    if (const auto set = Set(SIGXFSZ, SIG_DFL); !set) return set.error();
  }
  return Unit{};
}

}  // namespace ringfence
