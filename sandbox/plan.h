// SandboxPlan: what a confined command sees and may do, as plain values. --dry-run prints it; a
// back end (backend.h) applies it. A back end decides nothing: everything that depends on the
// policy is in the plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/files/cached_files.h"
#include "policy/places.h"
#include "policy/policy.h"
#include "sandbox/guarded_names.h"
#include "sandbox/host_facts.h"
#include "staging/store/record.h"

namespace ringfence {

// The command and the caller's choices for its confinement.
struct SandboxCommand {
  std::vector<std::string> argv;
  std::string cwd;                       // absolute, as the kernel names it
  std::vector<std::string> environment;  // the caller's, "NAME=value"
  bool is_agent = false;                 // the agent itself, not one of its commands
  bool is_trial = false;                 // leaves nothing behind: no new directory, no log
  std::string session;                   // the client's session; "" for none
  std::string also_writable;             // a writable directory besides the policy's; "" for none
  std::string result_file;               // a writable file that the caller reads; "" for none
  std::optional<SandboxMode> mode;       // replaces the policy's; rwx is noted in the plan
  std::optional<SandboxLayers> layers;
  Path stage;  // existing directory that collects the changes to the project; "/" for none
  int64_t stage_begun = 0;  // CLOCK_REALTIME in nanoseconds, see PlannedStage::begun
  // The project that the places are a copy of (PlannedStage::is_elsewhere); "/" if they are the
  // project itself.
  Path copied_project;
};

// Where the changes to the project go.
struct PlannedStage {
  Path folder;  // "/" for none
  StageMechanism mechanism = StageMechanism::kOverlay;
  std::string why_copy;  // why an overlay cannot keep the changes; "" if it does
  // Nothing can be mounted over the project: the command runs in the copy's own path.
  bool is_elsewhere = false;
  // Mount points in the project, read-only and not staged; none is inside another.
  std::vector<Path> mounts;
  uint64_t memory = 0;  // bytes that the changes may take in memory; 0 for on disk
  // CLOCK_REALTIME in nanoseconds. The command starts once files that are written get later times,
  // so that what it and the user change from then on can be told from earlier changes.
  int64_t begun = 0;

  bool operator==(const PlannedStage&) const = default;
};

// True if nothing can be mounted over the project, so that the command of a stage has to work in a
// copy's own path.
bool WorksElsewhere(HostSystem system, SandboxLayers layers);

struct PlannedPlace {
  enum class Kind : uint8_t { kDirectory, kFile };
  enum class Contents : uint8_t {
    kHosts,   // the host's files
    kOwn,     // an empty directory private to the sandbox, whatever the host has
    kStaged,  // the host's files; what is written goes to the stage
  };
  Path path;  // resolved
  Kind kind = Kind::kDirectory;
  Contents contents = Contents::kHosts;
  bool make = false;     // a directory to create
  bool is_part = false;  // only some names in it count: GuardedNames::AllowOnly()
  SetName set = SetName::kNone;
  std::string why;  // the rule, for messages

  bool is_own() const { return contents == Contents::kOwn; }
  bool is_staged() const { return contents == Contents::kStaged; }
  bool operator==(const PlannedPlace&) const = default;
};
using PlaceKind = PlannedPlace::Kind;

// A file that programs save through a lock and temporary files beside it, NAME.*: these names can
// be created, replaced and removed, although their directory is read-only.
struct SavedFile {
  Path path;
  std::string why;

  bool operator==(const SavedFile&) const = default;
};

// A directory or file that is hidden except for `kept`, directories at any depth below it.
struct HiddenPlace {
  Path path;
  PlannedPlace::Kind kind = PlannedPlace::Kind::kDirectory;
  std::vector<Path> kept = {};
  bool is_found = false;         // by an "anywhere" pattern, which finds it wherever it is moved
  bool is_closed = false;        // could not be listed; its owner can change that
  std::vector<Path> links = {};  // on the rule's path; also directories that a ".." leaves
  std::string why;

  bool covers(const Path& other) const;
  bool operator==(const HiddenPlace&) const = default;
};

// A directory that the command sees with the host's contents and writes as a private copy.
struct PlannedCache {
  Path path;                              // resolved
  std::vector<std::string> instead = {};  // variables for a host that cannot mount the copy

  bool operator==(const PlannedCache&) const = default;
};

// A file of the system that the command sees with another content.
struct PlannedFile {
  Path path;  // resolved
  std::string text;

  bool operator==(const PlannedFile&) const = default;
};

struct PlannedNetwork {
  enum class Kind : uint8_t {
    kNone,       // at most its own loopback
    kProxy,      // the same, and the hosts that the egress proxy lets it reach
    kProxyPort,  // no network but the egress proxy's port on the host's loopback
    kHost,       // the host's network
  };
  Kind kind = Kind::kNone;
  std::vector<uint16_t> ports;  // if kind is kProxy: those of the policy, besides the usual ones

  bool is_hosts() const { return kind == Kind::kHost; }
  bool is_proxied() const { return kind == Kind::kProxy || kind == Kind::kProxyPort; }
  bool is_by_port() const { return kind == Kind::kProxyPort; }
  bool operator==(const PlannedNetwork&) const = default;
};

struct PlannedLimits {
  std::optional<uint64_t> memory;  // bytes
  uint64_t processes = 0;
  std::optional<double> cpus;
  std::optional<uint64_t> io;            // bytes per second
  std::string cgroup;                    // parent of a cgroup for them; "" for rlimits only
  std::vector<std::string> controllers;  // those whose limits the cgroup enforces
  std::vector<std::string> disks;        // that the io limit applies to

  bool is_by_cgroup(std::string_view controller) const;
  bool operator==(const PlannedLimits&) const = default;
};

struct SandboxPlan {
  HostSystem system = HostSystem::kLinux;
  SandboxMode mode = SandboxMode::kSandbox;
  SandboxLayers layers = SandboxLayers::kFull;
  SandboxMissing missing = SandboxMissing::kRefuse;
  std::string profile;  // for messages

  std::vector<std::string> argv;
  std::vector<std::string> programs;  // candidate paths for argv[0], in order
  Path cwd;
  Path root;  // the project
  std::vector<std::string> environment;

  bool reads_all = true;
  std::vector<PlannedPlace> readable;  // only if not everything may be read
  std::vector<PlannedPlace> writable;  // nested only if a part in between is not writable
  std::vector<SavedFile> saved;
  std::vector<PlannedCache> caches;  // none is inside another
  std::vector<PlannedPlace> sealed;  // read-only, inside a writable place
  std::vector<HiddenPlace> hidden;
  std::vector<Path> sockets;  // of host programs; unreachable for the command
  GuardedNames names;
  bool private_tmp = true;         // false if the policy names the host's, or without mounts
  Path tmp = Path::Clean("/tmp");  // the host's /tmp, with links resolved
  Path scratch;                    // for temporary files if nothing can be mounted; else "/"
  Path session_tmp;  // host directory behind a session's /tmp, or its `scratch`; else "/"

  PlannedStage stage;
  // To create before the start: hidden ones, and one that the agent must find.
  std::vector<Path> state_folders;
  Path log_file;  // "/" for none
  PlannedNetwork network;
  std::vector<PlannedFile> texts;
  PlannedLimits limits;
  uint32_t user = 0;
  uint32_t group = 0;
  int landlock_abi = 0;
  bool is_nested = false;   // in another sandbox, which provides view, network and names
  bool inside_view = true;  // the outer sandbox has private directories
  bool own_proc = true;     // its own /proc, and so its own process namespace
  bool supervised = true;   // the supervisor checks names as they are created
  bool takes_log = false;   // hooks inside send their audit lines to the launcher

  std::vector<std::string> weaker;  // notes on protections that are missing here, and why
  // Subsets of `weaker`: requirements of the policy that this host cannot meet, and permissions
  // that have no effect.
  std::vector<std::string> unmet;
  std::vector<std::string> narrower;

  bool is_staged() const { return !stage.folder.is_root(); }
  bool is_confined() const { return mode != SandboxMode::kRwx; }
  // In a network namespace of this run alone that leads nowhere.
  bool has_own_loopback() const {
    return has_namespaces() && network.kind == PlannedNetwork::Kind::kNone;
  }
  bool has_namespaces() const { return layers == SandboxLayers::kFull && !is_nested; }
  // True if mounts make directories private: its own mounts or the outer sandbox's.
  bool has_view() const { return is_nested ? inside_view : has_namespaces(); }
  // True if the kernel kills all processes inside when the first one ends.
  bool has_own_processes() const { return has_namespaces() && own_proc; }
  // True if only Landlock keeps the command from the user's other processes and, with layers
  // landlock, from the user's files.
  bool needs_landlock() const { return is_confined() && !is_nested && !has_own_processes(); }
  // True if a sandbox without `feature` still protects the files and processes outside it.
  bool can_do_without(Feature feature) const;
  // Without a process namespace, Landlock confines signals, but only from version 6 on.
  bool supervises_signals() const {
    constexpr int kKnowsSignals = 6;
    return supervised && !has_own_processes() && landlock_abi < kKnowsSignals;
  }
};

// Spelled as in the policy and on the command line.
std::string_view ModeName(SandboxMode mode);
std::string_view LayersName(SandboxLayers layers);

// "none", "own loopback", "proxy", "host", or "outer" if the outer sandbox decides.
std::string_view NetworkName(const SandboxPlan& plan);

// The directories of the plan's saved files, without duplicates.
std::vector<Path> SavedFolders(const SandboxPlan& plan);

// A name that every Linux plan refuses, in a directory that mounts and Landlock leave writable. The
// self-test inside the sandbox uses it.
Path SelfTestName(const SandboxPlan& plan);

// Pure except for queries to `files`. An error names what in the policy, the command or the host
// prevents a sandbox.
struct PlanRequest {
  const Policy& policy;
  const Places& places;
  const CachedFiles& files;
  const SandboxCommand& command;
  const HostFacts& facts;
};
Result<SandboxPlan> MakePlan(const PlanRequest& request);

}  // namespace ringfence
