// The client's settings and the agent SDK's options that follow from a policy. Pure: what was found
// on this machine comes as values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/common/hook_command.h"
#include "policy/load/sources.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

struct SettingsQuestion {
  const Policy& policy;
  const PolicySources& sources;
  const Places& places;
  HookCommand command;
  std::vector<std::string> guarded;   // GuardedPaths()
  std::vector<std::string> wrapping;  // WrappingRules(), where the policy has commands wrapped
  bool under_run = false;             // `ringfence run` confines the agent itself
  bool client_fence = false;          // --client-fence
};

struct Derived {
  OrderedJson json;
  std::vector<std::string> notes;  // for people: what of the policy it cannot say
};

// A whole settings object, for `--settings` or a file of one project's.
Derived ClientSettingsFor(const SettingsQuestion& question);

enum class SdkLanguage { kTypeScript, kPython };
// The options of the agent SDK. They carry the registration themselves.
Derived SdkOptionsFor(const SettingsQuestion& question, SdkLanguage language);

}  // namespace ringfence
