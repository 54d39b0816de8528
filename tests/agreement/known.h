// What the hook and the kernel decide differently, each with its reason. Nothing else may.
#pragma once

#include <span>

#include "policy/decide.h"
#include "sandbox/plan.h"
#include "tests/agreement/tree.h"

namespace ringfence {

// One question, and what is known about it.
struct Case {
  const Surroundings& around;
  const SandboxPlan& plan;
  const Event& event;
  Question question;
  Walked walked;
  int code = 0;  // what the kernel said

  Access access() const { return question.operation == 'r' ? Access::kRead : Access::kWrite; }
  bool HookPermits(const std::string& path) const;
};

struct Difference {
  const char* name;  // as docs/sandbox.md has it
  bool hook_permits;
  bool (*is)(const Case&);
};

std::span<const Difference> KnownDifferences();

}  // namespace ringfence
