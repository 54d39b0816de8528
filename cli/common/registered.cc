#include "cli/common/registered.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "agents/claude/setup/settings_editor.h"
#include "base/program.h"
#include "hook/options.h"
#include "policy/load/sources.h"
#include "run/ground.h"

namespace ringfence {
namespace {

constexpr const char* kHook = "/ringfence-hook";  // of this name, wherever it is installed

bool IsSame(const GroundOptions& one, const GroundOptions& other) {
  return one.common.home == other.common.home && one.root == other.root &&
         one.policy == other.policy && one.profile == other.profile;
}

// A registered --root that holds the home counts only where the client starts in it (FindPlaces).
bool IsRootHere(const std::string& root, const GroundOptions& given) {
  const Result<std::string> known = GivenOrOwnHome(given.common.home);
  const std::string home = known ? *known : "";
  if (!home.starts_with('/') || !root.starts_with('/')) return true;
  const bool holds_home = Path::Clean(home).IsInside(Path::Clean(root));
  if (!holds_home || Path::Clean(root).is_root()) return true;
  const std::string start = given.root.empty() ? CurrentDirectory() : Absolute(given.root);
  return start.starts_with('/') && Path::Clean(start) == Path::Clean(root);
}

}  // namespace

Result<GroundOptions> GroundOptionsOf(const HookEntry& entry, const GroundOptions& given) {
  std::vector<std::string> words = entry.args;
  std::vector<char*> pointers = ArgumentPointers(words);
  pointers.pop_back();  // the end of the list
  Result<HookOptions> options = ParseHookOptions(pointers);
  if (!options) return options.error();
  if (options->help || options->version) {
    return Error{Error::Kind::kInvalidConfig, entry.place,
                 "with --help or --version the hook decides nothing", ""};
  }
  if (options->trial) {
    return Error{Error::Kind::kInvalidConfig, entry.place,
                 "--trial is for ringfence doctor: a registration with it keeps no audit log", ""};
  }
  GroundOptions ground = given;
  if (!options->home.empty()) ground.common.home = options->home;
  if (!options->root.empty() && IsRootHere(options->root, ground)) ground.root = options->root;
  ground.policy = options->policy;
  ground.profile = options->profile;
  return ground;
}

std::vector<RegisteredGround> RegisteredGrounds(const GroundOptions& given,
                                                const std::vector<SettingsFile>& files,
                                                const std::string& program) {
  std::vector<RegisteredGround> grounds;
  for (const SettingsFile& file : files) {
    if (!MayRunHooks(file)) continue;
    for (const HookEntry& entry : file.settings.hooks) {
      if (entry.event != ServedEvents().front() || !Runs(entry, program)) continue;
      Result<GroundOptions> options = GroundOptionsOf(entry, given);
      if (!options) continue;  // said where the entry is judged
      const bool is_known = std::ranges::any_of(
          grounds, [&](const RegisteredGround& g) { return IsSame(g.options, *options); });
      if (!is_known) grounds.push_back({entry.place, std::move(*options)});
    }
  }
  return grounds;
}

std::string NearestProject(const Whereabouts& where) {
  const auto registers = [&](const std::string& folder, SettingsLayer layer) {
    const auto file = ReadSettingsFile(layer, {where.home, where.config_dir, folder});
    return file && !RegisteredGrounds({}, {*file}, kHook).empty();
  };
  for (Path path = Path::Clean(where.project); !path.is_root(); path = path.Parent()) {
    const std::string& folder = path.text();
    if (folder == where.home) break;
    const bool has_policy = ::access(ProjectPolicyPath(folder).c_str(), F_OK) == 0;
    if (has_policy || registers(folder, SettingsLayer::kProject) ||
        registers(folder, SettingsLayer::kLocal)) {
      return folder;
    }
  }
  return where.project;
}

Result<std::vector<GroundOptions>> GroundsHere(const GroundOptions& given) {
  Result<Whereabouts> where = FindProject(given.common.home, given.root);
  if (!where) return where.error();
  GroundOptions start = given;
  if (given.root.empty()) {
    const std::string project = NearestProject(*where);
    // The current directory is not named: as a project by option, the home would be accepted.
    if (project != where->project) start.root = project;
    where->project = project;
  }
  const Result<std::vector<SettingsFile>> files = ReadSettingsFiles(*where);
  if (!files) return files.error();
  std::vector<GroundOptions> grounds;
  for (RegisteredGround& ground : GroundsInForce(start, *files, kHook)) {
    if (!given.root.empty()) ground.options.root = given.root;
    grounds.push_back(std::move(ground.options));
  }
  return grounds;
}

std::vector<RegisteredGround> GroundsInForce(const GroundOptions& given,
                                             const std::vector<SettingsFile>& files,
                                             const std::string& program) {
  std::vector<RegisteredGround> grounds;
  if (given.policy.empty() && given.profile.empty()) {
    grounds = RegisteredGrounds(given, files, program);
  }
  if (grounds.empty()) grounds.push_back({"", given});
  return grounds;
}

}  // namespace ringfence
