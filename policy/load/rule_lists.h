// Reads the rule lists of a policy file: each text becomes a rule with its place, or a mistake.
#pragma once

#include <string>
#include <string_view>

#include "policy/load/object_reader.h"
#include "policy/load/policy_file.h"

namespace ringfence {

class RuleListReader {
 public:
  // `quotable` false: marks the rules as an untrusted file's.
  RuleListReader(PolicyFile& file, const Agent& agent, bool quotable, JsonDocument& document)
      : file_(file), agent_(agent), quotable_(quotable), document_(document) {}

  // Read "allow", "ask" and "deny" of `object`, which is at the JSON pointer `at`.
  RuleLists<PathRule> ReadPaths(ObjectReader& object, std::string_view at);
  RuleLists<NameRule> ReadTools(ObjectReader& object, std::string_view at);
  // Reads the lists of hosts and "private". Replaces sets by their members.
  NetworkSection ReadNetwork(ObjectReader& object, const JsonTree::Node& node, std::string_view at);

  RulePlace PlaceOf(const JsonTree::Node& node, const std::string& pointer);
  // Returns the origin for this JSON pointer; the file owns it.
  const RuleOrigin* OriginOf(const std::string& pointer);

 private:
  template <typename Rule, typename Read>
  RuleList<Rule> ReadList(ObjectReader& object, std::string_view key, Read read);
  RuleList<PathRule> ReadPathList(ObjectReader& object, std::string_view key, std::string_view at);
  RuleList<HostRule> ReadHosts(ObjectReader& object, std::string_view key, std::string_view at);
  Status ReadHost(std::string_view text, std::string_view key, HostRule* rule);
  RuleList<PrivateRule> ReadPrivate(ObjectReader& object, std::string_view at);
  RuleList<NameRule> ReadToolList(ObjectReader& object, std::string_view key, std::string_view at);

  PolicyFile& file_;
  const Agent& agent_;
  bool quotable_;
  JsonDocument& document_;
};

// The mistake of a project's policy that has what only the user's or the managed one can have.
inline constexpr std::string_view kNotOfProject =
    "counts only in the user's own policy or the managed one, not in a project's";

// True if `text` is the name of a tool, in which "*" matches any text.
bool IsToolPattern(std::string_view text);

}  // namespace ringfence
