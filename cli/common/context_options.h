// Options of commands that find a project and its policies as the hook does.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "cli/command_line/options.h"
#include "policy/load/context.h"
#include "policy/policy.h"
#include "run/typed_context.h"

namespace ringfence {

// Adds --home, --json, --root, --policy and --profile. FindTypedContext() takes `given`.
void AddContextOptions(Command& command, Registration& given, bool& json);

// The audit log that the policy in force names.
Result<Path> AuditFileInForce(const Registration& given);
Result<Path> AuditFileOn(const Context& context);

OrderedJson PlaceJson(const RulePlace& place);

}  // namespace ringfence
