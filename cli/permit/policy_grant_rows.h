// Describes each key of a policy in a row of a table, which policy_grants.cc uses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"
#include "cli/permit/policy_grants.h"

namespace ringfence {

// One value, and the collector of its descriptions.
class GrantSpeaker {
 public:
  GrantSpeaker(const JsonTree& tree, const GrantReader& reader, std::string key,
               std::vector<GrantText>& said)
      : tree_(tree), reader_(reader), key_(std::move(key)), said_(said) {}

  void Say(Danger danger, const std::string& text) { said_.push_back({danger, key_, text}); }

  const std::string& key() const { return key_; }
  const EntryScope& reach() const { return reader_.reach; }

  std::vector<std::string> Entries(const JsonTree::Node& list) const;
  // Returns the entries on one line, at most `GrantReader::longest_list` of them.
  std::string Quoted(const std::vector<std::string>& entries) const;
  // Returns the value as written, shortened and on one line.
  std::string Raw(const JsonTree::Node& node) const;
  // Return the name that "*" in the key's pattern matches: the node's own, or its parent's.
  std::string NameOf(const JsonTree::Node& node) const;
  std::string ParentNameOf(const JsonTree::Node& node) const;

 private:
  const JsonTree& tree_;
  const GrantReader& reader_;
  std::string key_;
  std::vector<GrantText>& said_;
};

// Describes a value of the key. "*" in a key matches any name. An object whose members have rows
// needs no row.
struct GrantRow {
  std::string_view key;  // "/write/allow"
  void (*say)(GrantSpeaker&, const JsonTree::Node&);
};
// Returns nullptr if the key has no row.
const GrantRow* GrantRowFor(std::string_view key);
bool HasGrantRowBelow(std::string_view key);  // true if a member of `key` has a row

}  // namespace ringfence
