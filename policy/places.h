// Places: the folders and programs that a decision is about, as plain values. The project's root
// comes from the registration or from CLAUDE_PROJECT_DIR, never from an event, whose `cwd` the
// model moves.
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
extern const Agent kNoAgent;

// What the hook was told from outside of the event.
struct Registration {
  const Agent* agent = &kNoAgent;
  std::string root;           // --root; may be empty; see FindPlaces()
  std::string project_dir;    // CLAUDE_PROJECT_DIR; may be empty
  std::string home;           // --home; may be empty
  std::string home_variable;  // HOME; may be empty
  std::string config_dir;     // CLAUDE_CONFIG_DIR: only adds protected names
  std::string policy;         // --policy; may be empty
  std::string profile;        // --profile; may be empty
  std::string program;        // the name this program was started by; may be empty
  std::string program_real;   // where that leads, without links; empty where nobody knows
  uint32_t user = 0;          // effective user id
  bool trial = false;         // --trial: nothing is left behind, no audit log, no alerts
};

struct Places {
  const Agent* agent = &kNoAgent;  // whose places these are
  Path root;                       // as it was given
  Path root_real;                  // where it leads
  // Where the session began (CLAUDE_PROJECT_DIR), and the MCP servers with it; resolved. Absent
  // where that is the root.
  std::optional<Path> start;
  // Every home of the user: --home, HOME where it differs, and that of /etc/passwd; as given and
  // resolved, each once. The first is the one that the user's own files are in. Empty where none is
  // known.
  std::vector<Path> homes;
  std::vector<Path> homes_real;
  // Of these, homes below which "~" only denies: that of /etc/passwd where another one is given,
  // and "/".
  std::vector<Path> deny_only_homes;
  uint32_t user = 0;
  bool macos_names = false;

  std::vector<Path> policies;          // policy files in use, and where one would be read
  std::vector<Path> programs;          // ringfence's own
  std::optional<Path> program_real;    // the hook's own, if it is known without links
  std::vector<Path> settings_folders;  // of the client, besides ~/.claude
  std::optional<Path> audit_file;
};

// Where the session began, resolved.
inline const Path& StartOf(const Places& places) {
  return places.start ? *places.start : places.root_real;
}

// Whether entries of allow lists that begin with "~" lie below `home`, one of the homes.
bool MayAllowBelow(const Places& places, const Path& home);

// Finds root and homes. Errors carry the remedy. A --root that holds a home counts only where
// CLAUDE_PROJECT_DIR is the same folder, or is not known.
Result<Places> FindPlaces(const Registration& registration, const FileView& files);

// The first home that /etc/passwd has for `user` and that exists.
Result<std::optional<Path>> PasswdHome(uint32_t user, const FileView& files);

// The nearest folder at or above the root that holds ".git", short of a home.
std::optional<Path> RepositoryAround(const Places& places, const FileView& files);

// Makes that the root, if there is one.
void WidenToRepository(Places& places, const FileView& files);

// "~/x" and "~" below the first home; an absolute path as it is.
std::optional<Path> OwnPath(std::string_view text, const Places& places);

}  // namespace ringfence
