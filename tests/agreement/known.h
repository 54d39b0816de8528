// Known differences between the hook's and the kernel's decisions, each with its reason. Any other
// difference is a failure.
#pragma once

#include <span>

#include "policy/decide.h"
#include "sandbox/plan.h"
#include "tests/agreement/tree.h"

namespace ringfence {

// One question, and the facts about it.
struct Case {
  const Surroundings& around;
  const SandboxPlan& plan;
  const Event& event;
  Question question;
  Walked walked;
  int code = 0;  // the kernel's errno

  Access access() const { return question.operation == 'r' ? Access::kRead : Access::kWrite; }
  bool HookPermits(const std::string& path) const;
};

struct Difference {
  const char* name;  // as in docs/sandbox.md
  bool hook_permits;
  bool (*is)(const Case&);
};

std::span<const Difference> KnownDifferences();

}  // namespace ringfence
