// A project may itself be a directory whose files run later, such as ~/.config/nvim. Its files then
// need no approval, except those that run later because of their name below the root.
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
  explicit ProjectPlace(const SetContext& context);  // `context` outlives this

  // False if the project cannot be inside the entry, which is nearly always the case.
  bool MayLieIn(const SetEntry& entry) const { return HasNameBits(name_bits_, entry.name_bits); }

  // Excludes the project from the entry; false if nothing of the entry remains.
  bool LeaveOutOf(SetEntry& entry, std::deque<std::string>& strings) const;

 private:
  void Add(const Path& root);

  const SetContext& context_;
  uint64_t name_bits_ = 0;                     // of all roots
  std::vector<std::string> folded_;            // the roots, relative to "/"
  std::vector<std::string_view> below_homes_;  // the roots, relative to each home above them
};

}  // namespace ringfence
