// The part of RuleMatcher for paths that mounts show under other names.
#include "policy/rules/rules.h"

namespace ringfence {

RuleHit RuleMatcher::MatchesPlace(const PathRuleList& rules, Access access,
                                  const MountTable::Name& name) const {
  RuleHit hit = MatchesName(rules, access, name.path);
  if (!hit) return {};
  const auto matches = [&](const Path& path) {
    return MatchesName(rules, access, path).rule == hit.rule;
  };
  if (!name.mount.is_root() && matches(name.mount.Parent())) return {};
  std::vector<Path> ours{root_.path};
  for (const Base& home : homes_) ours.push_back(home.path);
  for (const Path& path : ours) {
    for (const MountTable::Name& other : files_.Mounts().OtherNames(path)) {
      if (matches(other.path)) return {};
    }
  }
  return hit;
}

RuleHit RuleMatcher::MatchesOtherName(const PathRuleList& rules, Access access,
                                      const Path& path) const {
  for (const MountTable::Name& name : files_.Mounts().OtherNames(path)) {
    if (RuleHit hit = MatchesPlace(rules, access, name)) return hit;
  }
  return {};
}

RuleHit RuleMatcher::MatchesBelowOtherNames(const PathRuleList& rules, Access access,
                                            const Path& folder) const {
  const MountTable& mounts = files_.Mounts();
  std::vector<Path> places = mounts.MountsBelow(folder);
  places.push_back(folder);
  for (const Path& place : places) {
    std::vector<MountTable::Name> names = mounts.OtherNames(place);
    for (const MountTable::Part& part : mounts.PartsElsewhere(place)) {
      names.push_back({part.elsewhere, part.elsewhere});
    }
    for (const MountTable::Name& name : names) {
      if (RuleHit hit = MatchesPlace(rules, access, name)) return hit;
      if (RuleHit hit = MatchesBelow(rules, access, name.path)) return hit;
    }
  }
  return {};
}

}  // namespace ringfence
