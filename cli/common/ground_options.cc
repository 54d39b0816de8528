#include "cli/common/ground_options.h"

#include <nlohmann/json.hpp>

#include "policy/files/real_files.h"
#include "run/ground.h"

namespace ringfence {
void AddGroundOptions(Command& command, GroundOptions& options) {
  AddCommonOptions(command, options.common);
  command.AddOption("--root", options.root, "The project (default: the current directory)")
      .Type("DIR");
  command
      .AddOption("--policy", options.policy,
                 "Use this policy instead of the user's and the project's")
      .Type("FILE");
  command.AddOption("--profile", options.profile, "Use this profile of the policy").Type("NAME");
}

Result<Ground> FindGround(const GroundOptions& options, const FileView& files) {
  return FindGround(
      GroundQuestion{options.common.home, options.root, options.policy, options.profile}, files);
}

Result<Path> AuditFileInForce(const GroundOptions& options) {
  const RealFiles disk;
  const Result<Ground> ground = FindGround(options, disk);
  return ground ? AuditFileOn(*ground) : ground.error();
}

Result<Path> AuditFileOn(const Ground& ground) {
  const Result<Policy> policy = MergePolicies(ground.sources, "", ground.places, Caller{});
  if (!policy) return policy.error();
  std::optional<Path> file = OwnPath(policy->audit.file, ground.places);
  if (file) return *std::move(file);
  return Error{Error::Kind::kUsage, "audit log", "the home directory is unknown",
               "name it: --home DIR"};
}

OrderedJson PlaceJson(const RulePlace& place) {
  OrderedJson json;
  json["file"] = place.file;
  if (place.line != 0) json["line"] = place.line;
  json["pointer"] = place.pointer;
  return json;
}

}  // namespace ringfence
