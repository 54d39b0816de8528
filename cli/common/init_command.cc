#include "cli/common/init_command.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/program.h"
#include "hook/options.h"
#include "policy/evaluate/fix.h"

namespace ringfence {
namespace {

bool IsOurs(const HookEntry& entry) { return Runs(entry, "/ringfence-hook"); }

std::optional<HookOptions> OptionsIn(const SettingsFile& file) {
  for (const HookEntry& entry : file.settings.hooks) {
    if (!IsOurs(entry)) continue;
    std::vector<std::string> words = entry.args;
    std::vector<char*> pointers = ArgumentPointers(words);
    pointers.pop_back();  // the nullptr at the end
    Result<HookOptions> options = ParseHookOptions(pointers);
    if (options) return std::move(*options);
  }
  return {};
}

}  // namespace

std::string InitCommand(const SettingsFile& file, const Registration& where, PolicyOption policy) {
  std::string command = "ringfence init";
  if (file.layer != SettingsLayer::kUser) command += " --" + std::string(LayerName(file.layer));
  const auto add = [&command](const std::string& before, const std::string& value) {
    if (!value.empty()) command += before + ShellWord(value);
  };
  if (IsPerProject(file.layer)) add(" ", where.project_dir);
  if (const std::optional<HookOptions> options = OptionsIn(file)) {
    add(" --root ", options->root);
    add(" --profile ", options->profile);
    if (policy == PolicyOption::kKeep) add(" --policy ", options->policy);
  }
  return command;
}

std::string InitCommandInForce(const std::vector<SettingsFile>& files, const Approvals& approvals,
                               const Registration& where) {
  const auto registers = [](const SettingsFile& file) {
    return std::ranges::any_of(file.settings.hooks, IsOurs);
  };
  const auto did_register = [&](const SettingsFile& file) {
    const ApprovedFile* approved = approvals.Find(file.settings.path);
    return approved != nullptr && !approved->registration.empty();
  };
  auto found = std::ranges::find_if(files, registers);
  if (found == files.end()) found = std::ranges::find_if(files, did_register);
  return found == files.end() ? "ringfence init" : InitCommand(*found, where);
}

}  // namespace ringfence
