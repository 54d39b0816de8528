#include "policy/git_files.h"

#include <algorithm>

#include "base/case_fold.h"

namespace ringfence {
namespace {

bool IsThere(const Path& folder, std::string_view name, const CachedFiles& files) {
  const Result<FileFacts> facts = files.Look(folder.Child(name));
  return facts && facts->kind != FileKind::kMissing;
}

// git takes any folder with these three for a repository.
bool LooksBare(const Path& folder, const CachedFiles& files) {
  return IsThere(folder, "HEAD", files) && IsThere(folder, "objects", files) &&
         IsThere(folder, "refs", files);
}

// A file named ".git", or the first missing folder on the way is named so.
bool MakesDotGit(const Walked& walked) {
  if (FoldsTo(walked.end.name(), ".git")) return true;
  for (const WalkStep& step : walked.steps) {
    if (step.kind == FileKind::kMissing) return FoldsTo(step.path.name(), ".git");
  }
  return false;
}

// "HEAD", "config", or below "hooks" or "objects", of a folder that is or becomes a repository.
bool TouchesBare(const Path& path, const CachedFiles& files) {
  constexpr std::string_view kOwn[] = {"HEAD", "config", "config.worktree", "objects", "refs"};
  const Path folder = path.Parent();
  if (std::ranges::find(kOwn, path.name()) != std::end(kOwn) && LooksBare(folder, files)) {
    return folder.name() != ".git";
  }
  return folder.name() == "hooks" && LooksBare(folder.Parent(), files);
}

}  // namespace

bool MakesRepository(const Walked& walked, const CachedFiles& files) {
  return MakesDotGit(walked) || TouchesBare(walked.end, files);
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
