// Whether the policy really refuses what a program's words name. Only then is it told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hook/failure.h"
#include "policy/decide.h"

namespace ringfence {

struct Denial {
  Named named;
  Decision decision;  // a denial; widening the policy is not among its remedies
};

// `confined`: a command of this policy runs in its sandbox, where nobody answers a question and
// where there is no network unless the policy opens it.
std::optional<Denial> DecideAgain(const Named& named, const Event& event,
                                  const Surroundings& around, bool confined);

// Of the event's failure, each once.
std::vector<Denial> DenialsOf(const Event& event, const Surroundings& around, bool confined);

}  // namespace ringfence
