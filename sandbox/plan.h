// SandboxPlan: what a confined command sees and may do, as plain values: printed by --dry-run, then
// applied by a back end (backend.h). A back end decides nothing: whatever depends on the policy
// stands here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "policy/files/cached_files.h"
#include "policy/places.h"
#include "policy/policy.h"
#include "sandbox/guarded_names.h"
#include "sandbox/host_facts.h"

namespace ringfence {

// Where the command finds the egress proxy: at a Unix socket, or at a TCP port of its loopback.
using ProxyAddress = std::variant<Path, uint16_t>;

// The command, and how its caller wants it confined.
struct SandboxCommand {
  std::vector<std::string> argv;
  std::string cwd;                       // absolute, as the kernel names it
  std::vector<std::string> environment;  // the caller's, "NAME=value"
  bool is_agent = false;                 // the agent itself, not one of its commands
  bool is_trial = false;                 // nothing is left behind: no new directory, no log
  std::string session;                   // of the client; "" for none
  std::string also_writable;             // a directory besides those of the policy; "" for none
  std::string result_file;               // one more that may be written, for the caller; or ""
  std::optional<SandboxMode> mode;  // instead of the policy's; may only be tighter or said aloud
  std::optional<SandboxLayers> layers;
  // The only way to other hosts, instead of the policy's network. No back end can do that yet.
  std::optional<ProxyAddress> proxy;
};

struct PlannedPlace {
  enum class Kind : uint8_t { kDirectory, kFile };
  enum class Contents : uint8_t {
    kHosts,  // the host's files
    kOwn,    // a directory: empty and the sandbox's own, whatever the host has there
  };
  Path path;  // resolved
  Kind kind = Kind::kDirectory;
  Contents contents = Contents::kHosts;
  bool make = false;     // a directory that is not there yet
  bool is_part = false;  // only some names of it are meant: GuardedNames::AllowOnly()
  SetName set = SetName::kNone;
  std::string why;  // the rule, for people

  bool is_own() const { return contents == Contents::kOwn; }
  bool operator==(const PlannedPlace&) const = default;
};
using PlaceKind = PlannedPlace::Kind;

// A file that programs save by way of a lock and temporary files beside it, NAME.*: these names can
// be made, replaced and removed, though their folder is read-only.
struct SavedFile {
  Path path;
  std::string why;

  bool operator==(const SavedFile&) const = default;
};

// A directory or file of which nothing is seen but `kept`, folders directly below it or deeper.
struct HiddenPlace {
  Path path;
  PlannedPlace::Kind kind = PlannedPlace::Kind::kDirectory;
  std::vector<Path> kept;
  bool is_found = false;         // by a pattern for any folder, which finds it wherever it is moved
  bool is_closed = false;        // nobody could look into it, which its owner can change
  std::vector<Path> links = {};  // and folders that the rule's path leads through
  std::string why;

  bool covers(const Path& other) const;
  bool operator==(const HiddenPlace&) const = default;
};

// A directory that the command sees as it is, and writes as a copy of its own.
struct PlannedCache {
  Path path;                              // resolved
  std::vector<std::string> instead = {};  // variables where the host cannot mount such a copy

  bool operator==(const PlannedCache&) const = default;
};

struct PlannedNetwork {
  enum class Kind : uint8_t {
    kNone,   // at most a loopback of its own
    kProxy,  // no more than that but the proxy
    kHost,   // the host's
  };
  Kind kind = Kind::kNone;
  ProxyAddress proxy;  // where kind is kProxy

  bool is_hosts() const { return kind == Kind::kHost; }
  bool operator==(const PlannedNetwork&) const = default;
};

struct PlannedLimits {
  std::optional<uint64_t> memory;  // bytes
  uint64_t processes = 0;
  std::optional<double> cpus;
  std::optional<uint64_t> io;  // bytes per second
  std::string cgroup;          // where a cgroup is made for them; "": by rlimits, as far as they go
  std::vector<std::string> controllers;  // of the cgroup, for those limits that it takes over
  std::vector<std::string> disks;        // that io is limited for

  bool is_by_cgroup(std::string_view controller) const;
  bool operator==(const PlannedLimits&) const = default;
};

struct SandboxPlan {
  HostSystem system = HostSystem::kLinux;
  SandboxMode mode = SandboxMode::kSandbox;
  SandboxLayers layers = SandboxLayers::kFull;
  SandboxMissing missing = SandboxMissing::kRefuse;
  std::string profile;  // for people

  std::vector<std::string> argv;
  std::vector<std::string> programs;  // what argv[0] may mean, in this order
  Path cwd;
  Path root;  // of the project
  std::vector<std::string> environment;

  bool reads_all = true;
  std::vector<PlannedPlace> readable;  // only where not everything may be read
  std::vector<PlannedPlace> writable;  // one inside another only where a part between is closed
  std::vector<SavedFile> saved;
  std::vector<PlannedCache> caches;  // one inside another: none
  std::vector<PlannedPlace> sealed;  // inside a writable place and not writable
  std::vector<HiddenPlace> hidden;
  std::vector<Path> sockets;  // of the host's programs; they are not to be reached
  GuardedNames names;
  bool private_tmp = true;         // false: the policy names the host's
  Path tmp = Path::Clean("/tmp");  // where the host's /tmp leads, which may be a link
  Path scratch;                    // for temporary files where nothing can be mounted; else "/"
  Path session_tmp;  // of the host: what /tmp, or `scratch`, is for a session; else "/"

  PlannedNetwork network;
  PlannedLimits limits;
  uint32_t user = 0;
  uint32_t group = 0;
  int landlock_abi = 0;
  bool is_nested = false;   // inside another sandbox, which has the view, the network and the names
  bool inside_view = true;  // of a sandbox around this one: it has private folders
  bool own_proc = true;     // and processes of its own, as the one shows the others
  bool supervised = true;   // names are looked at when they are made
  bool takes_log = false;   // hooks inside leave their audit lines with the launcher

  std::vector<std::string> weaker;  // what is not enforced here, and why
  // Of these: what the policy asks for and this host cannot give, and what it permits and does not
  // come about.
  std::vector<std::string> unmet;
  std::vector<std::string> narrower;

  bool is_confined() const { return mode != SandboxMode::kRwx; }
  bool has_namespaces() const { return layers == SandboxLayers::kFull && !is_nested; }
  // What is private is so by mounts: its own or those of the sandbox around it.
  bool has_view() const { return is_nested ? inside_view : has_namespaces(); }
  // The kernel ends everybody when the first of them ends.
  bool has_own_processes() const { return has_namespaces() && own_proc; }
  // Nothing else keeps the command from the user's other processes, and with layers landlock from
  // their files.
  bool needs_landlock() const { return is_confined() && !is_nested && !has_own_processes(); }
  // Whether a sandbox without it still keeps everybody else's files and processes.
  bool can_do_without(Feature feature) const;
  // From version 6 on Landlock keeps signals inside, where no process namespace does.
  bool supervises_signals() const {
    constexpr int kKnowsSignals = 6;
    return supervised && !has_own_processes() && landlock_abi < kKnowsSignals;
  }
};

// As the policy and the command line spell them.
std::string_view ModeName(SandboxMode mode);
std::string_view LayersName(SandboxLayers layers);

// "none", "own loopback", "proxy", "host" or, where the sandbox around decides, "outer".
std::string_view NetworkName(const SandboxPlan& plan);

// The folders of the plan's saved files, each once.
std::vector<Path> SavedFolders(const SandboxPlan& plan);

// A name that every plan refuses, in a folder that mounts and Landlock leave writable: for the test
// of a sandbox from within.
Path SelfTestName(const SandboxPlan& plan);

// Pure but for questions to `files`. An error says what in policy, command or host stands against a
// sandbox.
struct PlanRequest {
  const Policy& policy;
  const Places& places;
  const CachedFiles& files;
  const SandboxCommand& command;
  const HostFacts& facts;
};
Result<SandboxPlan> MakePlan(const PlanRequest& request);

}  // namespace ringfence
