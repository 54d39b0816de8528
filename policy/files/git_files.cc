#include "policy/files/git_files.h"

#include <algorithm>
#include <span>

#include "base/case_fold.h"
#include "base/text.h"

namespace ringfence {
namespace {

// git takes any folder with these three for a repository.
constexpr std::string_view kParts[] = {"HEAD", "objects", "refs"};
// These choose programs that git runs.
constexpr std::string_view kOwn[] = {"HEAD", "config", "config.worktree", "hooks"};

bool IsAmong(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::any_of(names,
                             [name](std::string_view n) { return FoldsTo(name, LowerAscii(n)); });
}

// `folder` has the three, or has them when `made` is there as well.
bool IsBare(const Path& folder, std::string_view made, const CachedFiles& files) {
  return std::ranges::all_of(kParts, [&](std::string_view part) {
    if (FoldsTo(made, LowerAscii(part))) return true;
    const Result<FileFacts> facts = files.Look(folder.Child(part));
    return facts && facts->kind != FileKind::kMissing;
  });
}

// A name ".git" that is written, or that the write makes on its way.
bool MakesDotGit(const Walked& walked) {
  if (FoldsTo(walked.end.name(), ".git")) return true;
  return std::ranges::any_of(walked.steps, [](const WalkStep& step) {
    return step.kind == FileKind::kMissing && FoldsTo(step.path.name(), ".git");
  });
}

// What chooses programs in a bare repository, or the last part that makes a folder one.
bool TouchesBare(const Walked& walked, const CachedFiles& files) {
  for (Path path = walked.end; !path.is_root(); path = path.Parent()) {
    const std::string_view name = path.name();
    if (!IsAmong(name, kOwn) && !IsAmong(name, kParts)) continue;
    const Path folder = path.Parent();
    if (FoldsTo(folder.name(), ".git")) continue;  // @runs-later names its files
    const Result<FileFacts> facts = files.Look(path);
    const bool is_new = facts && facts->kind == FileKind::kMissing;
    if ((is_new || IsAmong(name, kOwn)) && IsBare(folder, name, files)) return true;
  }
  return false;
}

}  // namespace

bool MakesRepository(const Walked& walked, const CachedFiles& files) {
  return MakesDotGit(walked) || TouchesBare(walked, files);
}

bool IsInPackageStore(const Path& path, const std::vector<std::string_view>& stores) {
  std::string_view rest = path.text();
  for (;;) {
    const std::string_view component = TakeComponent(rest);
    if (component.empty()) return false;
    if (std::ranges::find(stores, component) != stores.end()) return true;
  }
}

}  // namespace ringfence
