// Agent: the constants that describe one coding agent to the decision and the sandbox. Each agent
// has a directory in agents/ that defines it, reads its events and writes its answers.
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
  kSearchFolder,   // where a search begins; the working directory if absent
  kSearchPattern,  // a glob that may itself name a directory
  kSearchFilter,   // a glob for names below the directory
  kUrl,
  kHosts,       // hosts or "*.host" that a command may reach
  kOtherHost,   // the computer that the call runs on; see Agent::this_computer
  kAttachment,  // a file to read, as text; an object names what the client has already
  kNoPath,      // has a name like a path argument, but is not a path on this host
  kResourceUri,
  kWorktreeName,
  kMcpServer,
  kIsolation,  // of a subagent; see Agent::worktree_isolation
};

struct ToolField {
  std::string_view pointer;  // JSON pointer below tool_input; an array means each element
  FieldRole role = FieldRole::kRead;
  bool required = false;
};

struct KnownTool {
  std::string_view name;
  std::vector<std::string_view> aliases;  // such as "Task" for "Agent"
  std::vector<ToolField> fields;
  bool runs_code = false;     // never answered with "allow"
  bool takes_data = false;    // its arguments are free-form; it opens nothing that they name
  bool is_shell = false;      // gives the model a shell; a rule that denies Agent::shell covers it
  bool runs_command = false;  // runs its argument "command" in a shell, so ringfence can wrap it
};

class ToolTable {
 public:
  // One row for each tool, the most common first: its name, then
  //   aka:NAME         another name of the same tool
  //   code             KnownTool::runs_code
  //   data             KnownTool::takes_data
  //   shell            KnownTool::is_shell
  //   command          KnownTool::runs_command
  //   ROLE:/POINTER    a field; "ROLE!:" if it is required
  constexpr explicit ToolTable(std::string_view rows) : rows_(rows) {}

  std::vector<KnownTool> All() const;  // sorted by name
  // Finds a tool by its name or an alias.
  std::optional<KnownTool> Find(std::string_view name) const;
  // Returns "Agent" for "Task"; returns a name that is not in the table unchanged.
  std::string_view MainName(std::string_view name) const;
  // Returns the name or alias with the most similar spelling, or "" if none is close.
  std::string_view Nearest(std::string_view name) const;

  bool IsShell(std::string_view name) const;
  bool RunsCommand(std::string_view name) const;
  // True if the tool can fail because a host is refused: it runs a command, opens a URL or asks an
  // MCP server.
  bool ReachesHosts(std::string_view name) const;
  // True if an MCP server opens what the arguments name: for a server's tool, and for a tool that
  // reads a server's resource.
  bool ReachesMcpServer(std::string_view name) const;

 private:
  std::string_view RowOf(std::string_view name) const;

  WordList rows_;
};

// The agent's own files in the home directory, which it may write even if it is confined as a
// whole. Names are relative to `folder`.
struct AgentStateNames {
  std::string_view folder;     // in the home directory: ".claude"
  std::string_view file;       // in the home directory: ".claude.json"
  std::string_view projects;   // the directory with one subdirectory per project
  WordList folders{""};        // directories
  WordList shell_folders{""};  // directories that the shells of every session read
  WordList files{""};          // also NAME.lock, and the temporary file that replaces NAME
  WordList logins{""};         // the names in `files` that @secrets includes
  // Patterns for names in the home directory that the agent tries to write without need.
  WordList attempts{""};
  // If the directory `plugin` exists, the agent creates `plugin_data` before it starts the hook of
  // ringfence's own plugin, and blocks the call if it cannot.
  std::string_view plugin;
  std::string_view plugin_data;
};

// The agent's settings, which no policy lets it write. They count in each directory that is called
// AgentStateNames::folder, because an agent reads them from the directory that it is started in.
struct AgentSettings {
  std::string_view what;           // for messages: "Claude Code's settings"
  std::string_view pattern;        // of the files' names: "settings*.json"
  WordList files{""};              // the files themselves
  std::string_view managed;        // the administrator's directory
  std::string_view managed_macos;  // the same on macOS
  std::string_view option;         // its value overrides the files, but not the administrator's
  std::string_view no_sandbox;     // a value that disables the agent's own sandbox
};

// Names of environment variables.
struct AgentVariables {
  const char* project = "";     // the project's directory
  const char* settings = "";    // names the directory to use instead of AgentStateNames::folder
  const char* started = "";     // set in every program that the agent starts
  const char* tmp = "";         // where the agent puts its temporary files
  const char* confined = "";    // "1" tells the agent that something else confines it
  const char* no_updates = "";  // "1" tells the agent not to replace its program
  const char* service = "";     // the URL of its service, if that is not Agent::service
  WordList services{""};        // a value selects a service whose hosts are unknown here
  WordList own{""};             // patterns for what the agent itself reads, its own key included
  WordList commands{""};        // patterns for what it sets for its commands
};

struct Agent {
  std::string_view name;     // "Claude Code"
  std::string_view program;  // "claude"
  ToolTable tools{""};
  WordList session_tools{""};  // @session-tools
  WordList hosts{""};          // @agent-hosts
  std::string_view service;    // the one of them without which it can do nothing
  // Hosts of others that it connects to without need: those of the second list once, when its user
  // interface starts, and its commands may need them.
  WordList background_hosts{""};
  WordList interface_hosts{""};
  std::string_view shell;          // the tool whose deny rule covers every shell; "" if none
  std::string_view sandbox_flag;   // the argument that asks to run a command outside the sandbox
  std::string_view this_computer;  // the value of a kOtherHost argument that means this one
  std::string_view worktrees;      // where the agent puts worktrees, relative to a repository
  std::string_view worktree_isolation;  // the value of a kIsolation argument that creates one
  char worktree_separator = '/';        // replaces each "/" in the name of a worktree
  AgentStateNames state;
  AgentSettings settings;
  AgentVariables variables;
  // Paths below AgentStateNames::folder for @runs-later: what the agent runs, starts agents from or
  // follows as the user's instructions, and state that can make it run programs. A confined agent
  // must be able to write that state.
  WordList runs_later{""};
  WordList state_runs_later{""};
  // The permission modes that do not put every question of the hook to the user; "" if there is
  // none. In the first, a write to a file that the agent itself guards just runs; in the second, a
  // model decides.
  std::string_view unguarded_mode;
  std::string_view model_decides_mode;
  std::string_view leave_that_mode;  // how the user does: "leave auto mode (Shift+Tab)"

  // Returns the name of a project's directory below AgentStateNames::projects.
  std::string (*project_folder)(const Path& project) = nullptr;
  // Returns the paths below AgentStateNames::projects that belong to this session, for
  // SetEntry::except.
  std::string (*own_projects)(const SetContext& context) = nullptr;
  // Returns the entries of @claude-scratch. Views point into static storage or into `strings`.
  std::vector<SetEntry> (*scratch)(Access access, const SetContext& context,
                                   std::deque<std::string>& strings) = nullptr;

  // True if `argument` is the sandbox flag in any spelling that NormalKey() treats as equal.
  bool IsSandboxFlag(std::string_view argument) const;
  bool ModelDecidesIn(std::string_view permission_mode) const {
    return !permission_mode.empty() && permission_mode == model_decides_mode;
  }
};

// Returns the MCP server that the call names in an argument, or "" if none.
std::string_view McpServerOf(const Event& event, const Agent& agent);

}  // namespace ringfence
