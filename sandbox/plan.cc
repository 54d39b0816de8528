#include "sandbox/plan.h"

#include <algorithm>

#include "base/text.h"
#include "policy/evaluate/evaluate_host.h"
#include "policy/files/resolve.h"
#include "policy/rules/domain.h"
#include "policy/sandbox_network.h"
#include "proxy/link/messages.h"
#include "sandbox/environment.h"
#include "sandbox/plan_caches.h"
#include "sandbox/plan_hosts.h"
#include "sandbox/plan_rules.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

constexpr uint64_t kDefaultProcesses = 4096;  // at the same time; stops a fork bomb

class Planner {
 public:
  explicit Planner(const PlanRequest& request) : request_(request), rules_(request) {}

  Result<SandboxPlan> Make() {
    PlanBasis();
    PlanSession();
    if (Status s = PlanCommand(); !s) return s.error();
    if (!plan_.is_confined()) {
      plan_.weaker.emplace_back("nothing is confined: mode rwx");
      plan_.network.kind = PlannedNetwork::Kind::kHost;
      plan_.environment = request_.command.environment;
      return std::move(plan_);
    }
    if (plan_.system == HostSystem::kLinux) {
      plan_.names.Refuse(
          {.base = SelfTestName(plan_).text(), .why = "it is for the sandbox's test of itself"});
    }
    // Rules below "~" cannot be resolved without a home.
    if (places_.homes.empty()) {
      return UsageError("HOME",
                        "no home directory is known: it is not set, and /etc/passwd has none for "
                        "user " +
                            std::to_string(plan_.user),
                        "set HOME to your home directory, or name that: --home DIR");
    }
    PlanNetwork();
    if (Status s = PlanPlaces(request_, rules_, plan_); !s) return s.error();
    PlanLimits();
    NoteWeaknesses();
    const std::string tmp = TemporaryFolder();
    const std::vector<std::string> caches = CacheVariables(request_, plan_, tmp);
    plan_.environment = PlanEnvironment({.caller = request_.command.environment,
                                         .rules = policy_.sandbox,
                                         .agent = *places_.agent,
                                         .is_agent = request_.command.is_agent,
                                         .uses_host_network = plan_.network.is_hosts(),
                                         .is_nested = plan_.is_nested,
                                         .user = plan_.user,
                                         .tmp = tmp,
                                         .runtime = RuntimeFolder(),
                                         .caches = caches,
                                         .marker = LayersName(plan_.layers)});
    if (files_.failure()) return *files_.failure();
    return std::move(plan_);
  }

 private:
  // Copies settings of the command line, the policy and the host.
  void PlanBasis() {
    const SandboxCommand& command = request_.command;
    plan_.system = request_.facts.system;
    plan_.mode = command.mode.value_or(policy_.sandbox.mode);
    plan_.layers = command.layers.value_or(policy_.sandbox.layers);
    plan_.missing = policy_.sandbox.missing;
    plan_.profile = policy_.profile;
    plan_.root = places_.root_real;
    plan_.user = request_.facts.user;
    plan_.group = request_.facts.group;
    plan_.landlock_abi = request_.facts.landlock_abi;
    plan_.supervised = request_.facts.has(Feature::kSupervisor);
    plan_.own_proc = request_.facts.has(Feature::kProc);
    plan_.is_nested = request_.facts.is_inside;
    plan_.inside_view = request_.facts.inside_view;
    if (plan_.is_nested) plan_.supervised = false;  // the outer supervisor checks every name
    plan_.takes_log =
        command.is_agent && plan_.has_namespaces() && plan_.system == HostSystem::kLinux;
    plan_.tmp = HostsTmp(files_);
    if (!plan_.is_nested && plan_.layers == SandboxLayers::kLandlock) {
      const Path scratch = Path::Clean(request_.facts.scratch);
      if (!scratch.is_root()) plan_.scratch = plan_.tmp.Child(scratch.name());
    }
    if (plan_.is_nested && !plan_.inside_view) plan_.scratch = OuterScratch();
  }

  Status PlanCommand() {
    const SandboxCommand& command = request_.command;
    if (command.argv.empty() || command.argv.front().empty()) {
      return UsageError("", "no command is given",
                        command.stage.is_root() ? "ringfence run -- COMMAND [ARGUMENT...]"
                                                : "ringfence stage run -- COMMAND [ARGUMENT...]");
    }
    const std::optional<Path> cwd = Path::Parse(command.cwd);
    if (!cwd) return UsageError("", "the current directory has no absolute name");
    plan_.cwd = *cwd;
    if (plan_.is_confined() && !cwd->IsInside(places_.root_real)) {
      return UsageError(
          "", Quote(command.cwd) + " is outside of the project " + Quote(places_.root_real.text()),
          "go there first, or name a directory in it: --chdir DIR");
    }
    plan_.argv = command.argv;
    plan_.programs =
        ProgramCandidates(command.argv.front(), EnvironmentValue(command.environment, "PATH"));
    return PlanStage(request_, plan_);
  }

  // Without mounts, the outer sandbox's temporary directory is on the host, and its commands have
  // it in TMPDIR. Accepts only a path of the expected form; the outer sandbox decides if it is
  // writable.
  Path OuterScratch() const {
    const Path tmp = Path::Clean(EnvironmentValue(request_.command.environment, "TMPDIR"));
    const bool is_one = IsScratch(tmp, plan_.tmp) || tmp.Parent() == SessionFolders(places_);
    return is_one && !tmp.is_root() ? tmp : Path();
  }

  // In a nested sandbox, /tmp is already the outer one's.
  void PlanSession() {
    if (plan_.system != HostSystem::kLinux || plan_.is_nested || !plan_.is_confined()) return;
    plan_.session_tmp = SessionFolder(places_, request_.command.session);
    if (!plan_.session_tmp.is_root() && !plan_.scratch.is_root()) {
      plan_.scratch = plan_.session_tmp;
    }
  }

  // If nothing can be mounted, returns a host directory reserved for the sandbox.
  std::string TemporaryFolder() const {
    if (!plan_.scratch.is_root()) return plan_.scratch.text();
    const Path own = PrivateTmp(plan_);
    return plan_.private_tmp && !own.is_root() ? own.text() : "";
  }

  // A view has its own /run.
  std::string RuntimeFolder() const {
    const bool has_view =
        plan_.system == HostSystem::kLinux && plan_.layers == SandboxLayers::kFull;
    return has_view ? "/run/user/" + std::to_string(plan_.user) : "";
  }

  void PlanNetwork() {
    const std::optional<NetworkRules> network = SandboxNetwork(policy_, request_.command.is_agent);
    if (!network) return;
    if (IsHostNetwork(*network)) {
      plan_.network.kind = PlannedNetwork::Kind::kHost;
      NoteHostNetwork(*network, plan_.weaker);
      return;
    }
    // A trial leaves nothing behind, and a proxy would outlive it.
    if (plan_.is_nested || request_.command.is_trial) return;
    if (plan_.has_namespaces() && plan_.system == HostSystem::kLinux) return PlanProxy(*network);
    const std::string reason = WhyNoProxyPort();
    if (!reason.empty()) {
      plan_.narrower.push_back("network.allow: the listed hosts cannot be reached: " + reason);
      return;
    }
    plan_.network.kind = PlannedNetwork::Kind::kProxyPort;
    NoteOpenings(*network, plan_.weaker);
  }

  // Returns "" if the sandbox can be kept from every other port.
  std::string WhyNoProxyPort() const {
    const bool is_macos = plan_.system == HostSystem::kMacos;
    if (!request_.facts.has_proxy || (plan_.system != HostSystem::kLinux && !is_macos)) {
      return "the egress proxy does not run on this system";
    }
    if (is_macos) return "";
    constexpr int kKnowsPorts = 4;
    if (plan_.landlock_abi < kKnowsPorts) {
      return "with layers landlock the egress proxy needs Landlock ABI 4 (Linux 6.7), and this "
             "kernel has " +
             std::to_string(plan_.landlock_abi);
    }
    return plan_.supervised ? "" : "with layers landlock the egress proxy needs the supervisor";
  }

  void PlanProxy(const NetworkRules& network) {
    plan_.network.kind = PlannedNetwork::Kind::kProxy;
    plan_.network.ports = PortsOfEntries(network);
    NoteOpenings(network, plan_.weaker);
    if (!request_.facts.has_veth) NoteTakenPorts(plan_.weaker);
    const std::string resolver = "nameserver " + std::string(kResolverText) + "\nsearch .\n";
    if (!PlanText("/etc/resolv.conf", resolver)) {
      plan_.narrower.emplace_back(
          "network.allow: no host can be reached by its name: /etc/resolv.conf does not exist, so "
          "it cannot name the sandbox's resolver; create it, even empty");
    }
    const std::string& name = request_.facts.host_name;
    PlanText("/etc/hosts", "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n" +
                               (name.empty() ? "" : "127.0.1.1 " + name + "\n"));
  }

  // Returns false if nothing can be mounted there.
  bool PlanText(const char* name, std::string text) {
    const Walked walked = Walk(name, files_);
    const bool can_mount = walked.EndsAt(FileKind::kFile) ||
                           (walked.EndsAt(FileKind::kMissing) && IsPrivate(plan_, walked.end));
    if (can_mount) plan_.texts.push_back({walked.end, std::move(text)});
    return can_mount;
  }

  void PlanLimits() {
    const SandboxRules& rules = policy_.sandbox;
    plan_.limits = {.memory = rules.memory,
                    .processes = rules.processes.value_or(kDefaultProcesses),
                    .cpus = rules.cpus,
                    .io = rules.io};
    if (plan_.system == HostSystem::kMacos) NoteMacosLimits();
    if (plan_.system != HostSystem::kLinux) return;
    if (rules.memory) {
      LimitByCgroup("memory", "memory is limited for each process, not for all of them");
    }
    if (rules.cpus) {
      LimitByCgroup("cpu", "cpus: whole processors are set aside, no share of their time");
    }
    if (rules.io) LimitByCgroup("io", "io is not limited");
    if (rules.processes) LimitByCgroup("pids", "");  // RLIMIT_NPROC applies as well
    if (plan_.user == 0 && !plan_.limits.is_by_cgroup("pids")) {
      plan_.weaker.emplace_back("processes: the kernel limits every user's but root's");
    }
  }

  // Seatbelt has no limits, and macOS has none for a group of processes.
  void NoteMacosLimits() {
    const SandboxRules& rules = policy_.sandbox;
    const auto note = [&](bool is_set, const char* key) {
      if (is_set) plan_.unmet.push_back(std::string(key) + " is not limited on macOS");
    };
    note(rules.memory.has_value(), "memory");
    note(rules.processes.has_value(), "processes: their number");
    note(rules.cpus.has_value(), "cpus: processor time");
    note(rules.io.has_value(), "io");
  }

  // `otherwise`: note on what is enforced if no cgroup with that controller can be created.
  void LimitByCgroup(const char* controller, const std::string& otherwise) {
    const HostFacts& facts = request_.facts;
    const auto& all = facts.controllers;
    const bool is_there = !facts.cgroup.empty() && facts.has(Feature::kDelegation) &&
                          std::ranges::find(all, controller) != all.end();
    if (is_there) {
      plan_.limits.cgroup = facts.cgroup;
      plan_.limits.controllers.emplace_back(controller);
      plan_.limits.disks = facts.disks;
    } else if (!otherwise.empty()) {
      plan_.unmet.push_back(otherwise + ": no cgroup v2 subtree with the " + controller +
                            " controller is delegated to this user");
    }
  }

  void NoteWeaknesses() {
    plan_.weaker.insert(plan_.weaker.end(), plan_.narrower.begin(), plan_.narrower.end());
    plan_.weaker.insert(plan_.weaker.end(), plan_.unmet.begin(), plan_.unmet.end());
    if (plan_.system == HostSystem::kLinux) NoteLinuxWeaknesses();
    const bool has_parts = std::ranges::any_of(plan_.writable, &PlannedPlace::is_part);
    if (has_parts && plan_.is_nested) {
      plan_.weaker.emplace_back(
          "write.allow has patterns or names that do not exist yet: where the sandbox around this "
          "one has no supervisor, the whole directory around them is writable");
    }
    if (!plan_.reads_all && std::ranges::any_of(plan_.readable, &PlannedPlace::is_part)) {
      plan_.weaker.emplace_back(
          "read.allow has patterns: the whole directory around them is readable");
    }
    for (std::string& note : rules_.TakeNotes()) plan_.weaker.push_back(std::move(note));
  }

  void NoteLinuxWeaknesses() {
    if (!plan_.is_nested && plan_.layers == SandboxLayers::kLandlock) {
      plan_.weaker.emplace_back(
          "layers landlock: other processes and the names of hidden files are seen, what is hidden "
          "below a writable place can be read, the priorities and processors of the user's other "
          "processes can be changed, no Unix socket is usable");
    }
    NoteLandlock();
    if (!request_.facts.crash_handler.empty()) {
      plan_.weaker.push_back(
          "the host's crash handler gets the memory of a program that crashes: " +
          request_.facts.crash_handler);
    }
    if (plan_.is_nested) {
      plan_.weaker.emplace_back(
          "this is inside another sandbox of ringfence's: only Landlock and the filters are added, "
          "the names of hidden files are seen, what is hidden below a writable place can be read, "
          "and the network and all else is as the outer one has it, whatever this policy says");
    } else if (!plan_.supervised) {
      plan_.weaker.emplace_back(
          "names that do not exist yet are not refused: there is no supervisor");
    }
    if (!plan_.own_proc && plan_.has_namespaces()) {
      plan_.weaker.emplace_back("the host's processes are seen, as /proc cannot be mounted");
    }
  }

  void NoteLandlock() {
    constexpr int kKnowsMoves = 2;
    if (plan_.landlock_abi == 0) {
      plan_.weaker.emplace_back(plan_.needs_landlock()
                                    ? "Landlock is missing, and nothing else confines the command"
                                    : "no second lock: Landlock is missing");
    } else if (plan_.landlock_abi < kKnowsMoves) {
      plan_.weaker.emplace_back(
          "no file can be moved or linked to another directory: that needs Landlock ABI 2 "
          "(Linux 5.19)");
    }
  }

  const PlanRequest& request_;
  const Policy& policy_ = request_.policy;
  const Places& places_ = request_.places;
  const CachedFiles& files_ = request_.files;
  PlanRules rules_;
  SandboxPlan plan_;
};

}  // namespace

bool HiddenPlace::covers(const Path& other) const {
  if (!other.IsInside(path)) return false;
  return std::ranges::none_of(kept, [&](const Path& place) { return other.IsInside(place); });
}

bool PlannedLimits::is_by_cgroup(std::string_view controller) const {
  return std::ranges::find(controllers, controller) != controllers.end();
}

bool SandboxPlan::can_do_without(Feature feature) const {
  switch (feature) {
    case Feature::kLandlock:
      return !needs_landlock();
    case Feature::kNamespaces:
    case Feature::kProc:
      return landlock_abi > 0 && supervised;
    case Feature::kSupervisor:
      // Without a view, only the supervisor checks modes, owners, times and attributes; without a
      // process namespace, only it checks signals.
      return is_nested || has_own_processes();
    case Feature::kOverlay:
      return stage.mechanism == StageMechanism::kOverlay;
    case Feature::kDelegation:
      break;
  }
  return true;
}

std::vector<Path> SavedFolders(const SandboxPlan& plan) {
  std::vector<Path> folders;
  for (const SavedFile& file : plan.saved) folders.push_back(file.path.Parent());
  std::ranges::sort(folders);
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  return folders;
}

std::string_view ModeName(SandboxMode mode) {
  if (mode == SandboxMode::kRx) return "rx";
  return mode == SandboxMode::kSandbox ? "sandbox" : "rwx";
}

std::string_view LayersName(SandboxLayers layers) {
  return layers == SandboxLayers::kFull ? "full" : "landlock";
}

std::string_view NetworkName(const SandboxPlan& plan) {
  if (plan.is_nested) return "outer";
  if (plan.network.is_hosts()) return "host";
  if (plan.network.is_proxied()) return "proxy";
  return plan.has_namespaces() ? "own loopback" : "none";
}

Path SelfTestName(const SandboxPlan& plan) {
  const Path folder = plan.scratch.is_root() ? Path::Clean("/dev/shm") : plan.scratch;
  return folder.Child(".ringfence-self-test");
}

Result<SandboxPlan> MakePlan(const PlanRequest& request) { return Planner(request).Make(); }

}  // namespace ringfence
