// The folders that a sandbox has for itself: /tmp, /run, /dev and /proc.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/linux/mounts.h"
#include "sandbox/plan.h"

namespace ringfence {

// What covers a hidden directory and a hidden file: nobody can open either. In the sandbox's own
// /dev, which is the one private folder that is always there.
inline constexpr const char* kCoverDirectory = "/dev/.ringfence/directory";
inline constexpr const char* kCoverFile = "/dev/.ringfence/file";

// The one file system in memory that holds what is in /tmp, /run, /dev/shm and other empty folders,
// so that all of them together take no more of it than one. It is there until all are mounted.
inline constexpr const char* kMemory = "/dev/.ringfence/memory";

// Below it SavedFolders() are mounted writable, each by its number, for the supervisor: the folder
// itself is closed.
inline constexpr const char* kSavedFolders = "/dev/.ringfence/saved";

// What is mounted as /tmp.
Path TmpOf(const SandboxPlan& plan);

class PrivateMounts {
 public:
  // `audit` is the launcher's socket for audit lines, which gets its name here, or -1.
  PrivateMounts(const SandboxPlan& plan, int audit) : plan_(plan), audit_(audit) {}

  // What of the host is seen in them, before anything covers it: first the folders, then, once
  // SealEverything() was called with `root`, the devices.
  Status CloneFolders();
  Status CloneDevices(Writable root);
  // All of /dev, and /tmp and /run.
  Status Mount();
  // Another folder, empty.
  Status MountEmpty(const Path& path, mode_t mode);
  // After the last of them: the user owns that file system, so a command could open it by its name.
  Status LeaveMemory();

 private:
  Status MountFolders();
  Status MountShared();
  Status MountDevices();
  Status MakeDevicePoints() const;
  static Status MakeCovers();
  Status AttachDevices();
  Status AttachSaved();
  Status NameAuditSocket() const;

  const SandboxPlan& plan_;
  int audit_;
  UniqueFd session_tmp_;
  std::vector<UniqueFd> saved_;  // SavedFolders() of the plan
  std::vector<UniqueFd> devices_;
  int folders_ = 0;  // below kMemory
};

// A /proc of the process namespace's own. EPERM where parts of the one outside are covered, as in
// many containers: the kernel then forbids a new one.
Status MountProc(const SandboxPlan& plan);

}  // namespace ringfence
