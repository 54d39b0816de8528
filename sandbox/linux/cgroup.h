// A cgroup for the run, so that limits apply to all of its processes together (cgroup v2, kernel
// documentation). Cgroups that other programs manage stay unchanged: only those that already enable
// controllers for their children are used.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/plan.h"

namespace ringfence {

// A place where this user can create cgroups and move processes into them.
struct Delegation {
  std::string folder;  // "" for none
  std::vector<std::string> controllers;
};
// Returns the controllers that the limits of a policy need.
std::vector<std::string> WantedControllers(const SandboxRules& rules);

// Returns the nearest cgroup, at or above the process's own, that has all of `wanted`; else the
// nearest with the most of them. `own` is the text of /proc/self/cgroup, `mount` the hierarchy's
// mount point.
Delegation FindDelegation(std::string_view own, const std::string& mount,
                          const std::vector<std::string>& wanted);
Delegation FindDelegation(const std::vector<std::string>& wanted);  // for this process

// Returns "MAJOR:MINOR" of this machine's disks, as used in io.max.
std::vector<std::string> FindDisks();

// Returns pairs of a cgroup file and the text to write to it, for the plan's cgroup limits.
std::vector<std::pair<std::string, std::string>> CgroupSettings(const PlannedLimits& limits);

class Cgroup {
 public:
  Cgroup() = default;  // no cgroup
  Cgroup(Cgroup&& other) noexcept = default;
  Cgroup& operator=(Cgroup&& other) noexcept;
  ~Cgroup();  // kills the processes left in it and removes it

  // Creates a cgroup in limits.cgroup, after removing leftovers of killed launchers.
  static Result<Cgroup> Make(const PlannedLimits& limits);

  // A process that writes "0" to it enters the cgroup, with all its later children. Invalid if
  // there is no cgroup.
  const UniqueFd& entry() const { return entry_; }

 private:
  Status Create(const std::string& parent);
  Status TakeFolder(const std::string& parent);
  UniqueFd parent_;
  UniqueFd folder_;  // locked while processes can enter
  UniqueFd entry_;
  std::string name_;
};

// Moves the calling process, the first one of a sandbox.
Status EnterCgroup(const UniqueFd& entry);

}  // namespace ringfence
