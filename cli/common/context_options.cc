#include "cli/common/context_options.h"

#include <nlohmann/json.hpp>

#include "policy/files/real_files.h"
#include "run/typed_context.h"

namespace ringfence {

void AddContextOptions(Command& command, Registration& given, bool& json) {
  AddCommonOptions(command, given, json);
  command.AddOption("--root DIR", given.root, "The project (default: the current directory)");
  command.AddOption("--policy FILE", given.policy,
                    "Use this policy instead of the user's and the project's");
  command.AddOption("--profile NAME", given.profile, "Use this profile of the policy");
}

Result<Path> AuditFileInForce(const Registration& given) {
  const Result<Context> context = FindTypedContext(given, RealFiles());
  return context ? AuditFileOn(*context) : context.error();
}

Result<Path> AuditFileOn(const Context& context) {
  const Result<Policy> policy = MergePolicies(context.sources, "", context.places, Caller{});
  if (!policy) return policy.error();
  std::optional<Path> file = OwnPath(policy->audit.file, context.places);
  if (file) return *std::move(file);
  return UsageError("audit log", "the home directory is unknown", "name it: --home DIR");
}

OrderedJson PlaceJson(const RulePlace& place) {
  OrderedJson json;
  json["file"] = place.file;
  if (place.line != 0) json["line"] = place.line;
  json["pointer"] = place.pointer;
  return json;
}

}  // namespace ringfence
