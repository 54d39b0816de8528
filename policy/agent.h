// Agent: what the decision and the sandbox need to know of one coding agent, as a constant. Each
// agent has a folder in agents/ that defines it, reads its events and writes its answers.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "policy/rules/word_list.h"

namespace ringfence {

enum class Access : uint8_t;
struct Event;
struct SetContext;
struct SetEntry;

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
  bool runs_code = false;     // never answered with "allow"
  bool takes_data = false;    // its arguments are anything, and name nothing that it would open
  bool is_shell = false;      // gives the model a shell: a denial of Agent::shell covers it
  bool runs_command = false;  // runs its argument "command" in a shell, so that it can be wrapped
};

// The tools of an agent.
class ToolTable {
 public:
  // One row for each tool, the most common first: its name, then
  //   aka:NAME         another name of the same tool
  //   code             KnownTool::runs_code
  //   data             KnownTool::takes_data
  //   shell            KnownTool::is_shell
  //   command          KnownTool::runs_command
  //   ROLE:/POINTER    a field; "ROLE!:" where it is required
  constexpr explicit ToolTable(std::string_view rows) : rows_(rows) {}

  std::vector<KnownTool> All() const;  // by name
  // By its name or an alias.
  std::optional<KnownTool> Find(std::string_view name) const;
  // "Agent" for "Task"; a name that is not in the table stays as it is.
  std::string_view MainName(std::string_view name) const;
  // The name or alias that is spelled most alike; "" if none is close.
  std::string_view Nearest(std::string_view name) const;

  bool IsShell(std::string_view name) const;
  bool RunsCommand(std::string_view name) const;
  // An MCP server opens what the arguments name: a tool of a server, or one that reads a resource.
  bool ReachesMcpServer(std::string_view name) const;

 private:
  std::string_view RowOf(std::string_view name) const;

  WordList rows_;
};

// What an agent keeps in the home directory for itself. It may write these even when it is confined
// as a whole. Names are relative to `folder`.
struct AgentStateNames {
  std::string_view folder;     // of the home directory: ".claude"
  std::string_view file;       // of the home directory: ".claude.json"
  std::string_view projects;   // the folder with one folder for each project
  WordList folders{""};        // directories
  WordList shell_folders{""};  // directories that the shells of every session read
  WordList files{""};          // also NAME.lock, and the temporary file that replaces NAME
  WordList logins{""};         // those of `files` that @secrets names
};

struct Agent {
  std::string_view name;  // "Claude Code"
  ToolTable tools{""};
  WordList session_tools{""};     // @session-tools
  WordList hosts{""};             // @agent-hosts
  std::string_view shell;         // the tool whose denial covers every shell; "": none
  std::string_view sandbox_flag;  // the argument that asks for a command without the sandbox
  std::string_view worktrees;     // below a repository, where the agent puts worktrees
  AgentStateNames state;

  // The folder of a project below AgentStateNames::projects.
  std::string (*project_folder)(const Path& project) = nullptr;
  // What belongs to this session below AgentStateNames::projects, for SetEntry::except.
  std::string (*own_projects)(const SetContext& context) = nullptr;
  // The entries of @claude-scratch. Views point into static storage or into `strings`.
  std::vector<SetEntry> (*scratch)(Access access, const SetContext& context,
                                   std::deque<std::string>& strings) = nullptr;

  // Whether `argument` is the sandbox flag, in any spelling of NormalKey().
  bool IsSandboxFlag(std::string_view argument) const;
};

// The MCP server that the call names as an argument; "" if none.
std::string_view McpServerOf(const Event& event, const Agent& agent);

// Knows no tool and owns nothing, so that each call is denied whose tool no policy names.
extern const Agent kNoAgent;

}  // namespace ringfence
