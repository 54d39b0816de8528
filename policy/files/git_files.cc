#include "policy/files/git_files.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/contains.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

constexpr std::string_view kChoosers[] = {"head", "config", "config.worktree", "hooks"};

bool IsBareOnceMade(const Path& folder, std::string_view made, const CachedFiles& files) {
  return HasRepositoryParts(made, [&](const char* part) {
    return files.KindOr(FileKind::kMissing, folder.Child(part)) != FileKind::kMissing;
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
    const bool is_new = files.KindOr(FileKind::kFile, path) == FileKind::kMissing;
    if ((is_new || chooses) && IsBareOnceMade(folder, name, files)) return true;
  }
  return false;
}

// Returns the only line of a small git file without its line end, or nothing if it cannot be read.
std::optional<std::string> GitLine(const Path& file, const FileView& files) {
  Result<std::string> text = files.ReadText(file, kMaxGitFile);
  if (!text) return {};
  return std::string(TrimSpace(*text));
}

// Resolves a path from a git file, which may be relative to `folder`.
Path PathFrom(const Path& folder, std::string_view text) {
  if (text.starts_with('/')) return Path::Clean(text);
  return Path::Clean(folder.text() + "/" + std::string(text));
}

// Returns the repository that a worktree's ".git" file leads to. The repository must name the
// worktree as well, so that a file in a project cannot claim another project's memory.
std::optional<Path> MainOfWorktree(const Path& worktree, const FileView& files) {
  constexpr std::string_view kGitDir = "gitdir:";
  const std::optional<std::string> link = GitLine(worktree.Child(".git"), files);
  if (!link || !link->starts_with(kGitDir)) return {};
  const Path own = PathFrom(worktree, TrimSpace(std::string_view(*link).substr(kGitDir.size())));
  const std::optional<std::string> common = GitLine(own.Child("commondir"), files);
  const std::optional<std::string> back = GitLine(own.Child("gitdir"), files);
  if (!common || !back) return {};
  const Path repository = PathFrom(own, *common);
  if (own.Parent() != repository.Child("worktrees")) return {};
  const Walked named = Walk(PathFrom(own, *back).Parent().text(), files);
  if (named.stop != Walked::Stop::kEnd || named.end != worktree) return {};
  if (repository.name() == ".git") return repository.Parent();
  return repository;  // a bare repository
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
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    if (Contains(stores, name)) return true;
  }
  return false;
}

Path MainRepositoryOf(const Path& folder, const FileView& files) {
  for (Path at = folder;; at = at.Parent()) {
    const FileKind git = files.KindOr(FileKind::kMissing, at.Child(".git"));
    if (git == FileKind::kFile) return MainOfWorktree(at, files).value_or(at);
    if (git == FileKind::kDirectory || git == FileKind::kLink) return at;
    if (at.is_root()) return folder;
  }
}

}  // namespace ringfence
