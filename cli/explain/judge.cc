#include "cli/explain/judge.h"

#include "policy/load/layers.h"

namespace ringfence {
namespace {

// Agents name their kinds themselves, so there may be any number of them.
constexpr size_t kMaxPolicies = 64;

std::string CallerKey(const Event& event) {
  return event.agent_type + '\0' + event.permission_mode + '\0' + (event.is_subagent() ? "1" : "");
}

}  // namespace

Judge::Judge(const PolicySources& sources, Places places, std::string profile)
    : sources_(sources), places_(std::move(places)), profile_(std::move(profile)) {
  for (const PolicySource& source : sources.sources) AddNeeds(*source.file, filter_);
}

Result<Event> Judge::Read(std::string_view json) const {
  TextSource source(json);
  return ReadEvent(source, filter_);
}

Result<const Policy*> Judge::PolicyFor(const Event& event) {
  std::string key = CallerKey(event);
  if (const auto known = policies_.find(key); known != policies_.end()) return &known->second;
  Result<Policy> policy = MergePolicies(sources_, profile_, places_, CallerOf(event));
  if (!policy) return policy.error();
  if (policies_.size() >= kMaxPolicies) policies_.clear();
  return &policies_.emplace(std::move(key), std::move(*policy)).first->second;
}

Result<Judge::Ruling> Judge::Decide(const Event& event, const CachedFiles& files, Trace* trace) {
  const Result<const Policy*> policy = PolicyFor(event);
  if (!policy) return policy.error();
  places_.audit_file = OwnPath((*policy)->audit.file, places_);  // no agent may write it
  Ruling ruling{*policy, ringfence::Decide(event, {**policy, places_, files}, trace)};
  if (ruling.decision.failure) return *ruling.decision.failure;
  return ruling;
}

}  // namespace ringfence
