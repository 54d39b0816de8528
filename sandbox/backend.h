// The interface to the operating system: what it offers, and how to carry out a plan. The build
// picks one directory (linux, macos, none).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/host_facts.h"
#include "sandbox/inherited.h"
#include "sandbox/plan.h"

namespace ringfence {

// Returns the facts that are quick to find; looks for cgroups only if `rules` has limits for them.
// A feature that turns out to be missing when a plan is carried out is reported in SetupFailure.
HostFacts ProbeHost(const SandboxRules& rules);

// For a plan that is only shown: also finds what a start cannot wait for.
HostFacts ProbeHostForReport(const SandboxRules& rules);

// The first setup step that failed. Nothing was run.
struct SetupFailure {
  std::string step;              // "mount view"
  Error error;                   // "mount(/proc)", EPERM
  std::optional<Feature> lacks;  // a plan without it could still work

  std::string text() const { return step + ": " + error.text(); }
};

// A call of the confined command that was refused because of a name in it.
struct Refusal {
  std::string path;
  std::string why;  // the rule's reason; "" if a mount or Landlock refused the call
  int code = 0;     // EACCES; ENOEXEC for a program that cannot run in a sandbox
};

constexpr int kSetupFailed = 125;  // exit status if nothing was run

constexpr size_t kMaxRefusals = 10;  // number of refusals kept for the report

struct NotExecuted {
  std::string program;  // as given
  int code = 0;         // ENOENT
};

struct Ended {
  std::optional<SetupFailure> failure;  // if set, the other fields are meaningless
  int signal = 0;                       // signal that ended the command; 0 for none
  int status = 0;  // as in a shell: 126 and 127 if the program could not be run, 128 + signal
  std::optional<NotExecuted> not_run;
  std::vector<Refusal> refusals;  // the first few, without duplicate paths
  size_t refusal_count = 0;
  bool lacked_network = false;   // the command failed, has no network, and tried to reach a host
  bool lost_supervisor = false;  // it ended before the command, and so all processes were ended
};

// Receives events of a run.
class RunObserver {
 public:
  // The sandbox is set up, and the command is running.
  virtual void Started(const SandboxPlan& plan) = 0;
  // A process inside asks to append a line to the audit log, or for something else (base/inside.h;
  // SandboxPlan::takes_log). Returns the text of the reply once it is done, nothing if it is
  // rejected. The sender is untrusted.
  virtual std::optional<std::string> TakePacket(std::string_view packet) = 0;
  // The changes of the stage are in this directory, in memory: they are lost once nothing holds it.
  virtual void TakeBuffer(UniqueFd /*buffer*/) {}
  // True if the memory for the changes is full. The run ends then.
  virtual bool IsBufferFull() const { return false; }

 protected:
  ~RunObserver() = default;
};

// Where the egress proxy listens on the host's loopback for one sandbox.
struct ProxyPort {
  uint16_t port = 0;       // 0 for none
  std::string credential;  // that it asks for: the password of any user
};

// The network that a sandbox enters: that of an earlier sandbox of its session, or a new one.
struct NetworkEntry {
  UniqueFd user, net;  // the existing namespaces; invalid if the sandbox creates its own
  UniqueFd holder;     // to the existing network's holder
  UniqueFd proxy;      // the new network's: its holder's connection to ringfence-proxy
  ProxyPort port;      // instead of all these if the plan's network is kProxyPort

  bool exists() const { return user.valid(); }
};

// The launcher's access to ringfence-proxy, which lets a sandbox reach hosts.
class NetworkAccess {
 public:
  // Called before each start of a plan whose network is proxied.
  virtual Result<NetworkEntry> Enter(const SandboxPlan& plan) = 0;
  // Becomes readable when Hear() has something to do; -1 for never.
  virtual int notices() const = 0;
  virtual void Hear() = 0;

 protected:
  ~NetworkAccess() = default;
};

// Tells a run when all its processes have to pause. They are not told, and go on as if nothing had
// happened.
class RunPause {
 public:
  // Becomes readable when IsWanted() may have changed; while the run pauses, it is asked again
  // without.
  virtual int notices() const = 0;
  virtual bool IsWanted() = 0;
  // The processes have been stopped, or are about to go on.
  virtual void Paused(bool is_paused) = 0;

 protected:
  ~RunPause() = default;
};

// The caller's means to watch and end a run.
struct RunWatch {
  RunObserver& observer;
  NetworkAccess& network;
  int hangup = -1;      // not owned; closing its other end ends all processes inside
  Inherited inherited;  // restored for the command
  RunPause* pause = nullptr;
};

// From here on, permission bits do not keep this process from files of its own user and group, for
// example in directories that their owner may not search: it has all capabilities in a user
// namespace of its own (user_namespaces(7)). Programs that it starts do not have them. The process
// must have a single thread. Returns false, and changes nothing, where this is impossible; after an
// error, the process cannot go on.
Result<bool> ReachOwnFiles();

// Runs plan.argv confined and waits. Returns an error if the launcher itself failed; a failed setup
// is reported in Ended::failure instead.
Result<Ended> RunConfined(const SandboxPlan& plan, const RunWatch& watch);

}  // namespace ringfence
