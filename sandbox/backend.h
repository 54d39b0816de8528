// All that the rest of the program knows about an operating system: what it has, and how a plan is
// carried out. The build picks one folder (linux, macos, none).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/host_facts.h"
#include "sandbox/inherited.h"
#include "sandbox/plan.h"

namespace ringfence {

// What is known without trying anything that takes time, and cgroups only where `rules` have limits
// for them. Features that turn out to be missing when
// a plan is carried out come back in SetupFailure.
HostFacts ProbeHost(const SandboxRules& rules);

// The first step of the setup that failed. Nothing was run.
struct SetupFailure {
  std::string step;              // "mount view"
  Error error;                   // "mount(/proc)", EPERM
  std::optional<Feature> lacks;  // another plan could do without it

  std::string text() const { return step + ": " + error.text(); }
};

// A call of the confined command that was refused for its name.
struct Refusal {
  std::string path;
  std::string why;  // the rule's; "" where a mount or Landlock refused
  int code = 0;     // EACCES; ENOEXEC for a program that cannot run in a sandbox
};

constexpr int kSetupFailed = 125;  // the exit status where nothing was run

constexpr size_t kMaxRefusals = 10;  // that are kept to be told

struct Ended {
  std::optional<SetupFailure> failure;  // then the rest says nothing
  int signal = 0;                       // that ended the command; 0 for none
  int status = 0;  // as a shell says: 126 and 127 when the program could not be run, 128 + signal
  std::string not_run;            // "claude: ENOENT", where the program could not be executed
  std::vector<Refusal> refusals;  // the first few, each path once
  size_t refusal_count = 0;
  bool lost_supervisor = false;  // it ended before the command, and so everything was ended
};

// Hears of a run while it goes on.
class RunObserver {
 public:
  // The sandbox is set up, and the command already runs.
  virtual void Started(const SandboxPlan& plan) = 0;
  // A process inside wants `line` in the audit log (SandboxPlan::takes_log): true once it is there.
  // The sender is untrusted.
  virtual bool TakeLine(std::string_view line) = 0;

 protected:
  ~RunObserver() = default;
};

// How a run is watched by whoever asked for it.
struct RunWatch {
  RunObserver& observer;
  int hangup = -1;      // not owned: when its other end is closed, all processes inside end
  Inherited inherited;  // what the command gets back
};

// Runs plan.argv, confined, and waits. An error means that the launcher itself could not work; a
// setup that failed is no error.
Result<Ended> RunConfined(const SandboxPlan& plan, const RunWatch& watch);

}  // namespace ringfence
