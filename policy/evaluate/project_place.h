// A project may itself be a place that runs later, such as ~/.config/nvim. Its files are then not
// asked about, except those that run later by their name below the root.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_bits.h"
#include "policy/rules/sets.h"

namespace ringfence {

class ProjectPlace {
 public:
  explicit ProjectPlace(const SetContext& context);  // which outlives this

  // No where the project cannot lie in what the entry stands for: nearly always.
  bool MayLieIn(const SetEntry& entry) const { return HasNameBits(name_bits_, entry.name_bits); }

  // Leaves the project out of the entry; false where nothing is left of the entry.
  bool LeaveOutOf(SetEntry& entry, std::deque<std::string>& strings) const;

 private:
  void Add(const Path& root);

  const SetContext& context_;
  uint64_t name_bits_ = 0;                     // of all roots
  std::vector<std::string> folded_;            // the roots, below "/"
  std::vector<std::string_view> below_homes_;  // the roots, below each home that holds them
};

}  // namespace ringfence
