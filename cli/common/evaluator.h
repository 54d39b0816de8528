// EventEvaluator decides many events under one set of policies with the hook's own code: its
// reader, its merge of layers and profiles, and its decision. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "agents/claude/event_reader.h"
#include "base/result.h"
#include "policy/decide.h"
#include "policy/load/context.h"

namespace ringfence {

class EventEvaluator {
 public:
  // `profile` is --profile, or "". `sources` must outlive this object.
  EventEvaluator(const PolicySources& sources, Places places, std::string profile);
  EventEvaluator(const Context& context, std::string profile)
      : EventEvaluator(context.sources, context.places, std::move(profile)) {}

  // Reads one event in the client's format. The result does not point into `json`.
  Result<Event> Read(std::string_view json) const;

  // Returns the policy for the event's caller. The pointer is valid until the next call.
  Result<const Policy*> PolicyFor(const Event& event);

  struct Outcome {
    const Policy* policy = nullptr;  // valid as long as that of PolicyFor()
    Decision decision;               // has no failure: Decide() returns it as an error
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
