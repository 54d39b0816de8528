// The config allowed in a repository that a confined command created: keys that let git run no
// program, read no other config and write nowhere else (git-config(1)). The user runs git in such a
// repository, or around it, outside the sandbox.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

// The longest config that is read, in bytes.
inline constexpr size_t kMaxGitConfig = size_t{64} * 1024;

// Returns the reason to refuse `text`, the content of the file `path` (".../.git/config"), or
// nothing. The parser is strict: it rejects a line that git could read differently.
std::optional<std::string> WhyNoGitConfig(std::string_view text, std::string_view path);

}  // namespace ringfence
