// HostFacts: what the machine can enforce, as plain values. A plan is made from them, so that a
// plan for another machine can be printed and tested anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringfence {

enum class HostSystem : uint8_t { kLinux, kMacos, kWindows, kOther };

// What a host may lack. Each is found out by the call itself, never by a version.
enum class Feature : uint8_t {
  kNamespaces,  // an unprivileged user namespace in which file systems may be mounted
  kProc,        // a /proc of the sandbox's own
  kLandlock,    // landlock(7)
  kSupervisor,  // seccomp_unotify(2) with access to the callers' memory
  kDelegation,  // a cgroup v2 subtree of the user's own
};

struct HostFacts {
  HostSystem system = HostSystem::kLinux;
  std::string kernel;       // for people: "Linux 6.18"
  bool is_inside = false;   // of a sandbox of ringfence's: namespaces cannot be nested
  bool inside_view = true;  // and that one has a /tmp, /run and /dev of its own
  uint32_t user = 0;        // effective user id
  uint32_t group = 0;
  int landlock_abi = 0;                  // 0: none
  int landlock_error = 0;                // errno of the question for it
  std::vector<Feature> lacks;            // that a plan could not be carried out for
  std::string cgroup;                    // a folder below which cgroups may be made; "" for none
  std::vector<std::string> controllers;  // that they have: "memory", "pids", "cpu", "io"
  std::vector<std::string> disks;        // "MAJOR:MINOR", as a limit of io names them
  std::string scratch;                   // a folder of the host's that nobody uses, not made yet
  std::vector<std::string> sockets;      // paths at which programs of this host listen
  std::string crash_handler;             // why no limit keeps a crash from it; "" where one does
  std::string crash_handler_unknown;     // why that could not be found out
  std::string sockets_unknown;           // why nobody could find them out; "" where that is done

  bool has(Feature feature) const;
};

}  // namespace ringfence
