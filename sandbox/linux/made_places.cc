#include "sandbox/linux/made_places.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/state_file.h"
#include "base/syscall.h"
#include "base/unique_fd.h"
#include "files/remove_tree.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

// Creates the directory and its missing parents, name by name and through no link: the plan's paths
// had none, so any link was put there later.
Status MakePlace(const PlannedPlace& place) {
  constexpr int kPathOfFolder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const mode_t mode = place.set == SetName::kAgentState ? 0700 : 0777;
  UniqueFd folder(::open("/", kPathOfFolder));
  std::string_view rest = place.path.text();
  Path path;
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    path = path.Child(name);
    const std::string text(name);
    const int code = ::mkdirat(folder.get(), text.c_str(), mode) == 0 ? EEXIST : errno;
    // mkdirat(2) can lack permission even though the directory exists.
    UniqueFd next(::openat(folder.get(), text.c_str(), kPathOfFolder));
    if (!next.valid()) {
      return SystemError("mkdir(" + path.text() + ") for " + place.why,
                         code == EEXIST ? errno : code);
    }
    folder = std::move(next);
  }
  return Unit{};
}

constexpr int kReadFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr time_t kOld = time_t{7} * 24 * 60 * 60;
constexpr int kStateLevels = 4;  // ~/.local/state/ringfence/tmp

// Fails unless this user owns the directory and no other user has access to it.
Status CheckOwn(const UniqueFd& folder, const Path& path) {
  struct stat facts {};
  if (::fstat(folder.get(), &facts) != 0) return SystemError("fstat(" + path.text() + ")");
  if (facts.st_uid == ::geteuid() && (facts.st_mode & 0077) == 0) return Unit{};
  return SystemError("open(" + path.text() + ")", EPERM);
}

Result<UniqueFd> OpenOwn(const Path& path) {
  UniqueFd folder(::open(path.text().c_str(), kReadFolder));
  if (!folder.valid()) return SystemError("open(" + path.text() + ")");
  if (Status s = CheckOwn(folder, path); !s) return s.error();
  return folder;
}

// Locks the directory against removal. A lock that a command holds does not prevent a start.
Status Keep(const UniqueFd& folder, const Path& path) {
  if (::flock(folder.get(), LOCK_SH | LOCK_NB) == 0 || errno == EWOULDBLOCK) return Unit{};
  return SystemError("flock(" + path.text() + ")");
}

// Restores the mode that a command may have changed on its /tmp. No other user can have put
// anything there: the parent directory is closed to them, or the caller has checked the owner.
void OpenAgain(const UniqueFd& sessions, const std::string& name) {
  struct stat facts {};
  if (::fstatat(sessions.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return;
  const bool is_changed = S_ISDIR(facts.st_mode) && (facts.st_mode & 07777) != 0700;
  if (is_changed) ::fchmodat(sessions.get(), name.c_str(), 0700, AT_SYMLINK_NOFOLLOW);
}

// True if this user owns the directory and it was not just created by a process that is about to
// lock it.
bool IsLeft(int folder) {
  struct stat facts {};
  if (::fstat(folder, &facts) != 0 || facts.st_uid != ::geteuid()) return false;
  constexpr time_t kMinute = 60;
  constexpr nlink_t kNoFolderInside = 2;
  if (facts.st_nlink > kNoFolderInside || facts.st_size > 4096) return true;
  return facts.st_mtim.tv_sec < ::time(nullptr) - kMinute;
}

// True if unused for a week. A command can set any time on its /tmp, so a time far in the future
// counts as old too.
bool IsOld(int folder) {
  struct stat facts {};
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (::fstat(folder, &facts) != 0) return false;
  const time_t used = facts.st_mtim.tv_sec;
  return used < now.tv_sec - kOld || used > now.tv_sec + kOld;
}

// Removes the directories in `folders` that no process uses any more, if `counts` accepts the name.
template <typename Counts>
void RemoveUnused(const UniqueFd& folders, const Path& path, bool (*is_unused)(int),
                  Counts counts) {
  const Result<std::vector<std::string>> names = NamesIn(folders);
  if (!names) return;
  for (const std::string& name : *names) {
    if (!counts(name)) continue;
    OpenAgain(folders, name);
    const UniqueFd folder(::openat(folders.get(), name.c_str(), kReadFolder));
    if (!folder.valid() || !is_unused(folder.get())) continue;
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;  // a command still uses it
    [[maybe_unused]] const Status removed = RemoveTree(path.Child(name).text());
  }
}

// Creates an empty file, which is an audit log without lines. Returns false if it is missing then.
bool MakeLog(const Path& file) {
  if (!MakeFolders(file.Parent(), kStateLevels - 1)) return false;  // not the home itself
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  return UniqueFd(::open(file.text().c_str(), flags, 0600)).valid() || errno == EEXIST;
}

}  // namespace

Status MakePlaces(const SandboxPlan& plan, std::vector<Path>& left_out) {
  for (const PlannedPlace& place : plan.writable) {
    if (!place.make || place.is_staged()) continue;
    Status made = MakePlace(place);
    if (made) continue;
    const int code = made.error().code;
    if (code != EACCES && code != EPERM && code != EROFS) return made;
    left_out.push_back(place.path);
  }
  // Nobody else can create these either.
  for (const Path& folder : plan.state_folders) {
    if (!MakeFolders(folder, kStateLevels)) left_out.push_back(folder);
  }
  if (!plan.log_file.is_root() && !MakeLog(plan.log_file)) left_out.push_back(plan.log_file);
  return Unit{};
}

Status MakeStagedPlaces(const SandboxPlan& plan) {
  for (const PlannedPlace& place : plan.writable) {
    if (!place.make || !place.is_staged()) continue;
    if (Status s = MakePlace(place); !s) return s;
  }
  return Unit{};
}

SandboxPlan Without(SandboxPlan plan, const std::vector<Path>& left_out) {
  const auto is_left_out = [&left_out](const auto& place) {
    return std::ranges::any_of(left_out,
                               [&place](const Path& path) { return place.path.IsInside(path); });
  };
  std::erase_if(plan.writable, is_left_out);
  std::erase_if(plan.hidden, is_left_out);
  return plan;
}

OwnTmp::~OwnTmp() {
  if (!scratch_.valid()) return;
  ::fchmod(scratch_.get(), 0700);
  [[maybe_unused]] const Status removed = RemoveTree(plan_.scratch.text());
}

Status OwnTmp::Make() {
  if (!plan_.session_tmp.is_root()) return MakeSession();
  const bool has_one = plan_.is_nested || plan_.scratch.is_root();
  return has_one ? Status(Unit{}) : MakeScratch();
}

Status OwnTmp::MakeScratch() {
  const std::string& path = plan_.scratch.text();
  if (::mkdir(path.c_str(), 0700) != 0) return SystemError("mkdir(" + path + ")");
  if (Status s = OpenOwn(plan_.scratch).MoveTo(scratch_); !s) return s;
  return Keep(scratch_, plan_.scratch);
}

Status OwnTmp::MakeSession() {
  const Path all = plan_.session_tmp.Parent();
  if (Status s = MakeFolders(all, kStateLevels); !s) return s;
  if (Status s = OpenOwn(all).MoveTo(sessions_); !s) return s;
  const std::string name(plan_.session_tmp.name());
  is_first_ = ::mkdirat(sessions_.get(), name.c_str(), 0700) == 0;
  if (!is_first_ && errno != EEXIST) return SystemError("mkdirat(session)");
  if (!is_first_) OpenAgain(sessions_, name);
  if (Status s = OpenOwn(plan_.session_tmp).MoveTo(session_); !s) return s;
  if (Status s = Keep(session_, plan_.session_tmp); !s) return s;
  // Marks the directory as used. The lock does not stop a process that had already begun to remove
  // it.
  if (::futimens(session_.get(), nullptr) != 0) return SystemError("futimens(session)");
  struct stat facts {};
  if (::fstat(session_.get(), &facts) != 0 || facts.st_nlink == 0) {
    return SystemError("open(session)", ENOENT);
  }
  if (!plan_.caches.empty()) MakeCaches();
  return Unit{};
}

// Creates and locks a directory for the caches, since two overlay mounts must not share one. The
// cleanup of old sessions treats it like a session directory.
void OwnTmp::MakeCaches() {
  const std::string name = std::string(plan_.session_tmp.name()) + "-caches";
  const Path path = plan_.session_tmp.Parent().Child(name);
  if (::mkdirat(sessions_.get(), name.c_str(), 0700) != 0 && errno != EEXIST) return;
  Result<UniqueFd> folder = OpenOwn(path);
  if (!folder || ::flock(folder->get(), LOCK_EX | LOCK_NB) != 0) return;
  struct stat facts {};
  if (::futimens(folder->get(), nullptr) != 0 || ::fstat(folder->get(), &facts) != 0) return;
  if (facts.st_nlink == 0) return;  // another run has just removed it
  caches_lock_ = std::move(*folder);
  caches_ = path;
}

void OwnTmp::RemoveOld() const {
  if (is_first_) {
    RemoveUnused(sessions_, plan_.session_tmp.Parent(), IsOld,
                 [](const std::string&) { return true; });
  }
  if (!scratch_.valid()) return;
  const Path all = plan_.scratch.Parent();
  const UniqueFd folders(::open(all.text().c_str(), kReadFolder));
  if (!folders.valid()) return;
  RemoveUnused(folders, all, IsLeft, [&](const std::string& name) {
    if (!name.starts_with("ringfence-"))
      return false;  // a cheap test first: there may be many names
    struct stat facts {};
    return IsScratch(all.Child(name), all) && all.Child(name) != plan_.scratch &&
           ::fstatat(folders.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
           facts.st_uid == ::geteuid();
  });
}

}  // namespace ringfence
