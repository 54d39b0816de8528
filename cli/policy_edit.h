// Adds one entry to a list of a policy's text; comments and layout stay.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/json_edit.h"

namespace ringfence {

struct ListAddition {
  std::string section;  // "read"
  std::string list;     // "allow"
  std::string entry;
  // What the list holds before, when it must be made: an own list replaces the default.
  std::vector<std::string> inherited;
};

// False: the entry is there already. `text` has been read as a policy.
Result<bool> AddToList(std::string& text, const std::string& shown, const ListAddition& addition);

// "network": {"unlisted": ...} of a policy that had no such section.
Status AddNetworkSection(std::string& text, const std::string& shown, const OrderedJson& section);

}  // namespace ringfence
