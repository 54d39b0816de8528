// The client's tools and which of their arguments are paths, patterns, URLs and hosts. All tools of
// 2.1.330 and 2.1.331, also those that only some sessions have, and former ones.
// tests/system/client_schema compares the table with the client's own schema.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/mcp/mcp_name.h"

namespace ringfence {

enum class FieldRole : uint8_t {
  kRead,
  kWrite,
  kReadWrite,
  kSearchFolder,   // where a search begins; the working directory when absent
  kSearchPattern,  // a glob that may itself name a folder
  kSearchFilter,   // a glob over names below the folder
  kUrl,
  kHosts,       // hosts or "*.host" that a command may reach
  kOtherHost,   // the computer that the call runs on, where it is another one
  kAttachment,  // a file to read; an object is something that the client has already
  kNoPath,      // named like a path, but not one of this host
  kResourceUri,
  kWorktreeName,
  kMcpServer,
  kIsolation,  // of a subagent: "worktree" makes one
};

struct ToolField {
  std::string_view pointer;  // JSON pointer below tool_input; an array means each of its elements
  FieldRole role = FieldRole::kRead;
  bool required = false;
};

struct KnownTool {
  std::string_view name;
  std::vector<std::string_view> aliases;  // "Task" of "Agent"
  std::vector<ToolField> fields;
  bool runs_code = false;   // never answered with "allow"
  bool takes_data = false;  // its arguments are anything, and name nothing that it would open
};

std::vector<KnownTool> KnownTools();  // by name
// The known name that is spelt most like it; "" if none is near.
std::string_view NearestTool(std::string_view name);
// Also by another name that the client keeps for it.
std::optional<KnownTool> FindTool(std::string_view name);
// "Agent" for "Task"; a name that ringfence does not know is its own.
std::string_view MainToolName(std::string_view name);

// What it names is looked for by an MCP server, which began where the session began.
bool ReachesMcpServer(std::string_view name);

// Runs its argument "command" in a shell, in the way that docs/client-bash.md describes.
bool RunsCommand(std::string_view name);
// Gives the model a shell other than Bash: a rule that denies Bash, or asks about it, covers it.
bool IsOtherShell(std::string_view name);

// Argument names without case, "_", "-" and white space.
std::string NormalKey(std::string_view key);
bool IsSandboxFlag(std::string_view key);

enum class UsualName : uint8_t {
  kNone,
  kPath,
  kPaths,  // may hold objects as well
  kUrl,
  kPeer,  // a host if the value looks like one: "server", "address"; otherwise anything
};
// What an argument of an unknown tool usually is, by its name.
UsualName UsualNameOf(std::string_view key);
// The same for MCP tools, whose authors choose freely: one of the words in the name is enough
// ("source_dir", "pathInProject", "file1", "api_host").
UsualName McpNameOf(std::string_view key);
// A name under which "a.md" and "chat.postMessage" are no hosts: "links", "endpoint".
bool NamesLink(std::string_view key);
// A name under which "me@host.example" is somebody's mailbox: "address".
bool NamesMailbox(std::string_view key);
// A name for an object whose keys are the names of properties, some of which are written as URLs.
bool NamesProperties(std::string_view key);
// A name for what is cloned from elsewhere: "repo_url", "remote".
bool NamesRepository(std::string_view key);
// A name for the text of a file, which may be JSON: "file_text", "contents".
bool NamesContent(std::string_view key);
// A name for a directory that a container sees under another name: "volumes", "bind_mount".
bool NamesBinding(std::string_view key);
// A name for what a tool makes: "savePath", "output", "dest_dir".
bool NamesOutput(std::string_view key);

}  // namespace ringfence
