// The named sets of a policy: what they are called, where they may stand, and what is in them.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/path.h"
#include "policy/policy.h"
#include "policy/word_list.h"

namespace ringfence {

enum class Access : uint8_t { kRead, kWrite };

struct PathSet {
  std::string_view name;  // "@secrets"
  SetName set = SetName::kNone;
  bool may_allow = false;  // else only in deny and ask lists
  std::string_view what;   // one line for people
};
std::span<const PathSet> PathSets();

// Nothing when there is no such set.
const PathSet* FindPathSet(std::string_view name);
std::string_view SetText(SetName set);

WordList SessionTools();
WordList AgentHosts();

// What the entries of a set depend on.
struct SetContext {
  Path root;               // of the project, resolved
  std::string session_id;  // of the event; "" where there is none
  uint32_t user = 0;       // user id
  bool macos_names = false;
  std::vector<Path> homes;
  std::vector<Path> settings_folders;  // of the client, besides ~/.claude
};

// One entry of a set, as in a policy: base and tail of "~/.ssh", "**/.git/hooks", "/etc/shadow".
struct SetEntry {
  RuleBase base = RuleBase::kHome;
  std::string_view tail;
  bool has_pattern = false;
  // Counts only where this folder is a real one that belongs to the user; "" where nobody asks.
  std::string_view owned_folder = {};
  // One folder of this name directly below is left out; "" for none.
  std::string_view except = {};
  // A folder of packages (package_stores) is judged by its own name, whatever lies in it.
  bool not_in_stores = false;

  std::string text() const;  // as it would be written in a policy
};

// The views point into static storage or into `strings`.
std::vector<SetEntry> ExpandSet(SetName set, Access access, const SetContext& context,
                                std::deque<std::string>& strings);

// The folder name that the client makes of a project's path: "/home/dev/project" is
// "-home-dev-project" (measured on 2.1.330).
std::string ClaudeProjectSlug(const Path& root);

}  // namespace ringfence
