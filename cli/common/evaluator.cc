#include "cli/common/evaluator.h"

#include "policy/load/layers.h"

namespace ringfence {
namespace {

// Limits the cache: agents choose the names of their types, so there can be any number.
constexpr size_t kMaxPolicies = 64;

std::string CallerKey(const Event& event) {
  return event.agent_type + '\0' + event.permission_mode + '\0' + (event.is_subagent() ? "1" : "");
}

}  // namespace

EventEvaluator::EventEvaluator(const PolicySources& sources, Places places, std::string profile)
    : sources_(sources), places_(std::move(places)), profile_(std::move(profile)) {
  for (const PolicySource& source : sources.sources) AddNeeds(*source.file, filter_);
}

Result<Event> EventEvaluator::Read(std::string_view json) const {
  TextSource source(json);
  return ReadEvent(source, filter_);
}

Result<const Policy*> EventEvaluator::PolicyFor(const Event& event) {
  std::string key = CallerKey(event);
  if (const auto known = policies_.find(key); known != policies_.end()) return &known->second;
  Result<Policy> policy = MergePolicies(sources_, profile_, places_, CallerOf(event));
  if (!policy) return policy.error();
  if (policies_.size() >= kMaxPolicies) policies_.clear();
  return &policies_.emplace(std::move(key), std::move(*policy)).first->second;
}

Result<EventEvaluator::Outcome> EventEvaluator::Decide(const Event& event, const CachedFiles& files,
                                                       Trace* trace) {
  const Result<const Policy*> policy = PolicyFor(event);
  if (!policy) return policy.error();
  places_.audit_file = OwnPath((*policy)->audit.file, places_);  // no agent may write it
  Outcome outcome{*policy, ringfence::Decide(event, {**policy, places_, files}, trace)};
  if (outcome.decision.failure) return *outcome.decision.failure;
  return outcome;
}

}  // namespace ringfence
