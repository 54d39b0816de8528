// The named sets of a policy: what they are called, where they may stand, and what is in them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "policy/agent.h"
#include "policy/policy.h"
#include "policy/rules/word_list.h"

namespace ringfence {

enum class Access : uint8_t { kRead, kWrite };

// A path that an entry leaves out may be meant itself, or only passed on the way to another.
enum class PathRole : uint8_t { kTarget, kAncestor };

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

// What the entries of a set depend on.
struct SetContext {
  const Agent* agent = &kNoAgent;
  Path root;                       // of the project, resolved
  std::optional<Path> given_root;  // as it was given, where that differs
  std::optional<Path> start;       // where the client was started, resolved, where that differs
  // The folder that the client keys the memory by: the main repository (client_folders.h). Absent
  // where nobody has looked.
  std::optional<Path> memory_root;
  std::string session_id;  // of the event; "" where there is none
  uint32_t user = 0;       // user id
  bool macos_names = false;
  std::vector<Path> homes;
  std::vector<Path> settings_folders;  // of the client, besides ~/.claude
};

// Folders of a home in which the sets have many names; the first is the home.
inline constexpr std::array<std::string_view, 4> kListedFolders{"", ".config", ".local/share",
                                                                ".cache"};

// One entry of a set, as in a policy: base and tail of "~/.ssh", "**/.git/hooks", "/etc/shadow".
struct SetEntry {
  RuleBase base = RuleBase::kHome;
  // Where the tail begins: a folder of kListedFolders, and the name in it (NameFilter::IndexOf).
  uint8_t listed_in = kListedFolders.size();  // in none
  uint16_t listed_name = 0;
  std::string_view tail;
  bool has_pattern = false;
  // Counts only where this folder is a real one that belongs to the user; "" where nobody asks.
  std::string_view owned_folder = {};
  // What is left out. Of a plain tail: paths below it, "*" for any one name. Of a pattern: patterns
  // for the name that matched.
  WordList except = WordList("");
  // The memory of this project is left out as well (SetContext::memory_root).
  bool spares_memory = false;
  // Binds the tools only; a sandbox leaves it out, because it cannot mount the pattern or because
  // programs that ordinary commands start write the file.
  bool is_for_tools = false;
  // The project lies in a folder of that name, which was no reason to open it: of the project only
  // what lies below its root is compared.
  bool holds_root = false;
  // A folder of packages (package_stores) is evaluated by its own name, whatever lies in it.
  bool not_in_stores = false;
  // What a path needs to match (base/name_bits.h); 0 says nothing.
  uint64_t name_bits = 0;

  std::string text() const;  // as it would be written in a policy
};

// The views point into static storage or into `strings`.
std::vector<SetEntry> ExpandSet(SetName set, Access access, const SetContext& context,
                                std::deque<std::string>& strings);

}  // namespace ringfence
