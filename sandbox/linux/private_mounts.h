// The sandbox's private directories: /tmp, /run, /dev and /proc.
#pragma once

#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/linux/mounts.h"
#include "sandbox/plan.h"

namespace ringfence {

// Covers for hidden directories and hidden files, which no process can open. They are in the
// sandbox's own /dev, the only private directory that always exists.
inline constexpr const char* kCoverDirectory = "/dev/.ringfence/directory";
inline constexpr const char* kCoverFile = "/dev/.ringfence/file";

// A single tmpfs for /tmp, /run, /dev/shm and other empty directories, so that all of them together
// take no more memory than one. It stays at this path until BuildView() has mounted all of them.
inline constexpr const char* kMemory = "/dev/.ringfence/memory";

// Holds the writable mounts of SavedFolders() for the supervisor, named by number. Commands cannot
// open this directory.
inline constexpr const char* kSavedFolders = "/dev/.ringfence/saved";

// Returns the path at which the private /tmp is mounted.
Path TmpOf(const SandboxPlan& plan);

class PrivateMounts {
 public:
  // `audit` is the launcher's socket for audit lines, or -1; Mount() binds it to its name.
  PrivateMounts(const SandboxPlan& plan, int audit) : plan_(plan), audit_(audit) {}

  // Clone the parts of the host that the private directories will show, before anything covers
  // them: first the directories, then, after SealEverything(root), the devices.
  Status CloneFolders();
  Status CloneDevices(Writable root);
  // Mounts all of /dev, and /tmp and /run.
  Status Mount();
  // Mounts another empty directory.
  Status MountEmpty(const Path& path, mode_t mode);
  // Mounts a file that no process can change over another one.
  Status MountText(const PlannedFile& text);

 private:
  Status MountShared();
  Status MountDevices();
  Status MakeDevicePoints() const;
  Status AttachDevices();
  Status AttachSaved();
  Status NameAuditSocket() const;

  const SandboxPlan& plan_;
  int audit_;
  UniqueFd session_tmp_;
  std::vector<UniqueFd> saved_;  // SavedFolders() of the plan
  std::vector<UniqueFd> devices_;
  int folders_ = 0;  // number of directories and files in kMemory
};

// Mounts a /proc for the new process namespace. Fails with EPERM if parts of the outer /proc are
// covered, as in many containers: the kernel then refuses a new one.
Status MountProc(const SandboxPlan& plan);

}  // namespace ringfence
