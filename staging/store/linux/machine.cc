#include "staging/store/machine.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include <algorithm>
#include <array>

#include "base/syscall.h"

namespace ringfence {

// random(4)
std::string CurrentBoot() {
  Result<std::string> text = ReadSystemFile("/proc/sys/kernel/random/boot_id");
  if (!text) return "";
  while (text->ends_with('\n')) text->pop_back();
  return std::move(*text);
}

int64_t TimeSinceBoot() { return Nanoseconds(CLOCK_BOOTTIME); }

// Since Linux 6.13 (Documentation/filesystems/multigrain-ts.rst), a file whose time was looked at
// gets the precise time at its next change, and no file of any local file system gets an earlier
// one after that. Of other file systems, the times can come from another machine.
bool GetsLaterTimes(const UniqueFd& folder, int64_t time) {
  constexpr std::array<decltype(statfs::f_type), 4> kLocal = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,
                                                              BTRFS_SUPER_MAGIC, TMPFS_MAGIC};
  struct statfs system {};
  struct stat facts {};
  const bool is_local = ::fstatfs(folder.get(), &system) == 0 &&
                        std::ranges::find(kLocal, system.f_type) != kLocal.end();
  const bool is_changed = is_local && ::fstat(folder.get(), &facts) == 0 &&
                          ::fchmod(folder.get(), facts.st_mode & 07777) == 0 &&
                          ::fstat(folder.get(), &facts) == 0;
  constexpr int64_t kPerSecond = 1'000'000'000;
  return is_changed && facts.st_ctim.tv_sec * kPerSecond + facts.st_ctim.tv_nsec > time;
}

// File systems take the times of files from CLOCK_REALTIME_COARSE, which advances in steps of a few
// milliseconds.
Status AwaitFileTime(int64_t time) {
  constexpr int kTries = 500;
  constexpr timespec kShort{.tv_sec = 0, .tv_nsec = 200'000};
  for (int i = 0; i < kTries && Nanoseconds(CLOCK_REALTIME_COARSE) <= time; ++i) {
    ::nanosleep(&kShort, nullptr);
  }
  if (Nanoseconds(CLOCK_REALTIME_COARSE) > time) return Unit{};
  return Error{Error::Kind::kSystem, "clock", "was set back while the command was started", ""};
}

}  // namespace ringfence
