// Merges derived settings into an existing file, and keeps everything else byte for byte.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/common/hook_command.h"

namespace ringfence {

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

}  // namespace ringfence
