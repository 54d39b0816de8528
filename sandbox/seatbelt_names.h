// The files of a plan as SBPL filters.
#pragma once

#include <string>
#include <vector>

#include "sandbox/plan.h"

namespace ringfence {

struct SeatbeltFilter {
  std::string text;  // (subpath "/x")
  std::string why;   // trailing comment; "" for none

  bool operator==(const SeatbeltFilter&) const = default;
};

SeatbeltFilter LiteralFilter(const Path& path);
SeatbeltFilter SubpathFilter(const Path& path);
std::vector<SeatbeltFilter> PlaceFilters(const std::vector<PlannedPlace>& places);

// Matches everything that no entry of `list` covers.
SeatbeltFilter NotAllowedFilter(const std::vector<GuardedName>& list);

SeatbeltFilter HiddenFilter(const HiddenPlace& place);
// Narrows a filter to exclude these directories and everything in them.
SeatbeltFilter WithoutKept(const SeatbeltFilter& filter, const std::vector<Path>& kept);
// The hidden place and the directories between it and what is kept in it.
std::vector<SeatbeltFilter> KeptParents(const HiddenPlace& place);
// Directories in writable places that contain a hidden place: moving one would move the hidden
// place.
std::vector<SeatbeltFilter> HiddenParents(const SandboxPlan& plan);
// Every directory above a listed place.
std::vector<SeatbeltFilter> ListedParents(const SandboxPlan& plan);

// The names that a plan refuses, except those that cannot be in a writable place.
class SeatbeltNames {
 public:
  explicit SeatbeltNames(const SandboxPlan& plan);

  const std::vector<SeatbeltFilter>& refused() const { return refused_; }
  // Prefixes of refused names, up to the first component with a pattern. A directory renamed to one
  // brings everything below it along, and Seatbelt checks only the directory.
  const std::vector<SeatbeltFilter>& beginnings() const { return beginnings_; }

 private:
  void Add(const GuardedName& name);
  void AddBeginnings(const GuardedName& name);
  void AddBeginning(SeatbeltFilter filter);
  bool IsReachable(const GuardedName& name) const;
  bool IsBelowWritable(const Path& path) const;

  const std::vector<std::string>& stores_;
  Path root_;
  std::vector<Path> writable_;  // folded
  std::vector<SeatbeltFilter> refused_;
  std::vector<SeatbeltFilter> beginnings_;
};

}  // namespace ringfence
