// State that git keeps of a rebase, cherry-pick or revert which has stopped: "git ... --continue",
// perhaps outside the sandbox, runs what it says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

// The longest todo list that is read, in bytes.
inline constexpr size_t kMaxRebaseTodo = size_t{4} << 20;

// Why `text` may not become a todo list of "git rebase" (git-rebase(1), "INTERACTIVE MODE"), or
// nothing: each line is a comment or a command that runs no program.
std::optional<std::string> WhyNoRebaseTodo(std::string_view text);

// The same of ".git/sequencer/opts", a configuration file: the merge strategy is one of git's own.
// git runs any other as the program "git-merge-STRATEGY", which may hold a path.
std::optional<std::string> WhyNoSequencerOptions(std::string_view text);

}  // namespace ringfence
