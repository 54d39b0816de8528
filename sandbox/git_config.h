// What a repository that a confined command has made may have in its config: keys by which git runs
// no program, reads no other config, and writes nowhere else (git-config(1)). People use git in
// such a repository, or around it, outside of the sandbox.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

// The longest config that is read, in bytes.
inline constexpr size_t kMaxGitConfig = size_t{64} * 1024;

// What stands against `text`, the content of the file `path` (".../.git/config"), or nothing. The
// syntax is taken narrowly: a line that git may read in another way is not accepted.
std::optional<std::string> WhyNoGitConfig(std::string_view text, std::string_view path);

}  // namespace ringfence
