#include "sandbox/plan.h"

#include <algorithm>

#include "base/text.h"
#include "policy/entry_match.h"
#include "policy/pattern.h"
#include "policy/protected.h"
#include "policy/resolve.h"
#include "policy/rules.h"
#include "sandbox/environment.h"
#include "sandbox/plan_rules.h"

namespace ringfence {
namespace {

using Kind = PlannedPlace::Kind;

constexpr uint64_t kDefaultProcesses = 4096;  // at once; a fork bomb ends there
constexpr std::string_view kPrivate[] = {"/tmp", "/run", "/dev", "/proc"};
const Path kTmp = Path::Clean("/tmp");

// What programs need to run at all, where only what is listed may be read.
constexpr std::string_view kRunTime[] = {"/usr",
                                         "/bin",
                                         "/sbin",
                                         "/lib",
                                         "/lib32",
                                         "/lib64",
                                         "/libx32",
                                         "/etc",
                                         "/opt",
                                         "/nix/store",
                                         "/sys/devices/system/cpu"};

Error Unplannable(std::string where, std::string what, std::string hint = "") {
  return Error{Error::Kind::kUsage, std::move(where), std::move(what), std::move(hint)};
}

bool IsPrivate(const Path& path) {
  return std::ranges::any_of(
      kPrivate, [&](std::string_view folder) { return path.IsInside(Path::Clean(folder)); });
}

// A planned place that holds `path`.
const PlannedPlace* Holding(const std::vector<PlannedPlace>& places, const Path& path) {
  const auto found = std::ranges::find_if(
      places, [&](const PlannedPlace& place) { return path.IsInside(place.path); });
  return found == places.end() ? nullptr : &*found;
}

class Planner {
 public:
  explicit Planner(const PlanRequest& request)
      : request_(request),
        policy_(request.policy),
        places_(request.places),
        files_(request.files),
        rules_(request.policy, request.places, request.files, request.command.session) {}

  Result<SandboxPlan> Make() {
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
    if (plan_.is_nested) plan_.supervised = false;  // one supervisor looks at every name
    if (!plan_.is_nested && plan_.layers == SandboxLayers::kLandlock) {
      plan_.scratch = Path::Clean(request_.facts.scratch);
    }
    if (Status s = PlanCommand(); !s) return s.error();
    if (!plan_.is_confined()) {
      plan_.weaker.emplace_back("nothing is confined: mode rwx");
      plan_.environment = command.environment;
      return std::move(plan_);
    }
    plan_.names.Refuse(
        {.base = SelfTestName(plan_).text(), .why = "it is for the sandbox's test of itself"});
    PlanWrites();
    PlanReads();
    if (Status s = PlanSealed(); !s) return s.error();
    PlanNetwork();
    PlanLimits();
    NoteWeaknesses();
    plan_.environment = PlanEnvironment({.caller = command.environment,
                                         .rules = policy_.sandbox,
                                         .is_agent = command.is_agent,
                                         .tmp = TemporaryFolder(),
                                         .user = plan_.user,
                                         .marker = LayersName(plan_.layers)});
    if (files_.failure()) return *files_.failure();
    return std::move(plan_);
  }

 private:
  static std::string_view LayersName(SandboxLayers layers) {
    return layers == SandboxLayers::kFull ? "full" : "landlock";
  }

  Status PlanCommand() {
    const SandboxCommand& command = request_.command;
    if (command.argv.empty() || command.argv.front().empty()) {
      return Unplannable("", "no command is given", "ringfence run -- COMMAND [ARGUMENT...]");
    }
    const std::optional<Path> cwd = Path::Parse(command.cwd);
    if (!cwd) return Unplannable("", "the current directory has no absolute name");
    plan_.cwd = *cwd;
    if (plan_.is_confined() && !cwd->IsInside(places_.root_real)) {
      return Unplannable(
          "", Quote(command.cwd) + " is outside of the project " + Quote(places_.root_real.text()),
          "go there first, or name a folder of it: --chdir DIR");
    }
    plan_.argv = command.argv;
    PlanPrograms(EnvironmentValue(command.environment, "PATH"));
    return Unit{};
  }

  // As execvp(3) looks for a program, but never in the current directory.
  void PlanPrograms(std::string_view path) {
    const std::string& name = plan_.argv.front();
    if (name.find('/') != std::string::npos) {
      plan_.programs.push_back(name);
      return;
    }
    if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
    while (!path.empty()) {
      const std::string_view folder = path.substr(0, path.find(':'));
      path.remove_prefix(std::min(folder.size() + 1, path.size()));
      if (folder.starts_with('/')) plan_.programs.push_back(std::string(folder) + "/" + name);
    }
  }

  // --- what may be written ---

  void PlanWrites() {
    std::vector<PlannedPlace> places = rules_.WritablePlaces(policy_.write);
    std::vector<PlannedPlace> own;
    if (request_.command.is_agent) own = rules_.PlacesOfSet(SetName::kAgentState);
    std::vector<PlannedPlace> near = places;
    near.insert(near.end(), own.begin(), own.end());
    rules_.AddNames(policy_.write, near, plan_.names);
    for (const PlannedPlace& place : own) plan_.names.Forget(place.path);
    std::erase_if(places, [&](const PlannedPlace& place) {
      return plan_.names.Refuses(place.path.text()) != nullptr;
    });
    if (plan_.mode == SandboxMode::kRx) {
      std::erase_if(places, [](const PlannedPlace& place) {
        return place.set != SetName::kClaudeScratch && place.set != SetName::kAgentState;
      });
    }
    places.insert(places.end(), own.begin(), own.end());
    std::ranges::stable_sort(places, {}, &PlannedPlace::path);
    for (PlannedPlace& place : places) {
      if (Holding(plan_.writable, place.path) != nullptr) continue;
      if (place.path == kTmp) plan_.private_tmp = false;
      plan_.writable.push_back(std::move(place));
    }
    if (std::ranges::any_of(plan_.writable, &PlannedPlace::is_part)) {
      rules_.AllowOnly(policy_.write, own, plan_.names);
    }
    PlanPrivate();
  }

  void PlanPrivate() {
    const bool has_mounts = plan_.has_namespaces() || plan_.is_nested;
    if (!has_mounts) plan_.private_tmp = false;
    if (!has_mounts) plan_.names.Exempt(plan_.scratch);
    for (const std::string_view folder : kPrivate) {
      const bool is_private = has_mounts && (folder != kTmp.text() || plan_.private_tmp);
      if (is_private) plan_.names.Exempt(Path::Clean(folder));
    }
    for (const PlannedPlace& place : plan_.writable) plan_.names.KeepHost(place.path);
    plan_.names.KeepHost(SelfTestName(plan_));
  }

  // Where nothing can be mounted, the private folder is one of the host's that nobody else uses.
  std::string TemporaryFolder() const {
    if (!plan_.scratch.is_root()) return plan_.scratch.text();
    return plan_.private_tmp ? kTmp.text() : "";
  }

  // --- what may be read ---

  void PlanReads() {
    plan_.reads_all = policy_.sandbox.reads == SandboxReads::kAll;
    for (PlannedPlace& place : rules_.ReadablePlaces(policy_.read)) {
      // Where everything may be read, only what private folders would cover is bound into them.
      const bool is_covered = IsPrivate(place.path) && !IsPrivateItself(place.path);
      const bool is_needed = plan_.reads_all ? is_covered : !IsPrivateItself(place.path);
      if (is_needed && !place.make && Holding(plan_.writable, place.path) == nullptr) {
        plan_.readable.push_back(std::move(place));
      }
    }
    if (!plan_.reads_all) AddRunTime();
    PlanHidden();
    for (const std::string& socket : request_.facts.sockets) {
      const std::optional<Path> path = Path::Parse(socket);
      if (path && IsSeen(*path) && !IsNamed(*path)) plan_.sockets.push_back(*path);
    }
  }

  void PlanHidden() {
    std::vector<Path> folders{places_.root_real};
    for (const auto* list : {&plan_.writable, &plan_.readable}) {
      for (const PlannedPlace& place : *list) {
        if (place.path != Path() && place.set == SetName::kNone) folders.push_back(place.path);
      }
    }
    std::vector<HiddenPlace> hidden = rules_.HiddenPlaces(policy_.read, folders);
    if (request_.command.is_agent) std::erase_if(hidden, IsAgentsOwn);
    DropCovered(hidden, plan_.readable);
    const size_t before = plan_.writable.size();
    DropCovered(hidden, plan_.writable);
    if (plan_.writable.size() < before) {
      plan_.weaker.emplace_back(
          "what may be written and not read is not writable: the sandbox has no such right");
    }
    for (HiddenPlace& place : hidden) {
      if (IsSeen(place.path)) plan_.hidden.push_back(std::move(place));
    }
  }

  // The agent logs in with these.
  static bool IsAgentsOwn(const HiddenPlace& place) {
    return place.path.Parent().name() == ".claude" &&
           (place.path.name() == ".credentials.json" || place.path.name() == "history.jsonl");
  }

  static void DropCovered(const std::vector<HiddenPlace>& hidden,
                          std::vector<PlannedPlace>& places) {
    std::erase_if(places, [&](const PlannedPlace& place) {
      return std::ranges::any_of(hidden,
                                 [&](const HiddenPlace& by) { return by.covers(place.path); });
    });
  }

  // A socket of the host's in a writable folder is not meant by naming the folder.
  bool IsNamed(const Path& socket) const {
    return std::ranges::find(plan_.writable, socket, &PlannedPlace::path) != plan_.writable.end();
  }

  // A link into another of them is not followed: a back end makes the same link.
  void AddRunTime() {
    for (const std::string_view name : kRunTime) {
      const Path path = Path::Clean(name);
      const Result<FileFacts> facts = files_.Look(path);
      if (facts && facts->kind == FileKind::kDirectory) {
        plan_.readable.push_back({.path = path, .why = "programs need it to run"});
      }
    }
    std::ranges::sort(plan_.readable, {}, &PlannedPlace::path);
    std::vector<PlannedPlace> outermost;
    for (PlannedPlace& place : plan_.readable) {
      if (Holding(outermost, place.path) == nullptr) outermost.push_back(std::move(place));
    }
    plan_.readable = std::move(outermost);
  }

  bool IsPrivateItself(const Path& path) const {
    return std::ranges::find(kPrivate, path.text()) != std::end(kPrivate);
  }

  // A name of the host's that no private folder covers.
  bool IsSeen(const Path& path) const {
    for (const auto* list : {&plan_.writable, &plan_.readable}) {
      const PlannedPlace* holder = Holding(*list, path);
      // A place above a private folder does not reach into it.
      if (holder != nullptr && (!IsPrivate(path) || IsPrivate(holder->path))) return true;
    }
    return plan_.reads_all && (!IsPrivate(path) || (!plan_.private_tmp && path.IsInside(kTmp)));
  }

  // --- names that exist in writable places ---

  Status PlanSealed() {
    for (const Path& path : rules_.SealedPaths(plan_.names)) {
      const PlannedPlace* holder = Holding(plan_.writable, path);
      if (holder == nullptr || holder->path == path) continue;
      const Result<FileFacts> facts = files_.Look(path);
      if (!facts) return facts.error();
      const bool is_directory = facts->kind == FileKind::kDirectory;
      if (!is_directory && facts->kind != FileKind::kFile) continue;
      const GuardedName* rule = plan_.names.Refuses(path.text());
      plan_.sealed.push_back({.path = path,
                              .kind = is_directory ? Kind::kDirectory : Kind::kFile,
                              .make = false,
                              .why = rule != nullptr ? rule->why : ""});
    }
    return Unit{};
  }

  // --- the rest ---

  void PlanNetwork() {
    if (!policy_.network || !policy_.network->opens_sandbox) return;
    const NetworkRules& network = *policy_.network;
    const bool host = std::ranges::all_of(
        network.lists, [](const HostList& list) { return list.unlisted == Unlisted::kAllow; });
    if (!network.lists.empty() && host) {
      plan_.network = PlannedNetwork::kHost;
      plan_.weaker.emplace_back(
          "the host's network: every host, and every service of this machine that listens on a "
          "port or an abstract socket, can be reached (network.unlisted is \"allow\")");
      if (!network.deny.empty()) {
        plan_.weaker.emplace_back("network.deny: hosts are judged by the hook only");
      }
      return;
    }
    const bool lists = std::ranges::any_of(
        network.lists, [](const HostList& list) { return !list.allow.empty(); });
    if (!lists) return;
    plan_.weaker.emplace_back(
        "network.allow: the listed hosts cannot be reached, since this version has no egress "
        "proxy");
  }

  void PlanLimits() {
    const SandboxRules& rules = policy_.sandbox;
    plan_.limits = {.memory = rules.memory,
                    .processes = rules.processes.value_or(kDefaultProcesses),
                    .cpus = rules.cpus,
                    .io = rules.io,
                    .cgroup = request_.facts.cgroup};
    if (plan_.system != HostSystem::kLinux || !plan_.limits.cgroup.empty()) return;
    const std::string why = ": no cgroup v2 subtree is delegated to this user";
    if (rules.memory) {
      plan_.weaker.push_back("memory is limited for each process, not for all of them" + why);
    }
    if (rules.cpus) {
      plan_.weaker.push_back("cpus: whole processors are set aside, no share of their time" + why);
    }
    if (rules.io) plan_.weaker.push_back("io is not limited" + why);
  }

  void NoteWeaknesses() {
    if (plan_.system == HostSystem::kLinux) NoteLinuxWeaknesses();
    const bool has_parts = std::ranges::any_of(plan_.writable, &PlannedPlace::is_part);
    if (has_parts && !plan_.supervised) {
      plan_.weaker.emplace_back(
          "write.allow has patterns or names that do not exist yet: without a supervisor the whole "
          "folder around them is writable");
    }
    if (!plan_.reads_all && std::ranges::any_of(plan_.readable, &PlannedPlace::is_part)) {
      plan_.weaker.emplace_back(
          "read.allow has patterns: the whole folder around them is readable");
    }
    for (std::string& note : rules_.TakeNotes()) plan_.weaker.push_back(std::move(note));
  }

  void NoteLinuxWeaknesses() {
    if (!plan_.is_nested && plan_.layers == SandboxLayers::kLandlock) {
      plan_.weaker.emplace_back(
          "layers landlock: other processes and the names of hidden files are seen, what is hidden "
          "below a writable place can be read, no network and no Unix socket is usable, rights and "
          "times of files outside can be changed");
    }
    if (plan_.landlock_abi == 0) plan_.weaker.emplace_back("no second lock: Landlock is missing");
    if (plan_.is_nested) {
      plan_.weaker.emplace_back(
          "this is inside another sandbox of ringfence's: only Landlock and the filters are added, "
          "everything else is as the outer one has it");
    } else if (!plan_.supervised) {
      plan_.weaker.emplace_back(
          "names that do not exist yet are not refused: there is no supervisor");
    }
    if (!plan_.own_proc && plan_.has_namespaces()) {
      plan_.weaker.emplace_back("the host's processes are seen, as /proc cannot be mounted");
    }
  }

  const PlanRequest& request_;
  const Policy& policy_;
  const Places& places_;
  const CachedFiles& files_;
  PlanRules rules_;
  SandboxPlan plan_;
};

}  // namespace

bool HiddenPlace::covers(const Path& other) const {
  if (!other.IsInside(path)) return false;
  return std::ranges::none_of(kept, [&](const Path& place) { return other.IsInside(place); });
}

bool HostFacts::has(Feature feature) const {
  return std::ranges::find(lacks, feature) == lacks.end();
}

Path SelfTestName(const SandboxPlan& plan) {
  const Path folder = plan.scratch.is_root() ? Path::Clean("/dev/shm") : plan.scratch;
  return folder.Child(".ringfence-self-test");
}

Result<SandboxPlan> MakePlan(const PlanRequest& request) { return Planner(request).Make(); }

}  // namespace ringfence
