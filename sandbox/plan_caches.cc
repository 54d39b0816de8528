#include "sandbox/plan_caches.h"

#include <algorithm>
#include <array>
#include <optional>

#include "policy/files/resolve.h"
#include "policy/load/trust.h"
#include "sandbox/environment.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

struct Cache {
  std::string_view folder;    // in the home
  std::string_view variable;  // names another directory for it; "" for none
  std::string_view instead;   // below the temporary directory, if the home has none
};

// A cache precedes those inside it. One without a variable cannot be redirected.
constexpr auto kKnownCaches = std::to_array<Cache>({
    {".cache", "XDG_CACHE_HOME", "/.cache"},  // ccache, Go, pip, Playwright, pre-commit, uv, yarn
    {".npm", "npm_config_cache", "/.cache/npm"},
    {".cache/yarn", "YARN_CACHE_FOLDER", "/.cache/yarn"},
    {".cache/pip", "PIP_CACHE_DIR", "/.cache/pip"},
    {".cache/uv", "UV_CACHE_DIR", "/.cache/uv"},
    {".cargo", "CARGO_HOME", "/.cache/cargo"},
    {".cache/go-build", "GOCACHE", "/.cache/go-build"},
    {".gradle", "GRADLE_USER_HOME", "/.cache/gradle"},
    {".cache/ccache", "CCACHE_DIR", "/.cache/ccache"},
    {".ccache", "", ""},
    {".m2", "", ""},
    {".ivy2", "", ""},
    {".nuget/packages", "", ""},
    {"go/pkg/mod", "", ""},
    {".yarn/berry", "", ""},
    {".local/share/pnpm", "", ""},
    {".bun/install/cache", "", ""},
});

// Read-only parts of the home's cache, for programs that can use them with a cache elsewhere.
struct ReadOnlyPart {
  std::string_view of;  // the variable of the cache
  std::string_view folder;
  std::string_view variable;
};
constexpr auto kReadOnlyParts = std::to_array<ReadOnlyPart>({
    {"GRADLE_USER_HOME", ".gradle/caches", "GRADLE_RO_DEP_CACHE"},
    {"XDG_CACHE_HOME", ".cache/ms-playwright", "PLAYWRIGHT_BROWSERS_PATH"},
});

std::string BelowHome(const PlanRequest& request, std::string_view folder) {
  const std::vector<Path>& homes = request.places.homes_real;
  return homes.empty() ? "" : homes.front().text() + "/" + std::string(folder);
}

std::optional<Walked> FindCache(const PlanRequest& request, const std::string& source) {
  if (source.empty()) return {};
  Walked walked = Walk(source, request.files);
  if (walked.stop != Walked::Stop::kEnd) return {};
  return walked;
}

// Returns the directory that the caller's environment names; "" for the home's own.
std::string GivenSource(const PlanRequest& request, const Cache& cache) {
  std::string_view given;
  if (!cache.variable.empty()) {
    given = EnvironmentValue(request.command.environment, cache.variable);
  }
  return given.starts_with('/') ? std::string(given) : "";
}

// Returns the directory that the caller's programs use.
std::string SourceOf(const PlanRequest& request, const Cache& cache) {
  const std::string given = GivenSource(request, cache);
  return given.empty() ? BelowHome(request, cache.folder) : given;
}

// Looks names up without a walk first, since most homes lack most caches.
std::optional<Walked> FindCache(const PlanRequest& request, const Cache& cache) {
  const std::string given = GivenSource(request, cache);
  const std::vector<Path>& homes = request.places.homes_real;
  if (!given.empty()) return FindCache(request, given);
  if (homes.empty()) return {};
  const CachedFiles& files = request.files;
  const Result<FileKind> kind = files.KindBelow(files.FolderOf(homes.front()), cache.folder);
  if (!kind || *kind != FileKind::kMissing) return FindCache(request, SourceOf(request, cache));
  Walked walked;
  walked.end = homes.front().Child(cache.folder);
  return walked;
}

PlannedCache* CacheAround(SandboxPlan& plan, const Path& path) {
  const auto found = std::ranges::find_if(
      plan.caches, [&path](const PlannedCache& cache) { return path.IsInside(cache.path); });
  return found == plan.caches.end() ? nullptr : &*found;
}

// True if the directory is not a cache, but holds a home, its state or the project: a variable can
// name any directory.
bool HoldsMore(const PlanRequest& request, const Path& path) {
  std::vector<Path> places = request.places.homes_real;
  for (const Path& home : request.places.homes_real) {
    places.push_back(Path::Clean(StateFolder(home.text())));
  }
  places.push_back(request.places.root_real);
  return std::ranges::any_of(places, [&path](const Path& place) { return place.IsInside(path); });
}

std::string Variable(std::string_view name, const std::string& value) {
  return std::string(name) + "=" + value;
}

// Adds the variables for the case that the home's cache is not writable.
void AddInstead(const PlanRequest& request, const Cache& cache, const std::string& tmp,
                std::vector<std::string>& variables) {
  if (cache.variable.empty() || tmp.empty()) return;
  variables.push_back(Variable(cache.variable, tmp + std::string(cache.instead)));
  for (const ReadOnlyPart& part : kReadOnlyParts) {
    if (part.of != cache.variable) continue;
    const std::string folder = BelowHome(request, part.folder);
    const std::optional<Walked> walked = FindCache(request, folder);
    if (!walked || walked->facts.kind != FileKind::kDirectory) continue;
    variables.push_back(Variable(part.variable, folder));
  }
}

}  // namespace

std::vector<PlannedCache> FindCaches(const PlanRequest& request, const SandboxPlan& plan) {
  std::vector<PlannedCache> caches;
  const bool can_copy = plan.system == HostSystem::kLinux && plan.has_namespaces();
  if (!can_copy) return caches;
  for (const Cache& cache : kKnownCaches) {
    const std::optional<Walked> walked = FindCache(request, cache);
    if (!walked || walked->facts.kind != FileKind::kDirectory) continue;
    const Path& path = walked->end;
    const auto overlaps = [&path](const auto& other) {
      return path.IsInside(other.path) || other.path.IsInside(path);
    };
    const bool is_wrong = IsPrivateItself(plan, path) || HoldsMore(request, path);
    if (is_wrong || Holding(plan.writable, path) != nullptr) continue;
    if (std::ranges::none_of(caches, overlaps)) caches.push_back({.path = path});
  }
  return caches;
}

void SettleCaches(SandboxPlan& plan) {
  std::erase_if(plan.caches, [&plan](const PlannedCache& cache) {
    const auto covers = [&cache](const HiddenPlace& place) { return place.covers(cache.path); };
    const bool is_listed = plan.reads_all || Holding(plan.readable, cache.path) != nullptr;
    return !is_listed || std::ranges::any_of(plan.hidden, covers);
  });
  for (const PlannedCache& cache : plan.caches) {
    // A session's changes to it are kept on the host.
    if (plan.session_tmp.is_root()) {
      plan.names.ExemptCopy(cache.path);
    } else {
      plan.names.AddOwn(cache.path);
    }
  }
}

std::vector<std::string> CacheVariables(const PlanRequest& request, SandboxPlan& plan,
                                        const std::string& tmp) {
  std::vector<std::string> variables;
  for (const Cache& cache : kKnownCaches) {
    const std::string source = SourceOf(request, cache);
    const std::optional<Walked> walked = FindCache(request, cache);
    PlannedCache* around = walked ? CacheAround(plan, walked->end) : nullptr;
    const bool is_writable = walked && Holding(plan.writable, walked->end) != nullptr;
    if (around != nullptr) AddInstead(request, cache, tmp, around->instead);
    if (around == nullptr && !is_writable) {
      AddInstead(request, cache, tmp, variables);
    } else if (!cache.variable.empty() && source != BelowHome(request, cache.folder)) {
      variables.push_back(Variable(cache.variable, source));
    }
  }
  return variables;
}

}  // namespace ringfence
