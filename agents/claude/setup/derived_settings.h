// Derives the client's settings and the agent SDK's options from a policy. Pure functions: facts
// about this machine are arguments.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agents/claude/setup/settings_editor.h"
#include "base/json.h"
#include "base/result.h"
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
  std::vector<std::string> wrapping;  // WrappingRules(), if the policy wraps commands
  bool under_run = false;             // `ringfence run` confines the agent itself
  bool client_fence = false;          // --client-fence
};

struct Derived {
  OrderedJson json;
  std::vector<std::string> notes;  // for the user: the parts of the policy that it cannot express
};

// Returns a whole settings object, for `--settings` or the settings file of one project.
Derived ClientSettingsFor(const SettingsQuestion& question);

enum class SdkLanguage { kTypeScript, kPython };
// Returns the options of the agent SDK, including the registration of the hook.
Derived SdkOptionsFor(const SettingsQuestion& question, SdkLanguage language);

struct MergeRequest {
  std::string text;  // of the file; blank if it does not exist
  std::string path;
  const OrderedJson& settings;
  HookCommand command;
  bool replaces = false;  // the policy's values replace those that differ
};

struct Merged {
  std::string text;
  std::vector<std::string> conflicts;  // values that differ, replaced if `replaces`
};

// Fails if the client would drop the whole file, before or after the change. Updates existing hooks
// of ringfence, and adds missing elements to lists.
Result<Merged> MergeSettings(const MergeRequest& request);

// True if a policy wraps the commands of some callers.
bool MayWrap(const PolicySources& sources);
inline constexpr const char* kWrapsForSome =
    "bash.wrap is on for some callers only. For those every command fails while the client's "
    "own sandbox is on: set it for all";

}  // namespace ringfence
