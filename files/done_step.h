// DoneStep: one name that a transaction changes, as its journal has it, and what can be done with
// it whatever state a crash has left it in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "files/attributes.h"
#include "files/entry.h"

namespace ringfence {

struct DoneStep {
  enum class Kind : uint8_t {
    kPut,     // places a new file, link or directory
    kRemove,  // also a directory with all that is in it
    kMode,    // sets the permission bits and, if `attributes` are given, those
  };
  Kind kind = Kind::kPut;
  std::string path;       // below the transaction's root
  std::string temporary;  // name in the same directory: first of what is new, then of what was old
  Entry before;           // kNone: nothing
  Contents before_inside;
  Entry placed;  // of kPut; kNone as long as not everything new is created
  Contents placed_inside;
  uint32_t mode = 0;  // of kMode
  // Extended attributes of kMode, before and after it; absent if they stay.
  std::optional<AttributeValues> old_attributes, attributes;
  bool mark = false;  // the caller's

  bool operator==(const DoneStep&) const = default;
};

// A name for DoneStep::temporary that no other process chooses: this and random digits.
inline constexpr std::string_view kTreeTemporary = ".ringfence-";
std::string NewTemporaryName();

// The functions below take the open directory that holds the path.

// Puts the new entry in its place, removes the old one, or sets the mode. Returns false if the name
// is not as expected; what was changed is then to be taken back.
Result<bool> Place(const UniqueFd& folder, const DoneStep& step);

// True if what was taken away is still as expected: a program that had it open can have written to
// it.
Result<bool> IsStillExpected(const UniqueFd& folder, const DoneStep& step);

// True if what a committed step has placed is still there, and no program has changed it since.
Result<bool> IsStillPlaced(const UniqueFd& folder, const DoneStep& step);

// Undoes Place() from any state in between. Returns false if the name was changed by another
// program since. It then stays as it is, and what it held before keeps its temporary name.
Result<bool> TakeBack(const UniqueFd& folder, const DoneStep& step);

}  // namespace ringfence
