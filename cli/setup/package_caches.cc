#include "cli/setup/package_caches.h"

#include <algorithm>

#include "agents/claude/setup/client_sandbox.h"
#include "policy/files/real_files.h"

namespace ringfence {
namespace {

// Caches without which installing or building fails. pip and others work without theirs.
constexpr std::string_view kCaches[] = {
    ".npm",        ".cache/ccache", ".cache/go-build", "go/pkg/mod",      ".cargo/registry",
    ".cargo/git",  ".gradle",       ".m2/repository",  ".cache/uv",       ".local/share/pnpm",
    ".cache/yarn", ".yarn/berry",   ".bun/install",    ".nuget/packages", ".cache/pypoetry",
};

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

}  // namespace ringfence
