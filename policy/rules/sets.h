// The named sets of a policy: their names, the lists that may contain them, and their entries.
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

// The role of a path: the target itself, or only an ancestor on the way to another path.
enum class PathRole : uint8_t { kTarget, kAncestor };

struct PathSet {
  std::string_view name;  // "@secrets"
  SetName set = SetName::kNone;
  bool may_allow = false;  // false: only in deny and ask lists
  std::string_view what;   // one line for users
};
std::span<const PathSet> PathSets();

// Returns nullptr if the set does not exist.
const PathSet* FindPathSet(std::string_view name);
std::string_view SetText(SetName set);

// The values that the entries of a set depend on.
struct SetContext {
  const Agent* agent = nullptr;    // required
  Path root;                       // of the project, resolved
  std::optional<Path> given_root;  // as given, if different
  std::optional<Path> start;       // where the client was started, resolved, if different
  // The directory that determines where the client keeps its memory: the main repository
  // (Agent::project_folder). Absent until it is looked up.
  std::optional<Path> memory_root;
  std::string session_id;  // of the event; "" if there is none
  uint32_t user = 0;       // user id
  bool macos_names = false;
  std::vector<Path> homes;
  std::vector<Path> settings_folders;  // as in Places
};

// Directories of a home in which the sets have many names; the first is the home itself.
inline constexpr std::array<std::string_view, 4> kListedFolders{"", ".config", ".local/share",
                                                                ".cache"};

// One entry of a set, as in a policy: base and tail of "~/.ssh", "**/.git/hooks", "/etc/shadow".
struct SetEntry {
  RuleBase base = RuleBase::kHome;
  // The beginning of the tail: a directory of kListedFolders, and the name in it
  // (NameFilter::IndexOf).
  uint8_t listed_in = kListedFolders.size();  // in none
  uint16_t listed_name = 0;
  std::string_view tail;
  bool has_pattern = false;
  // The entry counts only if this is a real directory that belongs to the user; "" for no
  // condition.
  std::string_view owned_folder = {};
  // Exceptions. For a plain tail: paths below it, with "*" for any one name. For a pattern:
  // patterns for the name that matched.
  WordList except = WordList("");
  // Excludes the memory of this project as well (SetContext::memory_root).
  bool spares_memory = false;
  // Applies to tools only. A sandbox ignores the entry, because it cannot mount the pattern or
  // because programs that ordinary commands start write the file.
  bool is_for_tools = false;
  // The project itself is in a directory of that name. That alone does not make its files match:
  // only the part of a path below the root is compared.
  bool holds_root = false;
  // A package directory (package_stores) is evaluated by its own name, whatever it contains.
  bool not_in_stores = false;
  // The bits that a path needs to match (base/name_bits.h); 0 excludes nothing.
  uint64_t name_bits = 0;

  std::string text() const;  // as written in a policy
};

// The returned views point into static storage or into `strings`.
std::vector<SetEntry> ExpandSet(SetName set, Access access, const SetContext& context,
                                std::deque<std::string>& strings);

}  // namespace ringfence
