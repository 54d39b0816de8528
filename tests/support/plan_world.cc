#include "tests/support/plan_world.h"

#include <algorithm>
#include <stdexcept>

namespace ringfence {
namespace {

std::string KindText(PlannedPlace::Kind kind) {
  return kind == PlannedPlace::Kind::kFile ? " (file)" : "";
}

void Append(std::string& text, const std::string& more) {
  if (!text.empty()) text += ", ";
  text += more;
}

}  // namespace

PlanWorld::PlanWorld()
    : command{.argv = {"make", "test"},
              .cwd = "/home/dev/project",
              .environment = {"PATH=/usr/bin:/bin", "HOME=/home/dev"}},
      facts{.kernel = "Linux 6.18",
            .user = 1000,
            .group = 1000,
            .landlock_abi = 7,
            .cgroup = "/sys/fs/cgroup/user.slice",
            .controllers = {"cpu", "io", "memory", "pids"},
            .disks = {"8:0"}} {
  world.files.Put("/etc/resolv.conf", File());
}

Result<SandboxPlan> PlanWorld::Try() const {
  const Result<Policy> policy = MergePolicies(world.sources, world.profile, world.places, Caller{});
  if (!policy) throw std::runtime_error(policy.error().text());
  const CachedFiles files(world.files);
  return MakePlan({*policy, world.places, files, command, facts});
}

SandboxPlan PlanWorld::Plan() const {
  Result<SandboxPlan> plan = Try();
  if (!plan) throw std::runtime_error("no plan: " + plan.error().text());
  return std::move(*plan);
}

Error PlanWorld::WhyNot() const {
  const Result<SandboxPlan> plan = Try();
  if (plan) throw std::runtime_error("there is a plan");
  return plan.error();
}

std::string PlacesText(const std::vector<PlannedPlace>& places) {
  std::string text;
  for (const PlannedPlace& place : places) {
    Append(text, (place.make ? "make " : "") + place.path.text() + KindText(place.kind));
  }
  return text;
}

bool IsState(const HiddenPlace& place) {
  return place.path.text().find("/.local/state/ringfence/") != std::string::npos;
}

std::string PlacesText(const std::vector<HiddenPlace>& places) {
  std::string text;
  for (const HiddenPlace& place : places) {
    if (IsState(place)) continue;
    Append(text, place.path.text() + KindText(place.kind));
    for (const Path& kept : place.kept) text += " but " + kept.text();
  }
  return text;
}

std::string PathsText(const std::vector<Path>& paths) {
  std::string text;
  for (const Path& path : paths) Append(text, path.text());
  return text;
}

bool Notes(const SandboxPlan& plan, std::string_view text) {
  return std::ranges::any_of(plan.weaker, [text](const std::string& note) {
    return note.find(text) != std::string::npos;
  });
}

}  // namespace ringfence
