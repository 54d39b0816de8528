#include "cli/command_line/completion.h"

#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "cli/command_line/commands.h"
#include "cli/common/policies.h"

namespace ringfence {
namespace {

// True if every shell takes `name` as one plain word: a project's policy can choose the names.
bool IsPlainShellWord(std::string_view name) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !name.empty() && name[0] != '-' && name.find_first_not_of(kPlain) == std::string::npos;
}

// Prints the profiles of the policies in force in the current directory, one per line.
Outcome PrintProfiles() {
  Result<Registration> where = FindRegistration("", "");
  if (!where) return where.error();
  BorrowedProject borrowed;
  const Result<Context> policies = borrowed.Find(*where);
  if (!policies) return policies.error();
  std::set<std::string_view> names;
  for (const PolicySource& source : policies->sources.sources) {
    if (!source.trusted) continue;
    for (const Profile& profile : source.file->profiles) names.insert(profile.name);
  }
  std::string text;
  for (const std::string_view name : names) {
    if (IsPlainShellWord(name)) text.append(name).append("\n");
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

constexpr const char* kCompletionExamples =
    "  ringfence completion bash > ~/.local/share/bash-completion/completions/ringfence\n"
    "  ringfence completion zsh > ~/.zfunc/_ringfence\n"
    "  ringfence completion fish > ~/.config/fish/completions/ringfence.fish";

}  // namespace

void AddCompletion(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "completion", "Print a shell's completion script", kCompletionExamples);
  const auto shell = std::make_shared<std::string>();
  command.AddOption("shell SHELL", *shell, "The shell").OneOf({"bash", "zsh", "fish"});
  const auto profiles = std::make_shared<bool>(false);
  command.AddFlag("--profiles", *profiles,
                  "Print the names of profiles instead, which the scripts offer after --profile");
  command.OnGiven([&all = app.app(), &chosen, shell, profiles] {
    chosen = [&all, shell, profiles]() -> Outcome {
      if (*profiles) return PrintProfiles();
      if (shell->empty()) {
        return UsageError("", "no shell given", "name one: bash, zsh or fish");
      }
      const std::string script = CompletionScript(all, *shell);
      std::fwrite(script.data(), 1, script.size(), stdout);
      return 0;
    };
  });
}

}  // namespace ringfence
