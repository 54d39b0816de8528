#include "tests/support/full_watches.h"

#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

namespace {

// How many more attempts fail. Shared with children.
std::atomic<int>& Failures() {
  static std::atomic<int>* const shared = [] {
    void* const memory = ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    return new (memory) std::atomic<int>(0);
  }();
  return *shared;
}

// Before the first child, which would have a number of its own otherwise.
[[maybe_unused]] const std::atomic<int>& early = Failures();

}  // namespace

// In place of the C library's.
extern "C" int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
  if (operation == EPOLL_CTL_ADD && Failures() > 0) {
    --Failures();
    errno = ENOSPC;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_epoll_ctl, epoll, operation, fd, event));
}

namespace ringfence {

FullWatches::FullWatches(int failures) { Failures() = failures; }
FullWatches::~FullWatches() { Failures() = 0; }
int FullWatches::Failed() const { return kEndlessly - Failures(); }

}  // namespace ringfence
