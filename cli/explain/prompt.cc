// `ringfence prompt`: prints the policy's boundaries in words, for a system prompt.
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_line/options.h"
#include "cli/common/console.h"
#include "cli/common/policies.h"
#include "cli/common/registered.h"
#include "hook/session_text.h"
#include "policy/files/real_files.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

struct PromptOptions {
  Registration given;
  bool json = false;
  std::string mode;
};

std::optional<SandboxMode> SandboxModeOf(const std::string& word) {
  if (word == "rx") return SandboxMode::kRx;
  if (word == "sandbox") return SandboxMode::kSandbox;
  if (word == "rwx") return SandboxMode::kRwx;
  return {};
}

Outcome RunPrompt(const PromptOptions& options) {
  const RealFiles files;
  const Result<std::vector<Registration>> contexts = RegistrationsHere(options.given);
  if (!contexts) return contexts.error();
  const Registration& here = contexts->front();
  Result<Context> context = FindTypedContext(here, files);
  if (!context) return context.error();
  const Result<Policy> policy = context->PolicyFor();
  if (!policy) return policy.error();
  const SandboxMode mode = SandboxModeOf(options.mode).value_or(policy->sandbox.mode);
  const std::string text =
      BoundaryText(*policy, *context, mode, SandboxOfPrograms(*policy, mode, InAgents::kNo));
  const Console console;
  if (options.json) {
    PrintJson(OrderedJson{{"prompt", text}});
  } else {
    console.Line(text.substr(0, text.size() - 1));
  }
  return 0;
}

}  // namespace

void AddPrompt(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "prompt", "Print the policy's boundaries in words, for an agent's prompt",
                 "  ringfence prompt --profile worker\n"
                 "  ringfence prompt --mode rx --root ~/src/shop");
  const auto options = std::make_shared<PromptOptions>();
  AddContextOptions(command, options->given, options->json);
  command.AddOption("--mode MODE", options->mode, "sandbox, rx or rwx (default: the policy's)")
      .OneOf({"sandbox", "rx", "rwx"});
  command.OnGiven([options, &chosen] { chosen = [options] { return RunPrompt(*options); }; });
}

}  // namespace ringfence
