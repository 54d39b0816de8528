// A project may itself be a place that runs later, such as ~/.config/nvim. Its files are then not
// asked about, except those that run later by their name below the root.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "policy/sets.h"

namespace ringfence {

class ProjectPlace {
 public:
  explicit ProjectPlace(const SetContext& context);  // which outlives this

  // Leaves the project out of the entry; false where nothing is left of the entry.
  bool LeaveOutOf(SetEntry& entry, std::deque<std::string>& strings) const;

 private:
  void Add(const Path& root);

  const SetContext& context_;
  std::vector<std::string> folded_;            // the roots, below "/"
  std::vector<std::string_view> below_homes_;  // the roots, below each home that holds them
};

}  // namespace ringfence
