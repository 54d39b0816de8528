#include "run/system_calls.h"

#include <fcntl.h>
#include <sys/event.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "base/directory.h"
#include "base/read_number.h"
#include "base/syscall.h"

namespace ringfence {

// Another thread that starts a program in between could pass these descriptors on: the launcher has
// a single thread.
Result<Pipe> MakePipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe(ends.data()) != 0) return SystemError("pipe");
  Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  for (const int end : ends) {
    if (::fcntl(end, F_SETFD, FD_CLOEXEC) != 0) return SystemError("fcntl(pipe)");
  }
  return pipe;
}

UniqueFd MakeTimer(int milliseconds) {
  UniqueFd queue(::kqueue());
  struct kevent once {};
  EV_SET(&once, 1, EVFILT_TIMER, EV_ADD | EV_ONESHOT, 0, milliseconds, nullptr);
  const bool is_set = queue.valid() && ::fcntl(queue.get(), F_SETFD, FD_CLOEXEC) == 0 &&
                      ::kevent(queue.get(), &once, 1, nullptr, 0, nullptr) == 0;
  return is_set ? std::move(queue) : UniqueFd();
}

bool CloseDescriptorsFrom(int first) {
  std::vector<int> open;
  {
    const DirectoryStream stream(::opendir("/dev/fd"));
    if (stream == nullptr) return false;
    while (const dirent* entry = ::readdir(stream.get())) {
      int number = -1;
      if (ReadNumber(entry->d_name, number) && number >= first) open.push_back(number);
    }
  }
  for (const int number : open) ::close(number);  // those of the listing are closed already
  return true;
}

bool EndWithParent() { return true; }

}  // namespace ringfence
