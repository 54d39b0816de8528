#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/case_fold.h"
#include "base/directory.h"
#include "base/same_file.h"
#include "base/syscall.h"
#include "policy/rules/entry_match.h"
#include "sandbox/linux/git_names.h"
#include "sandbox/linux/own_work_tree.h"
#include "sandbox/linux/private_mounts.h"
#include "sandbox/linux/supervised_calls.h"
#include "sandbox/linux/whole_files.h"

namespace ringfence {
namespace {

constexpr size_t kMaxReports = 64;  // kept until they are sent to the launcher

bool MayExist(const UniqueFd& folder, const char* name, std::string_view rest);

// True if `rest` exists below the directory, in any letter case, also through links, or if that
// cannot be determined.
bool MayExist(const UniqueFd& folder, std::string_view rest) {
  const std::string name = FoldName(TakeComponent(rest));
  const auto may_be_it = [&](const dirent& entry) {
    return FoldsTo(entry.d_name, name) && (rest.empty() || MayExist(folder, entry.d_name, rest));
  };
  return AnyEntry(folder, may_be_it).value_or(true);
}

bool MayExist(const UniqueFd& folder, const char* name, std::string_view rest) {
  const UniqueFd tree = OpenFolder(folder, name);
  if (!tree.valid()) return errno != ENOENT && errno != ENOTDIR;
  return MayExist(tree, rest);
}

// True if the rules `names` apply to the path. Those of a nested sandbox do not apply to paths that
// are private to the outer sandbox.
bool Applies(const Supervision& supervision, const GuardedNames* names, const std::string& path) {
  const bool is_private = supervision.names.IsExempt(path) || supervision.names.IsOwn(path);
  return names == &supervision.names || !is_private;
}

bool IsInGitDirectory(const GuardedName& rule) {
  return rule.is_anywhere && rule.tail.starts_with("**/.git/");
}

const GuardedName& RuleOf(const GuardedName* rule) { return *rule; }
const GuardedName& RuleOf(const GuardedNames::TreeHit& hit) { return *hit.rule; }

// Returns what `ask` finds in the rules of all sandboxes.
template <typename Ask>
auto Hits(const Supervision& supervision, const std::string& path, Ask ask) {
  decltype(ask(supervision.names, path)) all;
  for (const GuardedNames* names : supervision.rules) {
    if (!Applies(supervision, names, path)) continue;
    std::ranges::move(ask(*names, path), std::back_inserter(all));
  }
  return all;
}

// Also checks the path as git's own file (AsGitsOwn).
template <typename Ask>
auto Hits(const Supervision& supervision, const Location& location, Ask ask) {
  auto all = Hits(supervision, location.path(), ask);
  const std::string gits = AsGitsOwn(location);
  if (gits.empty()) return all;
  for (auto& hit : Hits(supervision, gits, ask)) {
    if (IsInGitDirectory(RuleOf(hit))) all.push_back(std::move(hit));
  }
  return all;
}

// `place` is a path or a Location.
template <typename Place>
auto AllThatRefuse(const Supervision& supervision, const Place& place, SandboxScope reach) {
  return Hits(supervision, place, [reach](const GuardedNames& names, const std::string& path) {
    return reach == SandboxScope::kFolder ? names.AllThatRefuseFolder(path)
                                          : names.AllThatRefuse(path);
  });
}

auto RefusesTree(const Supervision& supervision, const Location& location) {
  return Hits(supervision, location, [](const GuardedNames& names, const std::string& path) {
    return names.RefusesTree(path);
  });
}

using HeldQuestion = const GuardedName* (GuardedNames::*)(std::string_view) const;

const GuardedName* FirstHeld(const Supervision& supervision, const std::string& path,
                             HeldQuestion question) {
  for (const GuardedNames* names : supervision.rules) {
    if (!Applies(supervision, names, path)) continue;
    if (const GuardedName* held = (names->*question)(path)) return held;
  }
  return nullptr;
}

const GuardedName kWhole{
    .why =
        "this file can only be replaced by renaming a new file over it; the program "
        "wrote it in place"};

// Package stores and the project differ between sandboxes, so the depth is computed by the sandbox
// that the rule belongs to.
size_t LevelsBelowMatch(const Supervision& supervision, const GuardedName& rule,
                        const std::string& path) {
  for (const GuardedNames* names : supervision.rules) {
    const std::vector<GuardedName>& own = names->rules();
    const bool is_its_rule = !own.empty() && &rule >= &own.front() && &rule <= &own.back();
    if (is_its_rule) return names->LevelsBelowMatch(rule, path);
  }
  return 0;
}

// Returns `path` without its last `levels` components.
std::string DropComponents(const std::string& path, size_t levels) {
  std::string_view left = path;
  for (; levels > 0; --levels) left = left.substr(0, left.rfind('/'));
  return std::string(left);
}

// True if the rule permits the name because this run created the repository.
bool IsLeftToOwn(Supervision& supervision, const GuardedName& rule, const Location& location) {
  if (!rule.unless_new) return false;
  if (!rule.not_in_stores) return IsOwnRepository(supervision, location.folder);
  const std::string path = location.path();
  const size_t levels = LevelsBelowMatch(supervision, rule, path);
  return IsInOwnWorkTree(supervision, location, levels) &&
         NoteExempted(supervision, DropComponents(path, levels));
}

// True for a git file that may only be replaced as a whole.
bool ComesWholeBy(const GuardedName& rule, const Location& location) {
  return !rule.not_in_stores && WholeFileOf(location) != WholeFile::kNone;
}

struct NameVerdict {
  const GuardedName* refused_by = nullptr;
  bool comes_whole = false;  // permitted, but only to replace a git file as a whole
};

// Checks the rules of all sandboxes: one may permit a file of a new repository that another
// refuses.
NameVerdict RefusesName(Supervision& supervision, const Location& location, SandboxScope reach) {
  NameVerdict verdict;
  for (const GuardedName* rule : AllThatRefuse(supervision, location, reach)) {
    if (!rule->comes_whole && !IsLeftToOwn(supervision, *rule, location)) return {rule, false};
    if (ComesWholeBy(*rule, location)) verdict.comes_whole = true;
  }
  return verdict;
}

int Refused(Supervision& supervision, const std::string& path, const GuardedName& rule) {
  Report(supervision, path, &rule, EACCES);
  return EACCES;
}

// Returns the location at its directory's current path, without the directory's descriptor.
Result<Location> LocationNow(const Supervision& supervision, const Location& location) {
  Result<std::string> path = RealPath(supervision, location.folder);
  if (!path) return path.error();
  return Location{.folder = {}, .folder_path = std::move(*path), .name = location.name};
}

constexpr int kMaxMoves = 20;  // tries, in case a directory is being moved

// Returns the location of `handle` by its path; ENOENT if the name is missing or another file's.
Result<Location> LocationOf(const Handle& handle) {
  Location location;
  const size_t slash = handle.path.rfind('/');
  location.folder_path = slash == 0 ? "/" : handle.path.substr(0, slash);
  location.name = handle.path.substr(slash + 1);
  location.folder = OpenFile(location.folder_path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (!location.folder.valid()) return Errno(errno);
  struct stat held {};
  struct stat named {};
  if (::fstat(handle.fd.get(), &held) != 0 ||
      ::fstatat(location.folder.get(), location.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0) {
    return Errno(errno);
  }
  const bool is_same = IsSameFile(held, named);
  if (!is_same) return Errno(ENOENT);
  return location;
}

// Drops the mark: "/a/x (deleted)" is the former path, and "/memfd:x (deleted)" is not a path.
void DropMark(const Supervision& supervision, Handle& handle) {
  constexpr std::string_view kMark = " (deleted)";
  struct stat facts {};
  if (::fstat(handle.fd.get(), &facts) != 0 || facts.st_nlink != 0) return;
  if (handle.path.ends_with(kMark)) handle.path.resize(handle.path.size() - kMark.size());
  if (facts.st_dev == supervision.memory && !handle.path.empty()) handle.path.erase(0, 1);
}

bool HasNoName(const Handle& handle) {
  struct stat facts {};
  return !handle.path.starts_with('/') ||  // a pipe, a socket
         (::fstat(handle.fd.get(), &facts) == 0 && facts.st_nlink == 0);
}

// Sets `handle.path` and returns its location. ENOENT if the file has no name. EACCES if it has one
// but cannot be found, because it is being moved, a directory is closed, or it is outside the view.
Result<Location> FindHandle(const Supervision& supervision, Handle& handle) {
  for (int tries = 0; tries < kMaxMoves; ++tries) {
    Result<std::string> path = RealPath(supervision, handle.fd);
    if (!path) return Errno(path.error().code == ENAMETOOLONG ? EACCES : path.error().code);
    handle.path = std::move(*path);
    DropMark(supervision, handle);
    if (HasNoName(handle)) return Errno(ENOENT);
    if (Covers(kSavedFolders, handle.path)) return Errno(EACCES);
    Result<Location> at = LocationOf(handle);
    if (at) return at;
    if (at.error().code != ENOENT && at.error().code != ENOTDIR) break;
  }
  return Errno(EACCES);
}

bool IsStream(const Supervision& supervision, const UniqueFd& file) {
  if (supervision.streams.empty()) return false;
  const Result<OpenedFile> opened = LookAtOpened(file.get());
  return !opened || std::ranges::find(supervision.streams, *opened) != supervision.streams.end();
}

}  // namespace

void Report(Supervision& supervision, const std::string& path, const GuardedName* rule, int code) {
  if (!path.starts_with('/') || supervision.reports.size() >= kMaxReports) return;
  // A refusal by a rule is reported again as the call's error.
  if (!supervision.reports.empty() && supervision.reports.back().path == path) return;
  supervision.reports.push_back({path, rule, code, ""});
}

void ReportWhy(Supervision& supervision, const std::string& path, std::string why) {
  Report(supervision, path, nullptr, EACCES);
  std::vector<Supervision::Report>& reports = supervision.reports;
  if (!reports.empty() && reports.back().path == path) reports.back().why = std::move(why);
}

void ReportProgram(Supervision& supervision, std::string program, std::string why) {
  std::vector<Supervision::Report>& reports = supervision.reports;
  const bool is_known = !reports.empty() && reports.back().path == program;
  if (is_known || reports.size() >= kMaxReports) return;
  reports.push_back({std::move(program), nullptr, ENOEXEC, std::move(why)});
}

bool MustComeWhole(Supervision& supervision, const Location& location) {
  if (WholeFileOf(location) == WholeFile::kNone) return false;
  return RefusesName(supervision, location, SandboxScope::kName).comes_whole;
}

int EvaluateName(Supervision& supervision, const Location& location, SandboxScope reach) {
  const std::string path = location.path();
  const NameVerdict verdict = RefusesName(supervision, location, reach);
  if (verdict.refused_by != nullptr) return Refused(supervision, path, *verdict.refused_by);
  if (reach == SandboxScope::kName && verdict.comes_whole)
    return Refused(supervision, path, kWhole);
  if (reach == SandboxScope::kWhole) {
    const GuardedName* held = FirstHeld(supervision, path, &GuardedNames::Holds);
    if (held != nullptr) return Refused(supervision, path, *held);
  }
  if (reach == SandboxScope::kTree) {
    for (const GuardedNames::TreeHit& hit : RefusesTree(supervision, location)) {
      return Refused(supervision, path, *hit.rule);
    }
  }
  const GuardedName* gits = RefusedByGit(supervision, location);
  return gits == nullptr ? 0 : Refused(supervision, path, *gits);
}

int EvaluateTree(Supervision& supervision, const Location& name, const Location& tree) {
  const std::string path = name.path();
  for (const GuardedNames::TreeHit& hit : RefusesTree(supervision, name)) {
    const bool holds = hit.rest.empty() || MayExist(tree.folder, tree.name.c_str(), hit.rest);
    if (holds) return Refused(supervision, path, *hit.rule);
  }
  const GuardedName* rule = RefusedByGit(supervision, name);
  if (rule == nullptr) rule = RefusedMove(supervision, tree);
  if (rule == nullptr) rule = RefusedLinksOf(supervision, tree, name, tree);
  return rule == nullptr ? 0 : Refused(supervision, path, *rule);
}

int EvaluateLink(Supervision& supervision, const Location& link, const std::string& target) {
  if (const int code = EvaluateName(supervision, link, SandboxScope::kTree)) return code;
  const GuardedName* rule = RefusedLink(supervision, link, target);
  return rule == nullptr ? 0 : Refused(supervision, link.path(), *rule);
}

int EvaluateMoved(Supervision& supervision, const Location& from, const Location& to) {
  Result<Location> now = LocationNow(supervision, to);
  if (!now) return now.error().code;
  now->folder = OpenFolder(to.folder);
  const GuardedName* rule = RefusedLinksOf(supervision, from, *now, to);
  return rule == nullptr ? 0 : Refused(supervision, now->path(), *rule);
}

int EvaluateMade(Supervision& supervision, const Location& made, SandboxScope reach) {
  Result<Location> located = LocationNow(supervision, made);
  if (!located) return located.error().code;
  Location& now = *located;
  now.folder = OpenFolder(made.folder);
  const std::string full = now.path();
  if (reach != SandboxScope::kTree) {
    if (now.folder_path == made.folder_path) return 0;
    const auto rules = AllThatRefuse(supervision, now, reach);
    return rules.empty() ? 0 : Refused(supervision, full, *rules.front());
  }
  for (const GuardedNames::TreeHit& hit : RefusesTree(supervision, now)) {
    const bool holds = hit.rest.empty() || MayExist(made.folder, made.name.c_str(), hit.rest);
    if (holds) return Refused(supervision, full, *hit.rule);
  }
  if (now.folder_path == made.folder_path) return 0;
  const Result<std::string> target = ReadLinkAt(made.folder, made.name);
  if (!target) return 0;  // not a link
  const GuardedName* rule = RefusedLink(supervision, now, *target);
  return rule == nullptr ? 0 : Refused(supervision, full, *rule);
}

int EvaluateCreated(Supervision& supervision, const Location& created, const UniqueFd& folder,
                    SandboxScope reach) {
  int code = EvaluateMade(supervision, created, reach);
  if (code == 0 && HasBecomeBare(supervision, created)) code = EACCES;
  if (code != 0) {
    const int flags = reach == SandboxScope::kFolder ? AT_REMOVEDIR : 0;
    ::unlinkat(folder.get(), created.name.c_str(), flags);
  }
  return code;
}

int UseOwnMount(Supervision& supervision, Handle& handle) {
  if (!IsStream(supervision, handle.fd)) return 0;
  const Result<Location> at = FindHandle(supervision, handle);
  if (!at) return EPERM;
  UniqueFd own(::openat(at->folder.get(), at->name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!own.valid() || !IsSameFile(own, handle.fd)) return EPERM;
  handle.fd = std::move(own);
  return 0;
}

mode_t WithoutSetId(const Handle& handle, mode_t mode) {
  struct stat facts {};
  const bool is_folder = ::fstat(handle.fd.get(), &facts) == 0 && S_ISDIR(facts.st_mode);
  return is_folder ? mode : mode & ~static_cast<mode_t>(S_ISUID | S_ISGID);
}

int EvaluateHandle(Supervision& supervision, Handle& handle, SandboxScope reach) {
  if (const int code = UseOwnMount(supervision, handle)) return code;
  const Result<Location> at = FindHandle(supervision, handle);
  if (IsSavedFile(supervision, handle.fd, handle.path)) return 0;
  if (!at && at.error().code != ENOENT) return at.error().code;
  if (!handle.path.starts_with('/')) return 0;
  if (!at) {
    const auto rules = AllThatRefuse(supervision, handle.path, SandboxScope::kName);
    return rules.empty() ? 0 : Refused(supervision, handle.path, *rules.front());
  }
  const NameVerdict verdict = RefusesName(supervision, *at, SandboxScope::kName);
  const GuardedName* rule = verdict.refused_by;
  if (rule == nullptr && verdict.comes_whole && reach == SandboxScope::kName) rule = &kWhole;
  if (rule == nullptr) rule = RefusedByGit(supervision, *at);
  return rule == nullptr ? 0 : Refused(supervision, handle.path, *rule);
}

int EvaluateMode(Supervision& supervision, const Handle& handle, mode_t mode) {
  const auto covers = [&handle](const Path& place) { return Covers(place.text(), handle.path); };
  const std::vector<Path>& within = supervision.modes_within;
  const bool has_name = handle.path.starts_with('/');
  if (has_name && !within.empty() && std::ranges::none_of(within, covers)) {
    return Refused(supervision, handle.path, NotAllowedRule());
  }
  constexpr mode_t kOpen = S_IRUSR | S_IXUSR;
  struct stat facts {};
  if ((mode & kOpen) == kOpen || ::fstat(handle.fd.get(), &facts) != 0) return 0;
  if (!S_ISDIR(facts.st_mode)) return 0;
  const GuardedName* held = FirstHeld(supervision, handle.path, &GuardedNames::HoldsBelow);
  return held == nullptr ? 0 : Refused(supervision, handle.path, *held);
}

}  // namespace ringfence
