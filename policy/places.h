// Places: the directories and programs that a decision is about, as plain values. The project's
// root comes from the registration or from the agent's variable, never from an event, because the
// model can change the event's `cwd`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "policy/files/file_view.h"

namespace ringfence {

struct Agent;

// The hook's settings from its command line and environment, independent of the event.
struct Registration {
  const Agent* agent = nullptr;  // required
  std::string root;              // --root; may be empty; see FindPlaces()
  std::string project_dir;       // AgentVariables::project; may be empty
  std::string home;              // --home; may be empty
  std::string home_variable;     // HOME; may be empty
  std::string config_dir;        // AgentVariables::settings: only adds protected names
  std::string policy;            // --policy; may be empty
  std::string profile;           // --profile; may be empty
  std::string program;           // the name that this program was started by; may be empty
  std::string program_real;      // `program` without links; empty if unknown
  uint32_t user = 0;             // effective user id
  bool trial = false;            // --trial: leaves nothing behind: no audit log, no alerts
  bool is_plugin = false;        // --plugin: registered by the plugin, perhaps by settings as well
};

struct Places {
  const Agent* agent = nullptr;  // required; the agent that these places belong to
  Path root;                     // as given
  Path root_real;                // without links
  // Directory where the session and its MCP servers started (AgentVariables::project), resolved.
  // Absent if it is the root.
  std::optional<Path> start;
  // All homes of the user: --home, HOME if it differs, and the one in /etc/passwd; as given and
  // resolved, without duplicates. The user's own files are in the first one. Empty if no home is
  // known.
  std::vector<Path> homes;
  std::vector<Path> homes_real;
  // The homes for which "~" counts only in denials: the one in /etc/passwd if another one is given,
  // and "/".
  std::vector<Path> deny_only_homes;
  uint32_t user = 0;
  bool macos_names = false;

  std::vector<Path> policies;          // paths that policies are read from, existing or not
  std::vector<Path> programs;          // ringfence's own programs
  std::optional<Path> program_real;    // the hook's own path without links, if known
  std::vector<Path> settings_folders;  // besides AgentStateNames::folder in the homes
  std::optional<Path> audit_file;
};

// Returns the directory where the session started, resolved.
inline const Path& StartOf(const Places& places) {
  return places.start ? *places.start : places.root_real;
}

// True if entries of allow lists that begin with "~" apply below `home`, one of the homes.
bool MayAllowBelow(const Places& places, const Path& home);

// Finds the root and the homes. Errors contain the remedy. A --root that contains a home counts
// only if AgentVariables::project is the same directory or unknown.
Result<Places> FindPlaces(const Registration& registration, const FileView& files);

// Returns the first home of `user` in /etc/passwd that exists or cannot be accessed.
Result<std::optional<Path>> PasswdHome(uint32_t user, const FileView& files);

// Returns the nearest directory at or above the root that contains ".git". Stops at a directory
// that is or contains a home.
std::optional<Path> RepositoryAround(const Places& places, const FileView& files);

// Makes RepositoryAround() the root, if it finds one.
void WidenToRepository(Places& places, const FileView& files);

// Resolves "~/x" and "~" against the first home; returns an absolute path unchanged.
std::optional<Path> OwnPath(std::string_view text, const Places& places);

}  // namespace ringfence
