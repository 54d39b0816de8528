// Adds an entry to a list in a policy's text, or removes entries; keeps comments and layout.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_edit.h"
#include "base/result.h"
#include "cli/common/grant_target.h"
#include "policy/load/layers.h"

namespace ringfence {

struct ListAddition {
  std::string section;  // "read"
  std::string list;     // "allow"
  std::string entry;
  // The first entries of a new list, because it replaces the default list.
  std::vector<std::string> inherited;
};

// Returns false if the list already has the entry. `text` is a valid policy.
Result<bool> AddToList(std::string& text, const std::string& shown, const ListAddition& addition);

// Removes the elements of a list for which `is_meant` returns true, and returns them. Returns
// nothing if the text does not have the list.
Result<std::vector<std::string>> RemoveFromList(
    std::string& text, const std::string& shown, const std::string& list,
    const std::function<bool(std::string_view)>& is_meant);

// Returns the elements of a list as written; nothing if the text does not have the list.
std::optional<std::vector<std::string>> ListAt(const std::string& text, const std::string& list);

// Removes a list such as "/read/allow" and, if `with_section`, its section if that is then empty.
Status RemoveList(std::string& text, const std::string& shown, const std::string& list,
                  bool with_section);

// The policy file to change.
struct ChangeTarget {
  std::string path;
  std::string shown;                // the path in messages
  std::optional<std::string> text;  // of the file, if it exists
  std::string root;                 // of the trusted project that the policy belongs to, or ""
  std::string home;
  bool is_session = false;    // a session's grants, which only add
  bool adds_network = false;  // no policy has a "network", and the user wants one
};

struct PolicyEdit {
  std::string text;                  // the new text of the policy; keeps all the rest
  std::vector<std::string> entries;  // added or removed, as written
  std::vector<std::string> lists;    // "read.allow"; those that changed
  bool is_still_read = false;        // a default entry that permits reading it remains
};

// Returns `text` with an entry for `grant` in each list that needs one. A new list repeats the
// entries of `sources`, the policies in force, so that nothing else changes.
Result<PolicyEdit> AddTarget(const GrantTarget& grant, const PolicySources& sources,
                             const ChangeTarget& target, std::string text);

// Removes the entries that permit the target. The inverse of AddTarget(), but also finds entries
// that the user spelled differently. Changes only "ask" lists if `grant.as_question`, and only
// lists of reads if the grant does not also write. Returns no entries if the policy has none. Fails
// if an allow list would become empty.
Result<PolicyEdit> RemoveTarget(const GrantTarget& grant, const PolicySources& sources,
                                const ChangeTarget& target, const std::string& text);

}  // namespace ringfence
