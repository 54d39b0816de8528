// The words for each key of a policy: rows of a table, which policy_grants.cc goes through.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"
#include "cli/permit/policy_grants.h"

namespace ringfence {

// One value and what is said of it.
class GrantSpeaker {
 public:
  GrantSpeaker(const JsonTree& tree, const GrantReader& reader, std::string key,
               std::vector<GrantText>& said)
      : tree_(tree), reader_(reader), key_(std::move(key)), said_(said) {}

  void Say(Danger danger, const std::string& text) { said_.push_back({danger, key_, text}); }

  const EntryScope& reach() const { return reader_.reach; }

  std::vector<std::string> Entries(const JsonTree::Node& list) const;
  // In one line, which names no more of them than the reader wants to see.
  std::string Quoted(const std::vector<std::string>& entries) const;
  // As it is written, on one line.
  std::string Raw(const JsonTree::Node& node) const;
  // The name that "*" of the key's pattern stands for: the parent's, or its own.
  std::string NameOf(const JsonTree::Node& node) const;
  std::string ParentNameOf(const JsonTree::Node& node) const;

 private:
  const JsonTree& tree_;
  const GrantReader& reader_;
  std::string key_;
  std::vector<GrantText>& said_;
};

// Says what a value of the key means. "*" in a key stands for a name. An object whose members have
// rows needs none.
struct GrantRow {
  std::string_view key;  // "/write/allow"
  void (*say)(GrantSpeaker&, const JsonTree::Node&);
};
// nullptr: none.
const GrantRow* GrantRowFor(std::string_view key);
bool HasGrantRowBelow(std::string_view key);  // for a member of `key`

}  // namespace ringfence
