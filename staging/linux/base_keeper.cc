#include "staging/base_keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "base/directory.h"
#include "base/open_path.h"
#include "base/syscall.h"
#include "files/beneath.h"
#include "staging/git_bases.h"

namespace ringfence {
namespace {

class BaseKeeper {
 public:
  BaseKeeper(const Stage& stage, const BaseVersions& base)
      : stage_(stage), base_(base), events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

  Status Run(int stop) {
    if (!events_.valid()) return SystemError("inotify_init1");
    (void)base_.NoteFolder("");
    ScanAll();
    (void)NoteGitBases(stage_);  // without them, more can become conflicts
    for (;;) {
      std::array<pollfd, 2> polled{{{events_.get(), POLLIN, 0}, {stop, POLLIN, 0}}};
      if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR)
        return SystemError("poll");
      if (polled[0].revents != 0) TakeEvents();
      if (polled[1].revents != 0) return Unit{};
    }
  }

 private:
  // What happens to files that a new directory holds: those of an overlay are changes, but a copy
  // of the project has them all.
  enum class Found : bool { kWatched, kKept };

  void ScanAll() { Scan("", stage_.is_copy() ? Found::kWatched : Found::kKept); }

  // Watches a directory of the stage, and looks at what is in it already. "" is the project.
  void Scan(const std::string& folder, Found found) {
    const Result<UniqueFd> opened = OpenBeneath(stage_.written(), folder.empty() ? "." : folder,
                                                O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!opened) return;  // removed meanwhile
    const std::string name = "/proc/self/fd/" + std::to_string(opened->get());
    const int watch =
        ::inotify_add_watch(events_.get(), name.c_str(), Events() | IN_ONLYDIR | IN_EXCL_UNLINK);
    if (watch >= 0) folders_[watch] = folder;
    ForEachName(*opened, [&](const char* child) { Take(folder, child, found); });
  }

  // In a copy, files are changed in place.
  uint32_t Events() const {
    return IN_CREATE | IN_MOVED_TO | (stage_.is_copy() ? uint32_t{IN_MODIFY} : 0);
  }

  void Take(const std::string& folder, std::string_view name, Found found) {
    const std::string path = PathIn(folder, name);
    const Result<UniqueFd> inside = OpenFolderOf(stage_.written(), path);
    if (!inside) return;
    const Result<Entry> staged = LookAt(inside->get(), std::string(name), path);
    if (!staged) return;
    // It can be removed by now.
    if (!staged->is_file() && !stage_.is_copy()) (void)base_.NoteFolder(path);
    if (staged->is_directory()) {
      if (ProjectHasFolder(path)) Scan(path, found);
      return;
    }
    if (staged->is_file() && found == Found::kKept)
      (void)base_.KeepCurrent(path);  // otherwise it may become a conflict
  }

  bool ProjectHasFolder(const std::string& path) const {
    return OpenBeneath(stage_.project(), path, kOpenPath | O_DIRECTORY | O_NOFOLLOW).has_value();
  }

  void TakeEvents() {
    alignas(inotify_event) std::array<char, size_t{64} << 10> buffer{};
    const ssize_t size = ::read(events_.get(), buffer.data(), buffer.size());
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = buffer.data() + at + sizeof event;
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        ScanAll();
      } else if (const auto folder = folders_.find(event.wd);
                 folder != folders_.end() && event.len > 0) {
        Take(std::string(folder->second), name, Found::kKept);
      }
      at += static_cast<ssize_t>(sizeof event) + event.len;
    }
  }

  const Stage& stage_;
  const BaseVersions& base_;
  UniqueFd events_;
  std::map<int, std::string> folders_;  // by watch descriptor
};

}  // namespace

Status KeepBasesWhileRunning(const Stage& stage, const BaseVersions& base, int stop) {
  return BaseKeeper(stage, base).Run(stop);
}

}  // namespace ringfence
