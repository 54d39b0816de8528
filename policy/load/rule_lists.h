// The lists of rules in a policy file: each text becomes a rule that knows its place, or a mistake.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/load/object_reader.h"
#include "policy/load/policy_file.h"

namespace ringfence {

class RuleListReader {
 public:
  // `quotable` false: the rules are marked as an untrusted file's.
  RuleListReader(PolicyFile& file, const Agent& agent, bool quotable, JsonDocument& document)
      : file_(file), agent_(agent), quotable_(quotable), document_(document) {}

  // "allow", "ask" and "deny" of `object`, which stands at the JSON pointer `at`.
  RuleLists<PathRule> ReadPaths(ObjectReader& object, std::string_view at);
  RuleLists<NameRule> ReadTools(ObjectReader& object, std::string_view at);
  // One list of hosts, with sets replaced by what is in them.
  std::optional<std::vector<HostRule>> ReadHosts(ObjectReader& object, std::string_view key,
                                                 std::string_view at);

  RulePlace PlaceOf(const JsonTree::Node& node, const std::string& pointer);
  // Kept in the file.
  const RuleOrigin* OriginOf(const std::string& pointer);

 private:
  template <typename Rule, typename Read>
  std::optional<std::vector<Rule>> ReadList(ObjectReader& object, std::string_view key, Read read);
  std::optional<std::vector<PathRule>> ReadPathList(ObjectReader& object, std::string_view key,
                                                    std::string_view at);
  std::optional<std::vector<NameRule>> ReadToolList(ObjectReader& object, std::string_view key,
                                                    std::string_view at);

  PolicyFile& file_;
  const Agent& agent_;
  bool quotable_;
  JsonDocument& document_;
};

// The name of a tool, with "*" for any text.
bool IsToolPattern(std::string_view text);

}  // namespace ringfence
