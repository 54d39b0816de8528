// Puts derived settings into a file that is there, and leaves everything else byte for byte.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/common/hook_command.h"

namespace ringfence {

struct MergeRequest {
  std::string text;  // of the file; blank where there is none
  std::string path;
  const OrderedJson& settings;
  HookCommand command;
  bool replaces = false;  // where the file says otherwise, the policy's value counts
};

struct Merged {
  std::string text;
  std::vector<std::string> conflicts;  // values that say otherwise; replaced where that was asked
};

// An error where the client would drop the file as a whole, before or after. Hooks of ours that are
// there are brought up to date; of lists, what is missing is added.
Result<Merged> MergeSettings(const MergeRequest& request);

}  // namespace ringfence
