// Adds one entry to a list of a policy's text, or removes it; comments and layout stay.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_edit.h"
#include "base/result.h"

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

// Removes the elements of a list for which `is_meant` holds, and returns them. Nothing where the
// text has no such list.
Result<std::vector<std::string>> RemoveFromList(
    std::string& text, const std::string& shown, const std::string& list,
    const std::function<bool(std::string_view)>& is_meant);

// The elements of a list as they are written; nothing where the text has no such list.
std::optional<std::vector<std::string>> ListAt(const std::string& text, const std::string& list);

// Removes a list, and the section that it was the only member of. `list` is "/read/allow".
Status RemoveList(std::string& text, const std::string& shown, const std::string& list,
                  bool with_section);

}  // namespace ringfence
