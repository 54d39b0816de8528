// Checks that the policy really denies what a program's output names. Only then is it reported.
#pragma once

#include <optional>
#include <vector>

#include "hook/failure.h"
#include "policy/decide.h"

namespace ringfence {

struct Denial {
  Named named;
  Decision decision;  // a denial, without a remedy
};

// `confined` is true if a command of this policy runs in its sandbox, where no user can answer a
// prompt and where there is no network unless the policy opens it.
std::optional<Denial> DecideAgain(const Named& named, const Event& event,
                                  const Surroundings& around, bool confined);

// Returns the denials behind the event's failure, each once.
std::vector<Denial> DenialsOf(const Event& event, const Surroundings& around, bool confined);

}  // namespace ringfence
