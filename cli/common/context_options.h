// Options of the commands that look at a project as the hook does.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "cli/command_line/options.h"
#include "policy/load/context.h"
#include "policy/policy.h"
#include "run/typed_context.h"

namespace ringfence {

// --home, --json, --root, --policy, --profile. FindTypedContext() takes what they give.
void AddContextOptions(Command& command, Registration& given, bool& json);

// The audit log that the policy in force names.
Result<Path> AuditFileInForce(const Registration& given);
Result<Path> AuditFileOn(const Context& context);

OrderedJson PlaceJson(const RulePlace& place);

}  // namespace ringfence
