// HostFacts: what the machine can enforce, as plain values, so that a plan for another machine can
// be made, printed and tested anywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ringfence {

enum class HostSystem : uint8_t { kLinux, kMacos, kWindows, kOther };

// Features that a host may lack. Each is detected by making the call, never by version.
enum class Feature : uint8_t {
  kNamespaces,  // an unprivileged user namespace that permits mounting file systems
  kProc,        // a private /proc
  kLandlock,    // landlock(7)
  kSupervisor,  // seccomp_unotify(2) with access to the callers' memory
  kDelegation,  // a cgroup v2 subtree delegated to the user
  kOverlay,     // an overlay mount over the project, whose changes go to the stage's directory
};

struct HostFacts {
  HostSystem system = HostSystem::kLinux;
  std::string kernel;       // for messages: "Linux 6.18"
  std::string host_name;    // "" if unknown
  bool has_proxy = true;    // ringfence-proxy is part of the program on this system
  bool has_veth = true;     // devices that join two network namespaces (veth(4))
  bool is_inside = false;   // inside a ringfence sandbox: namespaces cannot be nested
  bool inside_view = true;  // the outer sandbox has its own /tmp, /run and /dev
  uint32_t user = 0;        // effective user id
  uint32_t group = 0;
  int landlock_abi = 0;                  // 0: none
  int landlock_error = 0;                // errno of the query for the ABI
  std::vector<Feature> lacks;            // features that were found to be missing
  std::string cgroup;                    // directory in which cgroups can be created; "" for none
  std::vector<std::string> controllers;  // available there: "memory", "pids", "cpu", "io"
  std::vector<std::string> disks;        // "MAJOR:MINOR", as in io limits
  std::string scratch;                   // name for a temporary host directory, not created yet
  std::vector<std::string> sockets;      // paths at which host programs listen
  std::string crash_handler;  // why no limit keeps a crash from the host's handler; "" if one does
  std::string crash_handler_unknown;  // why crash_handler could not be determined
  std::string no_overlay;             // why Feature::kOverlay is missing
  std::string sockets_unknown;        // why `sockets` could not be determined; "" if it was

  bool has(Feature feature) const {
    return std::find(lacks.begin(), lacks.end(), feature) == lacks.end();
  }
};

}  // namespace ringfence
