#include "sandbox/linux/made_places.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/syscall.h"

namespace ringfence {
namespace {

// With the directories above it.
Status MakePlace(const PlannedPlace& place) {
  std::string_view rest = place.path.text();
  Path path;
  for (;;) {
    const std::string_view name = TakeComponent(rest);
    if (name.empty()) return Unit{};
    path = path.Child(name);
    const mode_t mode = place.set == SetName::kAgentState ? 0700 : 0777;
    if (::mkdir(path.text().c_str(), mode) == 0) continue;
    const int code = errno;
    // Where it may not be made, it may be there.
    if (code != EEXIST && ::access(path.text().c_str(), F_OK) != 0) {
      return SystemError("mkdir(" + path.text() + ") for " + place.why, code);
    }
  }
}

}  // namespace

Status MakePlaces(const SandboxPlan& plan, std::vector<Path>& left_out) {
  for (const PlannedPlace& place : plan.writable) {
    if (!place.make) continue;
    Status made = MakePlace(place);
    if (made) continue;
    const std::string& what = made.error().what;
    if (what != "EACCES" && what != "EPERM" && what != "EROFS") return made;
    left_out.push_back(place.path);
  }
  return Unit{};
}

SandboxPlan Without(SandboxPlan plan, const std::vector<Path>& left_out) {
  const auto is_left_out = [&left_out](const auto& place) {
    return std::ranges::any_of(left_out,
                               [&place](const Path& path) { return place.path.IsInside(path); });
  };
  std::erase_if(plan.writable, is_left_out);
  std::erase_if(plan.hidden, is_left_out);
  return plan;
}

}  // namespace ringfence
