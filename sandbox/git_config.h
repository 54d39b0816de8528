// The config allowed in a repository that a confined command created: keys that let git run no
// program, read no other config and write nowhere else (git-config(1)). The user runs git in such a
// repository, or around it, outside the sandbox.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

// The longest config that is read, in bytes.
inline constexpr size_t kMaxGitConfig = size_t{64} * 1024;

// Returns the reason to refuse `text`, the content of the file `path` (".../.git/config"), or
// nothing. The parser is strict: it rejects a line that git could read differently.
std::optional<std::string> WhyNoGitConfig(std::string_view text, std::string_view path);

// State that git keeps of a stopped rebase, cherry-pick or revert. "git ... --continue", possibly
// outside the sandbox, runs the commands in it.

// The longest todo list that is read, in bytes.
inline constexpr size_t kMaxRebaseTodo = size_t{4} << 20;

// Returns the reason to refuse `text` as a todo list of "git rebase" (git-rebase(1), "INTERACTIVE
// MODE"), or nothing if each line is a comment or a command that runs no program.
std::optional<std::string> WhyNoRebaseTodo(std::string_view text);

// The same for ".git/sequencer/opts", a configuration file: the merge strategy must be one of git's
// own. git runs any other as the program "git-merge-STRATEGY", which can contain a path.
std::optional<std::string> WhyNoSequencerOptions(std::string_view text);

}  // namespace ringfence
