#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/case_fold.h"
#include "sandbox/linux/supervised_calls.h"

namespace ringfence {
namespace {

constexpr size_t kMaxReports = 64;  // between two looks of the launcher

bool Exists(const UniqueFd& folder, const std::string& name) {
  return ::faccessat(folder.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool IsOwnRepository(const Supervision& supervision, const UniqueFd& folder) {
  if (supervision.own_repositories.empty()) return false;
  struct stat facts {};
  if (::fstat(folder.get(), &facts) != 0) return false;
  return std::ranges::binary_search(supervision.own_repositories,
                                    std::pair(facts.st_dev, facts.st_ino));
}

// git takes a folder with these three for a repository, and runs what its configuration and hooks
// say (gitrepository-layout(5)).
constexpr std::array<std::string_view, 3> kParts = {"head", "objects", "refs"};
constexpr std::array<std::string_view, 3> kOwn = {"config", "config.worktree", "hooks"};

bool MakesBareRepository(const Location& location) {
  const std::string name = FoldName(location.name);
  const bool is_part = std::ranges::find(kParts, name) != kParts.end();
  const bool is_own = std::ranges::find(kOwn, name) != kOwn.end();
  if (!is_part && !is_own) return false;
  if (FoldName(location.folder_path + "/").find("/.git/") != std::string::npos) return false;
  if (is_part && Exists(location.folder, location.name)) return false;
  return std::ranges::all_of(kParts, [&](std::string_view part) {
    if (part == name) return true;
    return Exists(location.folder, part == "head" ? "HEAD" : std::string(part));
  });
}

int Refused(Supervision& supervision, const std::string& path, const GuardedName& rule) {
  Report(supervision, path, &rule, EACCES);
  return EACCES;
}

}  // namespace

void Report(Supervision& supervision, const std::string& path, const GuardedName* rule, int code) {
  if (!path.starts_with('/') || supervision.reports.size() >= kMaxReports) return;
  // A refusal by a rule comes back once more as the call's error.
  if (!supervision.reports.empty() && supervision.reports.back().path == path) return;
  supervision.reports.push_back({path, rule, code});
}

int JudgeName(Supervision& supervision, const Location& location, Reach reach) {
  const std::string path = location.path();
  const GuardedNames& names = supervision.names;
  if (const GuardedName* rule =
          reach == Reach::kFolder ? names.RefusesFolder(path) : names.Refuses(path)) {
    if (!rule->unless_new || !IsOwnRepository(supervision, location.folder)) {
      return Refused(supervision, path, *rule);
    }
  }
  if (reach == Reach::kTree) {
    for (const GuardedNames::TreeHit& hit : names.RefusesTree(path)) {
      return Refused(supervision, path, *hit.rule);
    }
  }
  const std::string& why = supervision.names.bare_why();
  if (why.empty() || !MakesBareRepository(location)) return 0;
  static const GuardedName kBare{.why = "a new or a bare repository"};
  return Refused(supervision, path, kBare);
}

int JudgeTree(Supervision& supervision, const Location& name, const Location& tree) {
  const std::string path = name.path();
  for (const GuardedNames::TreeHit& hit : supervision.names.RefusesTree(path)) {
    const bool holds = hit.rest.empty() || Exists(tree.folder, tree.name + "/" + hit.rest);
    if (holds) return Refused(supervision, path, *hit.rule);
  }
  return 0;
}

int JudgeHandle(Supervision& supervision, Handle& handle) {
  Got<std::string> path = RealPath(supervision, handle.fd);
  if (!path.ok()) return path.code == ENAMETOOLONG ? EACCES : path.code;
  handle.path = std::move(path.value);
  if (!handle.path.starts_with('/')) return 0;  // a pipe, a socket, a file without a name
  const GuardedName* rule = supervision.names.Refuses(handle.path);
  if (rule == nullptr) return 0;
  if (rule->unless_new) {
    const size_t slash = handle.path.rfind('/');
    const UniqueFd folder(::open(handle.path.substr(0, slash).c_str(),
                                 O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (folder.valid() && IsOwnRepository(supervision, folder)) return 0;
  }
  return Refused(supervision, handle.path, *rule);
}

namespace {

// One name of a chain of links. `link`, true where a last link is to be followed, becomes whether
// this is one.
int OpenStep(const Caller& caller, const Location& at, Handle& handle, bool* link) {
  const bool follow = std::exchange(*link, false);
  handle.path = at.path();
  handle.fd = UniqueFd(::openat(at.folder.get(), at.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!handle.fd.valid()) return errno;
  if (!caller.IsWaiting()) return ESRCH;
  struct stat facts {};
  if (::fstat(handle.fd.get(), &facts) != 0) return errno;
  if (!S_ISLNK(facts.st_mode)) {
    return at.must_be_folder && !S_ISDIR(facts.st_mode) ? ENOTDIR : 0;
  }
  if (!follow && !at.must_be_folder) return 0;
  *link = !at.is_in_proc();
  if (*link) return 0;
  // The kernel jumps.
  handle.fd = UniqueFd(::openat(at.folder.get(), at.name.c_str(), O_PATH | O_CLOEXEC));
  return handle.fd.valid() ? 0 : errno;
}

}  // namespace

int OpenHandle(const Caller& caller, Supervision& supervision, const NameText& name,
               Handle& handle) {
  std::string text = name.text;
  UniqueFd from;  // of a link's text
  for (int links = 0; links <= 40; ++links) {
    Got<Location> at = from.valid() ? LocateBelow(caller, supervision, from, text)
                                    : Locate(caller, supervision, name.fd, text);
    if (!at.ok()) return at.code;
    bool is_link = name.follow;
    const int code = OpenStep(caller, at.value, handle, &is_link);
    if (code != 0 || !is_link) return code;
    Got<std::string> target = ReadLinkAt(at.value.folder, at.value.name);
    if (!target.ok()) return target.code;
    text = std::move(target.value);
    from = std::move(at.value.folder);
  }
  return ELOOP;
}

void NoteRepository(Supervision& supervision, const Location& location) {
  const std::string name = FoldName(location.name);
  const std::string folder = FoldName(location.folder_path);
  const bool is_gits = name == ".git" || folder.ends_with("/.git/worktrees") ||
                       IsOwnRepository(supervision, location.folder);
  if (!is_gits) return;
  struct stat facts {};
  if (::fstatat(location.folder.get(), location.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0) {
    auto& own = supervision.own_repositories;
    const std::pair id(facts.st_dev, facts.st_ino);
    const auto at = std::ranges::lower_bound(own, id);
    if (at == own.end() || *at != id) own.insert(at, id);
  }
}

}  // namespace ringfence
