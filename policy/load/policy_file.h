// One policy file as written: every section is optional, every rule has its place. load.h creates
// it, layers.h merges several into a Policy. Owns all text that its rules point into.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"
#include "policy/load/key_rows.h"
#include "policy/policy.h"

namespace ringfence {

template <typename Rule>
using RuleList = std::optional<std::vector<Rule>>;

template <typename Rule>
struct RuleLists {
  RuleList<Rule> allow, ask, deny;
};

struct NetworkSection {
  RuleList<HostRule> allow, deny, inspect;
  RuleList<PrivateRule> private_rules;
  RulePlace private_place;  // the "network" that has them
  std::optional<Unlisted> unlisted;
  RulePlace place;
  bool of_project = false;
};

// The sections at the top level of a file or in one profile.
struct Sections {
  RuleLists<NameRule> tools;
  RuleLists<PathRule> read, write;
  std::optional<NetworkSection> network;
  std::vector<McpFields> mcp;
  bool has_alerts = false;
  AlertFields alert_fields;
  KeyValues keys;  // everything else
};

// The conditions of a profile; all that are present must hold.
struct When {
  std::optional<std::string_view> agent_type;  // "*" is a wildcard
  std::optional<bool> subagent;
  std::optional<PathRule> root;  // the project's root is at or below it
  std::optional<std::string_view> permission_mode;

  // True if the agent controls the choice; the profile may then only tighten.
  bool is_chosen_by_event() const { return agent_type || subagent || permission_mode; }
};

struct Profile {
  std::string_view name;
  std::optional<When> when;
  Sections sections;
};

struct PolicyFile {
  std::string path;          // absolute
  std::string shown;         // for messages
  bool of_project = false;   // comes with a repository, even if the user trusts it
  bool root_is_git = false;  // "root": "git"
  Sections sections;
  std::vector<Profile> profiles;

  // Owned text, at stable addresses.
  std::unique_ptr<JsonTree> tree;
  std::unique_ptr<std::deque<std::string>> strings;
  std::unique_ptr<std::deque<RuleOrigin>> origins;
};

}  // namespace ringfence
