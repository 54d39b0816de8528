// State that git keeps of a stopped rebase, cherry-pick or revert. "git ... --continue", possibly
// outside the sandbox, runs the commands in it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

// The longest todo list that is read, in bytes.
inline constexpr size_t kMaxRebaseTodo = size_t{4} << 20;

// Returns the reason to refuse `text` as a todo list of "git rebase" (git-rebase(1), "INTERACTIVE
// MODE"), or nothing if each line is a comment or a command that runs no program.
std::optional<std::string> WhyNoRebaseTodo(std::string_view text);

// The same for ".git/sequencer/opts", a configuration file: the merge strategy must be one of git's
// own. git runs any other as the program "git-merge-STRATEGY", which can contain a path.
std::optional<std::string> WhyNoSequencerOptions(std::string_view text);

}  // namespace ringfence
