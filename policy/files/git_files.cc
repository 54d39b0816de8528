#include "policy/files/git_files.h"

#include <algorithm>

namespace ringfence {
namespace {

constexpr std::string_view kChoosers[] = {"head", "config", "config.worktree", "hooks"};

bool IsBareOnceMade(const Path& folder, std::string_view made, const CachedFiles& files) {
  return HasRepositoryParts(made, [&](const char* part) {
    const Result<FileFacts> facts = files.Look(folder.Child(part));
    return facts && facts->kind != FileKind::kMissing;
  });
}

// True if the write goes to a file named ".git", or creates a directory of that name on the way.
bool MakesDotGit(const Walked& walked) {
  if (FoldsTo(walked.end.name(), ".git")) return true;
  return std::ranges::any_of(walked.steps, [](const WalkStep& step) {
    return step.kind == FileKind::kMissing && FoldsTo(step.path.name(), ".git");
  });
}

// True if the write changes a file that chooses programs in a bare repository, or creates the last
// part that makes a directory one.
bool TouchesBare(const Walked& walked, const CachedFiles& files) {
  for (Path path = walked.end; !path.is_root(); path = path.Parent()) {
    const std::string_view name = path.name();
    const bool chooses = ChoosesProgramsOfGit(name);
    if (!chooses && !IsRepositoryPart(name)) continue;
    const Path folder = path.Parent();
    if (FoldsTo(folder.name(), ".git")) continue;  // @runs-later covers its files
    const Result<FileFacts> facts = files.Look(path);
    const bool is_new = facts && facts->kind == FileKind::kMissing;
    if ((is_new || chooses) && IsBareOnceMade(folder, name, files)) return true;
  }
  return false;
}

}  // namespace

bool IsRepositoryPart(std::string_view name) {
  return std::ranges::any_of(
      kRepositoryParts, [&](const RepositoryPart& part) { return FoldsTo(name, part.folded); });
}

bool ChoosesProgramsOfGit(std::string_view name) {
  return std::ranges::any_of(kChoosers, [&](std::string_view own) { return FoldsTo(name, own); });
}

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
