#include "sandbox/linux/made_places.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/syscall.h"
#include "base/unique_fd.h"

namespace ringfence {
namespace {

// Creates the directory and its missing parents, name by name and through no link: the plan's paths
// had none, so any link was put there later.
Status MakePlace(const PlannedPlace& place) {
  constexpr int kOpenFolder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const mode_t mode = place.set == SetName::kAgentState ? 0700 : 0777;
  UniqueFd folder(::open("/", kOpenFolder));
  std::string_view rest = place.path.text();
  Path path;
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    path = path.Child(name);
    const std::string text(name);
    const int code = ::mkdirat(folder.get(), text.c_str(), mode) == 0 ? EEXIST : errno;
    // mkdirat(2) can lack permission even though the directory exists.
    UniqueFd next(::openat(folder.get(), text.c_str(), kOpenFolder));
    if (!next.valid()) {
      return SystemError("mkdir(" + path.text() + ") for " + place.why,
                         code == EEXIST ? errno : code);
    }
    folder = std::move(next);
  }
  return Unit{};
}

}  // namespace

Status MakePlaces(const SandboxPlan& plan, std::vector<Path>& left_out) {
  for (const PlannedPlace& place : plan.writable) {
    if (!place.make) continue;
    Status made = MakePlace(place);
    if (made) continue;
    const int code = made.error().code;
    if (code != EACCES && code != EPERM && code != EROFS) return made;
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
