// `ringfence prompt`: the boundaries in words, for a system prompt.
#include "cli/explain/prompt.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/common/console.h"
#include "cli/common/ground_options.h"
#include "cli/common/registered.h"
#include "hook/session_text.h"
#include "policy/files/real_files.h"

namespace ringfence {
namespace {

struct PromptOptions {
  GroundOptions ground;
  std::string mode;
};

std::optional<SandboxMode> ModeOf(const std::string& word) {
  if (word == "rx") return SandboxMode::kRx;
  if (word == "sandbox") return SandboxMode::kSandbox;
  if (word == "rwx") return SandboxMode::kRwx;
  return {};
}

Outcome RunPrompt(const PromptOptions& options) {
  const RealFiles files;
  const Result<std::vector<GroundOptions>> grounds = GroundsHere(options.ground);
  if (!grounds) return grounds.error();
  const GroundOptions& here = grounds->front();
  Result<Ground> ground = FindGround(here, files);
  if (!ground) return ground.error();
  const Result<Policy> policy = MergePolicies(ground->sources, here.profile, ground->places, {});
  if (!policy) return policy.error();
  const SandboxMode mode = ModeOf(options.mode).value_or(policy->sandbox.mode);
  const std::string text = BoundaryText(*policy, *ground, mode);
  const Console console;
  if (options.ground.common.json) {
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
  AddGroundOptions(command, options->ground);
  command.AddOption("--mode", options->mode, "sandbox, rx or rwx (default: the policy's)")
      .OneOf({"sandbox", "rx", "rwx"})
      .Type("MODE");
  command.OnGiven([options, &chosen] { chosen = [options] { return RunPrompt(*options); }; });
}

}  // namespace ringfence
