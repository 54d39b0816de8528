// CallEvaluator decides about many events under one set of policies, each as the hook does: its
// reader, its merge of layers and profiles, its decision. Not for several threads at once.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "agents/claude/event_reader.h"
#include "base/result.h"
#include "policy/decide.h"
#include "policy/load/context.h"

namespace ringfence {

class CallEvaluator {
 public:
  // `profile` is --profile, or "". `sources` outlives the evaluate.
  CallEvaluator(const PolicySources& sources, Places places, std::string profile);
  CallEvaluator(const Context& context, std::string profile)
      : CallEvaluator(context.sources, context.places, std::move(profile)) {}

  // One event, as the client writes it. The result does not point into `json`.
  Result<Event> Read(std::string_view json) const;

  // The policy that holds for who calls. It stays until the next call.
  Result<const Policy*> PolicyFor(const Event& event);

  struct Outcome {
    const Policy* policy = nullptr;  // as PolicyFor()
    Decision decision;               // Decision::failure is an error of Decide() instead
  };
  Result<Outcome> Decide(const Event& event, const CachedFiles& files, Trace* trace = nullptr);

  const Places& places() const { return places_; }

 private:
  const PolicySources& sources_;
  Places places_;
  std::string profile_;
  EventFilter filter_;
  std::map<std::string, Policy> policies_;  // by caller
};

}  // namespace ringfence
