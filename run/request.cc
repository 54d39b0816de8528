#include "run/request.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "agents/claude/agent.h"
#include "base/environment.h"
#include "base/text.h"
#include "policy/load/sources.h"
#include "run/typed_context.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

SandboxMode ModeOf(const std::string& name) {
  if (name == "rx") return SandboxMode::kRx;
  return name == "rwx" ? SandboxMode::kRwx : SandboxMode::kSandbox;
}

bool HasNameOf(const Agent& agent, const std::vector<std::string>& command) {
  if (command.empty()) return false;
  const std::string& name = command.front();
  return name.substr(name.rfind('/') + 1) == agent.program;
}

// True if the command has the agent's name and is not itself started by an agent.
bool IsAgent(const std::vector<std::string>& command, const Agent& agent) {
  return std::getenv(agent.variables.started) == nullptr && HasNameOf(agent, command);
}

// The agent's own sandbox cannot start inside this one, so each command of an agent that uses it
// would fail. The user's own value of the option counts, as there can be only one.
void SwitchOwnSandboxOff(const Agent& agent, std::vector<std::string>& command) {
  if (!HasNameOf(agent, command)) return;
  const std::string option(agent.settings.option);
  const auto is_given = [&option](const std::string& word) {
    return word == option || word.starts_with(option + "=");
  };
  if (std::ranges::any_of(command, is_given)) return;
  command.insert(command.begin() + 1, {option, std::string(agent.settings.no_sandbox)});
}

SandboxCommand CommandOf(const RunOptions& options) {
  SandboxCommand command;
  command.argv = options.command;
  command.cwd = CurrentDirectory();
  command.environment = OwnEnvironment();
  command.session = options.session;
  command.is_agent = options.is_agent || IsAgent(options.command, ClaudeCode());
  command.is_trial = options.trial;
  if (options.no_sandbox) command.mode = SandboxMode::kRwx;
  if (!options.mode.empty()) command.mode = ModeOf(options.mode);
  if (options.layers == "full") command.layers = SandboxLayers::kFull;
  if (options.layers == "landlock") command.layers = SandboxLayers::kLandlock;
  return command;
}

std::string AbsoluteOr(const std::string& path) { return path.empty() ? "" : Absolute(path); }

}  // namespace

Result<RunRequest> ReadRequest(const RunOptions& options, const CachedFiles& files,
                               bool macos_names) {
  if (options.no_sandbox && !options.mode.empty() && options.mode != "rwx") {
    return UsageError("--no-sandbox", "cannot be combined with --mode " + options.mode,
                      "leave one of them out: --no-sandbox confines nothing");
  }
  // Paths on the command line are relative to the directory in which it was typed.
  Registration typed = options;
  typed.root = AbsoluteOr(options.root);
  typed.policy = AbsoluteOr(options.policy);
  const std::string write = AbsoluteOr(options.write);
  if (!options.chdir.empty() && ::chdir(options.chdir.c_str()) != 0) {
    return UsageError("--chdir", Quote(options.chdir) + " cannot be entered",
                      "name an existing directory");
  }
  Result<Context> context = FindTypedContext(std::move(typed), files);
  if (!context) return context.error();
  if (macos_names) context->places.macos_names = true;
  if (!options.session.empty()) {
    if (SessionGrantsPath("", options.session).empty()) {
      return UsageError("--session", Quote(options.session) + " is not a session id",
                        "it is the \"session_id\" of the client's events");
    }
    const Result<bool> granted =
        AddSessionGrants(options.session, context->places, context->sources);
    if (!granted) return granted.error();
  }
  Result<Policy> policy = context->PolicyFor();
  if (!policy) return policy.error();
  context->places.audit_file = OwnPath(policy->audit.file, context->places);
  RunRequest request{std::move(*context), std::move(*policy), CommandOf(options)};
  request.command.also_writable = write;
  if (options.stage) request.command.stage = StagesFolder(request.context.places).Child("ID");
  const SandboxMode mode = request.command.mode.value_or(request.policy.sandbox.mode);
  if (mode != SandboxMode::kRwx) SwitchOwnSandboxOff(ClaudeCode(), request.command.argv);
  request.caller.session_id = options.session;
  return request;
}

}  // namespace ringfence
