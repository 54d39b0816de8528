// The files of a plan as filters of SBPL.
#pragma once

#include <string>
#include <vector>

#include "sandbox/plan.h"

namespace ringfence {

struct SeatbeltFilter {
  std::string text;  // (subpath "/x")
  std::string why;   // a comment behind it; "" for none

  bool operator==(const SeatbeltFilter&) const = default;
};

SeatbeltFilter LiteralFilter(const Path& path);
SeatbeltFilter SubpathFilter(const Path& path);
std::vector<SeatbeltFilter> PlaceFilters(const std::vector<PlannedPlace>& places);

// Everything that no entry of `list` covers.
SeatbeltFilter NotAllowedFilter(const std::vector<GuardedName>& list);

SeatbeltFilter HiddenFilter(const HiddenPlace& place);
// Folders in writable places that hold a hidden one: with them it would be moved away.
std::vector<SeatbeltFilter> HiddenParents(const SandboxPlan& plan);
// Every folder above one that is listed.
std::vector<SeatbeltFilter> ListedParents(const SandboxPlan& plan);

// The names that a plan refuses, as far as they can lie where something may be written.
class SeatbeltNames {
 public:
  explicit SeatbeltNames(const SandboxPlan& plan);

  const std::vector<SeatbeltFilter>& refused() const { return refused_; }
  // The names that a longer refused name begins with. A folder that is renamed to one of them
  // brings everything below it along, and Seatbelt is asked about the folder only. As far as the
  // first component that is a pattern.
  const std::vector<SeatbeltFilter>& beginnings() const { return beginnings_; }

 private:
  void Add(const GuardedName& name);
  void AddBeginnings(const GuardedName& name);
  void AddBeginning(SeatbeltFilter filter);
  bool IsReachable(const GuardedName& name) const;
  bool IsBelowWritable(const Path& path) const;

  const std::vector<std::string>& stores_;
  Path root_;
  std::vector<Path> writable_;
  std::vector<SeatbeltFilter> refused_;
  std::vector<SeatbeltFilter> beginnings_;
};

}  // namespace ringfence
