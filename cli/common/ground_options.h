// Options of the commands that look at a project as the hook does.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "cli/command_line/options.h"
#include "hook/ground.h"
#include "policy/load/layers.h"
#include "policy/policy.h"

namespace ringfence {

struct GroundOptions {
  CommonOptions common;
  std::string root;  // the current directory when empty
  std::string policy;
  std::string profile;
};
void AddGroundOptions(Command& command, GroundOptions& options);

// As the hook would find it when the client is started in that directory.
Result<Ground> FindGround(const GroundOptions& options, const FileView& files);

// The audit log that the policy in force names.
Result<Path> AuditFileInForce(const GroundOptions& options);
Result<Path> AuditFileOn(const Ground& ground);

OrderedJson PlaceJson(const RulePlace& place);

}  // namespace ringfence
