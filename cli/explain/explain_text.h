// Formats explanations, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/command_line/options.h"
#include "cli/common/client_refusals.h"
#include "policy/decision.h"
#include "policy/event.h"
#include "policy/places.h"

namespace ringfence {

struct Explained {
  Event event;
  Policy policy = {};
  Decision decision = {};
  Trace trace = {};
  std::vector<std::string> notes;
  std::optional<ClientRefusal> client = {};  // set if the client itself refuses the call
};

void PrintExplained(const Explained& explained);
OrderedJson ExplainedJson(const Explained& explained);

Outcome ExplainSet(const std::string& name, const Places& places, bool json);

}  // namespace ringfence
