#include "cli/common/hook_command.h"

#include <filesystem>

#include "agents/claude/agent.h"
#include "agents/claude/event_reader.h"
#include "hook/wrap.h"

namespace ringfence {

HookCommand CommandOf(const HookRegistration& registration) {
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

bool MayWrap(const PolicySources& sources) {
  EventFilter filter;
  for (const PolicySource& source : sources.sources) AddNeeds(*source.file, filter);
  return filter.keeps_input;
}

}  // namespace ringfence
