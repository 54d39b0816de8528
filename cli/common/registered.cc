#include "cli/common/registered.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "agents/claude/agent.h"
#include "agents/claude/setup/settings_editor.h"
#include "base/environment.h"
#include "base/program.h"
#include "hook/options.h"
#include "hook/wrap.h"
#include "policy/load/sources.h"

namespace ringfence {
namespace {

constexpr const char* kHook = "/ringfence-hook";  // of this name, in any directory

bool IsSame(const Registration& one, const Registration& other) {
  return one.home == other.home && one.root == other.root && one.policy == other.policy &&
         one.profile == other.profile;
}

// True if a registered --root applies: one that contains the home applies only if the client starts
// in it (FindPlaces).
bool IsRootHere(const std::string& root, const Registration& given) {
  const Result<std::string> known = GivenOrOwnHome(given.home);
  const std::string home = known ? *known : "";
  if (!home.starts_with('/') || !root.starts_with('/')) return true;
  const bool holds_home = Path::Clean(home).IsInside(Path::Clean(root));
  if (!holds_home || Path::Clean(root).is_root()) return true;
  const std::string start = given.root.empty() ? CurrentDirectory() : Absolute(given.root);
  return start.starts_with('/') && Path::Clean(start) == Path::Clean(root);
}

}  // namespace

Result<Registration> RegistrationOf(const HookEntry& entry, const Registration& given) {
  std::vector<std::string> words = entry.args;
  std::vector<char*> pointers = ArgumentPointers(words);
  pointers.pop_back();  // the terminating nullptr
  Result<HookOptions> options = ParseHookOptions(pointers);
  if (!options) return options.error();
  if (options->help || options->version) {
    return ConfigError(entry.place, "with --help or --version the hook decides nothing");
  }
  if (options->trial) {
    return ConfigError(
        entry.place, "--trial is for ringfence doctor: a registration with it keeps no audit log");
  }
  if (options->is_plugin) {
    return ConfigError(entry.place,
                       "--plugin is for the plugin, which has a registration of its own");
  }
  Registration registration = given;
  if (!options->home.empty()) registration.home = options->home;
  if (!options->root.empty() && IsRootHere(options->root, registration)) {
    registration.root = options->root;
  }
  registration.policy = options->policy;
  registration.profile = options->profile;
  return registration;
}

std::vector<Registered> RegistrationsIn(const Registration& given,
                                        const std::vector<SettingsFile>& files,
                                        const std::string& program) {
  std::vector<Registered> all;
  for (const SettingsFile& file : files) {
    if (!MayRunHooks(file)) continue;
    for (const HookEntry& entry : file.settings.hooks) {
      if (entry.event != ServedEvents().front() || !Runs(entry, program)) continue;
      Result<Registration> options = RegistrationOf(entry, given);
      if (!options) continue;  // reported when the entry is checked
      const bool is_known = std::ranges::any_of(
          all, [&](const Registered& known) { return IsSame(known.options, *options); });
      if (!is_known) all.push_back({entry.place, std::move(*options)});
    }
  }
  return all;
}

std::string NearestProject(const Registration& where) {
  const auto registers = [&](const std::string& folder, SettingsLayer layer) {
    Registration there = where;
    there.project_dir = folder;
    const auto file = ReadSettingsFile(layer, there);
    return file && !RegistrationsIn(Registration{}, {*file}, kHook).empty();
  };
  for (Path path = Path::Clean(where.project_dir); !path.is_root(); path = path.Parent()) {
    const std::string& folder = path.text();
    if (folder == where.home) break;
    const bool has_policy = ::access(ProjectPolicyPath(folder).c_str(), F_OK) == 0;
    if (has_policy || registers(folder, SettingsLayer::kProject) ||
        registers(folder, SettingsLayer::kLocal)) {
      return folder;
    }
  }
  return where.project_dir;
}

Result<std::vector<Registration>> RegistrationsHere(const Registration& given) {
  Result<Registration> where = FindProject(given.home, given.root);
  if (!where) return where.error();
  Registration start = given;
  if (given.root.empty()) {
    const std::string project = NearestProject(*where);
    // Does not set the current directory as an option, which would accept the home as a project.
    if (project != where->project_dir) start.root = project;
    where->project_dir = project;
  }
  const Result<std::vector<SettingsFile>> files = ReadSettingsFiles(*where);
  if (!files) return files.error();
  std::vector<Registration> all;
  for (Registered& one : RegistrationsInForce(start, *files, kHook)) {
    if (!given.root.empty()) one.options.root = given.root;
    all.push_back(std::move(one.options));
  }
  return all;
}

std::vector<Registered> RegistrationsInForce(const Registration& given,
                                             const std::vector<SettingsFile>& files,
                                             const std::string& program) {
  std::vector<Registered> all;
  if (given.policy.empty() && given.profile.empty()) {
    all = RegistrationsIn(given, files, program);
  }
  if (all.empty()) all.push_back({"", given});
  return all;
}

HookCommand CommandOf(const Registration& registration) {
  HookCommand command{registration.program, {}};
  const auto add = [&command](const char* option, const std::string& value) {
    if (value.empty()) return;
    command.arguments.emplace_back(option);
    command.arguments.push_back(value);
  };
  add("--home", registration.home);
  add("--root", registration.root);
  add("--profile", registration.profile);
  add("--policy", registration.policy);
  return command;
}

Result<std::vector<std::string>> WrappingRules(const std::string& hook) {
  Registration registration{.agent = &ClaudeCode(), .program = hook};
  std::error_code failed;
  registration.program_real = std::filesystem::canonical(hook, failed).string();
  const Result<std::string> program = WrapProgram(registration);
  if (!program) return program.error();
  return std::vector<std::string>{"Bash(" + *program + " enter *)", "Bash(exit)"};
}

}  // namespace ringfence
