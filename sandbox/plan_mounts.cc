#include "sandbox/plan_mounts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"

namespace ringfence {
namespace {

void Append(const MountTable& mounts, const Path& place, std::vector<Path>& found) {
  for (const MountTable::Name& name : mounts.OtherNames(place)) found.push_back(name.path);
  for (const MountTable::Part& part : mounts.PartsElsewhere(place)) {
    found.push_back(part.elsewhere);
  }
}

// Returns `place` as visible at `elsewhere`: another name of it, or of a part of it.
HiddenPlace At(const MountTable& mounts, const HiddenPlace& place, const Path& elsewhere) {
  HiddenPlace other = place;
  other.path = elsewhere;
  other.kept.clear();
  other.links.clear();
  other.why = place.why + ", which a mount shows here as well";
  for (const Path& kept : place.kept) {
    for (const MountTable::Name& name : mounts.OtherNames(kept)) {
      if (name.path.IsInside(elsewhere)) other.kept.push_back(name.path);
    }
  }
  return other;
}

}  // namespace

std::vector<Path> Elsewhere(const MountTable& mounts, const Path& place) {
  std::vector<Path> found;
  Append(mounts, place, found);
  return found;
}

void GuardElsewhere(const MountTable& mounts, std::vector<PlannedPlace>& places,
                    GuardedNames& names) {
  if (!mounts.has_twins()) return;
  constexpr const char* kWhy = "a mount shows it elsewhere, where rules may name it";
  std::vector<Path> found;
  for (const PlannedPlace& place : places) {
    Append(mounts, place.path, found);
    for (const Path& mount : mounts.MountsBelow(place.path)) {
      const size_t before = found.size();
      Append(mounts, mount, found);
      if (found.size() > before) names.HoldInPlace(mount, kWhy);
    }
    for (const MountTable::Part& part : mounts.PartsElsewhere(place.path)) {
      names.HoldInPlace(part.here, kWhy);
    }
  }
  if (found.empty()) return;
  names.SetMounts(mounts);
  for (Path& path : found) places.push_back({.path = std::move(path)});
}

void HideElsewhere(const MountTable& mounts, const std::vector<Path>& kept,
                   std::vector<HiddenPlace>& hidden, std::vector<std::string>& weaker) {
  if (!mounts.has_twins()) return;
  std::vector<HiddenPlace> others;
  for (const HiddenPlace& place : hidden) {
    std::vector<HiddenPlace> own;
    for (const Path& path : Elsewhere(mounts, place.path)) own.push_back(At(mounts, place, path));
    const auto holds = std::ranges::find_if(own, [&](const HiddenPlace& other) {
      return std::ranges::any_of(kept, [&](const Path& path) { return other.covers(path); });
    });
    if (holds == own.end()) {
      std::ranges::move(own, std::back_inserter(others));
    } else {
      std::string note = "read.deny: " + Quote(place.path.text()) +
                         " is hidden there only, since " + Quote(holds->path.text()) +
                         " shows the same and holds the project or a home";
      if (std::ranges::find(weaker, note) == weaker.end()) weaker.push_back(std::move(note));
    }
  }
  for (HiddenPlace& other : others) {
    const auto covers = [&](const HiddenPlace& place) {
      return place.covers(other.path) || place.path == other.path;
    };
    if (std::ranges::any_of(hidden, covers)) continue;
    // `other` covers the places inside it.
    std::erase_if(hidden, [&](const HiddenPlace& place) { return other.covers(place.path); });
    hidden.push_back(std::move(other));
  }
  std::ranges::stable_sort(hidden, {}, &HiddenPlace::path);
}

void NoteSpellings(const MountTable& mounts, const std::vector<HiddenPlace>& hidden,
                   std::vector<std::string>& weaker) {
  for (const HiddenPlace& place : hidden) {
    const std::string_view type = mounts.TypeWithSpellings(place.path);
    if (type.empty()) continue;
    weaker.push_back("read.deny: " + Quote(place.path.text()) + " is on a file system of type " +
                     Quote(type) +
                     ", which may accept other spellings of the name: it can be read by those");
    return;  // one note is enough
  }
}

}  // namespace ringfence
