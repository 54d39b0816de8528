// A cgroup of the run's own, so that limits hold for all of its processes together (cgroup v2, in
// the kernel's documentation). Nothing is turned on in cgroups that somebody else manages: only
// those that already give their children controllers count.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/plan.h"

namespace ringfence {

// Where this user may make cgroups and move its processes into them.
struct Delegation {
  std::string folder;  // "" for nowhere
  std::vector<std::string> controllers;
};
// The controllers that the limits of a policy need.
std::vector<std::string> WantedControllers(const SandboxRules& rules);

// The nearest at or above the own one that has all of `wanted`, else the nearest of those that have
// the most. `own` is what /proc/self/cgroup says, `mount` where the hierarchy is mounted.
Delegation FindDelegation(std::string_view own, const std::string& mount,
                          const std::vector<std::string>& wanted);
Delegation FindDelegation(const std::vector<std::string>& wanted);  // of this process

// "MAJOR:MINOR" of the disks of this machine, as io.max names them.
std::vector<std::string> FindDisks();

// The files of a cgroup and what is written to them, for what the plan limits by it.
std::vector<std::pair<std::string, std::string>> CgroupSettings(const PlannedLimits& limits);

class Cgroup {
 public:
  Cgroup() = default;  // none
  Cgroup(Cgroup&& other) noexcept = default;
  Cgroup& operator=(Cgroup&& other) noexcept;
  ~Cgroup();  // ends whoever is left in it, and removes it

  // Below limits.cgroup, whose leftovers of launchers that were killed are removed first.
  static Result<Cgroup> Make(const PlannedLimits& limits);

  // Whoever writes "0" to it is moved in, with all that it starts afterwards. Invalid for none.
  const UniqueFd& entry() const { return entry_; }

 private:
  Status Create(const std::string& parent);
  Status TakeFolder(const std::string& parent);
  UniqueFd parent_;
  UniqueFd folder_;  // locked as long as somebody may enter
  UniqueFd entry_;
  std::string name_;
};

// The first process of a sandbox moves itself.
Status EnterCgroup(const UniqueFd& entry);

}  // namespace ringfence
