// Checks that the policy really denies what a program's output names. Only then is it reported.
#pragma once

#include <optional>
#include <vector>

#include "hook/failure.h"
#include "hook/program_sandbox.h"
#include "policy/decide.h"

namespace ringfence {

struct Denial {
  Named named;
  Decision decision;  // a denial; without a remedy, except for hosts that a sandbox refuses
};

std::optional<Denial> DecideAgain(const Named& named, const Event& event,
                                  const Surroundings& around, ProgramSandbox sandbox);

// Returns the denials behind the event's failure, each once.
std::vector<Denial> DenialsOf(const Event& event, const Surroundings& around,
                              ProgramSandbox sandbox);

}  // namespace ringfence
