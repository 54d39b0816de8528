#include "cli/setup/guarded_paths.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "agents/claude/setup/client_sandbox.h"
#include "base/contains.h"
#include "cli/common/file_place.h"
#include "policy/files/real_files.h"

namespace ringfence {
namespace {

// Caches without which installing or building fails. pip and others work without theirs.
constexpr std::string_view kCaches[] = {
    ".npm",        ".cache/ccache", ".cache/go-build", "go/pkg/mod",      ".cargo/registry",
    ".cargo/git",  ".gradle",       ".m2/repository",  ".cache/uv",       ".local/share/pnpm",
    ".cache/yarn", ".yarn/berry",   ".bun/install",    ".nuget/packages", ".cache/pypoetry",
};

// Returns the directories that are guarded as a whole.
std::vector<std::string> OwnFolders(const GuardQuestion& question) {
  const Places& places = question.policies.places;
  std::vector<std::string> folders{question.where.home + "/.config/ringfence",
                                   question.where.home + "/.local/state/ringfence"};
  // With "root": "git" the policy may be above the directory of the settings.
  const bool is_own_root = places.root == Path::Clean(question.where.project_dir);
  if (IsPerProject(question.layer) && is_own_root) {
    folders.push_back(places.root_real.text() + "/.ringfence");
  }
  return folders;
}

std::vector<std::string> OwnFiles(const GuardQuestion& question) {
  const Places& places = question.policies.places;
  std::vector<std::string> files{question.hook.path};
  for (const Path& program : places.programs) {
    if (::access(program.text().c_str(), F_OK) == 0) files.push_back(program.text());
  }
  if (!question.hook.command.empty()) files.push_back(question.hook.command);
  if (!question.policy_option.empty()) files.push_back(question.policy_option);
  for (const PolicySource& source : question.policies.sources.sources) {
    files.push_back(source.file->path);
  }
  const std::optional<Path> log = OwnPath(question.policy.audit.file, places);
  if (log) files.push_back(log->text());
  return files;
}

}  // namespace

std::vector<std::string> ClosedCaches(const Policy& policy, const Places& places) {
  std::vector<std::string> closed;
  if (places.homes.empty()) return closed;
  const Path& home = places.homes.front();
  const std::vector<std::string> open = FoldersOutside(policy, places);
  for (const std::string_view name : kCaches) {
    const Path cache = home.Child(name);
    const Result<FileFacts> facts = RealFiles().Look(cache);
    const bool is_open =
        cache.IsInside(places.root) || std::ranges::any_of(open, [&](const std::string& folder) {
          return cache.IsInside(Path::Clean(folder));
        });
    if (facts && facts->kind == FileKind::kDirectory && !is_open) {
      closed.push_back("~/" + std::string(name));
    }
  }
  return closed;
}

std::vector<std::string> GuardedPaths(const GuardQuestion& question) {
  std::vector<std::string> paths{"~/.config/ringfence", "~/.local/state/ringfence"};
  if (IsPerProject(question.layer)) paths.emplace_back("./.ringfence");
  const std::vector<std::string> folders = OwnFolders(question);
  const auto add = [&](const std::string& path) {
    const auto below = [&](const std::string& folder) { return path.starts_with(folder + "/"); };
    std::string text = WithTilde(path, question.where.home);
    const bool is_there = Contains(paths, text);
    if (is_there || std::ranges::any_of(folders, below)) return;
    paths.push_back(std::move(text));
  };
  for (const std::string& file : OwnFiles(question)) {
    add(file);
    // The target of a link can be written under its own name.
    if (const Result<std::string> target = FollowedPath(file)) add(*target);
  }
  return paths;
}

}  // namespace ringfence
