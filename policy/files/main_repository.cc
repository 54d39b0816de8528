#include "policy/files/main_repository.h"

#include <optional>
#include <string>

#include "base/utf8.h"
#include "policy/files/resolve.h"

namespace ringfence {
namespace {

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

Path MainRepositoryOf(const Path& folder, const FileView& files) {
  for (Path at = folder;; at = at.Parent()) {
    const Result<FileFacts> facts = files.Look(at.Child(".git"));
    if (facts && facts->kind == FileKind::kFile) return MainOfWorktree(at, files).value_or(at);
    if (facts && (facts->kind == FileKind::kDirectory || facts->kind == FileKind::kLink)) return at;
    if (at.is_root()) return folder;
  }
}

}  // namespace ringfence
