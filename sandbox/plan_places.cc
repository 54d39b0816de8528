#include "sandbox/plan_places.h"

#include <algorithm>

#include "base/text.h"
#include "policy/resolve.h"
#include "policy/trust.h"
#include "sandbox/agent_state.h"
#include "sandbox/session_folder.h"

namespace ringfence {
namespace {

using Kind = PlannedPlace::Kind;

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

// By a mount, which only Linux has.
bool IsPrivateOn(HostSystem system, const Path& path) {
  return system == HostSystem::kLinux &&
         std::ranges::any_of(
             kPrivate, [&](std::string_view folder) { return path.IsInside(Path::Clean(folder)); });
}

// A planned place that holds `path`.
const PlannedPlace* Holding(const std::vector<PlannedPlace>& places, const Path& path) {
  const auto found = std::ranges::find_if(
      places, [&](const PlannedPlace& place) { return path.IsInside(place.path); });
  return found == places.end() ? nullptr : &*found;
}

class PlacePlanner {
 public:
  PlacePlanner(const PlanRequest& request, PlanRules& rules, SandboxPlan& plan)
      : request_(request),
        policy_(request.policy),
        files_(request.files),
        rules_(rules),
        plan_(plan) {}

  Status Plan() {
    if (!request_.facts.sockets_unknown.empty()) {
      return Error{Error::Kind::kSystem, "sockets of the host", request_.facts.sockets_unknown,
                   "they could be reached; mount /proc"};
    }
    if (Status s = PlanWrites(); !s) return s;
    if (Status s = PlanReads(); !s) return s;
    return PlanSealed();
  }

 private:
  // --- what may be written ---

  Status PlanWrites() {
    std::vector<PlannedPlace> places = rules_.WritablePlaces(policy_.write);
    AgentState own = OwnState();
    if (const std::optional<Path> file = Path::Parse(request_.command.result_file)) {
      own.places.push_back({.path = *file, .kind = Kind::kFile, .why = "its caller reads it"});
    }
    if (Status s = GuardNames(places, own); !s) return s;
    std::erase_if(places, [&](const PlannedPlace& place) {
      return plan_.names.Refuses(place.path.text()) != nullptr;
    });
    if (plan_.mode == SandboxMode::kRx) {
      std::erase_if(places, [](const PlannedPlace& place) {
        return place.set != SetName::kClaudeScratch && place.set != SetName::kAgentState;
      });
    }
    places.insert(places.end(), own.places.begin(), own.places.end());
    std::ranges::stable_sort(places, {}, &PlannedPlace::path);
    for (PlannedPlace& place : places) {
      if (Holding(plan_.writable, place.path) != nullptr) continue;
      if (IsHostsTmp(place.path)) plan_.private_tmp = false;
      plan_.writable.push_back(std::move(place));
    }
    if (std::ranges::any_of(plan_.writable, &PlannedPlace::is_part)) {
      rules_.AllowOnly(policy_.write, NamesOf(own), plan_.names);
    }
    plan_.saved = own.saved;
    if (plan_.is_nested) AllowPlacesOnly();
    // Where the host's /tmp is meant there is nothing to keep.
    if (!plan_.private_tmp && plan_.scratch.is_root()) plan_.session_tmp = Path();
    PlanPrivate();
    return Unit{};
  }

  // No rule guards what is the agent's own. What --write names is added to that, unless a rule
  // does.
  Status GuardNames(const std::vector<PlannedPlace>& places, AgentState& own) {
    std::vector<PlannedPlace> near = places;
    near.insert(near.end(), own.places.begin(), own.places.end());
    Result<std::optional<PlannedPlace>> asked = AlsoWritable();
    if (!asked) return asked.error();
    std::optional<PlannedPlace>& also = *asked;
    if (also) near.push_back(*also);
    rules_.AddNames(policy_.write, near, plan_.names);
    for (const PlannedPlace& place : own.places) plan_.names.Forget(place.path);
    for (const SavedFile& file : own.saved) plan_.names.Forget(file.path);
    for (const Path& login : own.logins) plan_.names.Forget(login);
    if (!also) return Unit{};
    const GuardedName* rule = plan_.names.Refuses(also->path.text());
    if (rule != nullptr) return RefusedDirectory(rule->why);
    own.places.push_back(std::move(*also));
    return Unit{};
  }

  bool IsHostsTmp(const Path& path) const {
    static const Path kReal = Path::Clean("/private/tmp");  // where macOS has it
    return path == kTmp || (plan_.system == HostSystem::kMacos && path == kReal);
  }

  Error RefusedDirectory(std::string why) const {
    return Error{Error::Kind::kUsage, "--write",
                 Quote(request_.command.also_writable) + ": " + std::move(why),
                 "name an existing directory that the policy does not deny"};
  }

  // What the caller asks for besides the policy, in every mode.
  Result<std::optional<PlannedPlace>> AlsoWritable() const {
    const std::string& text = request_.command.also_writable;
    if (text.empty()) return std::optional<PlannedPlace>();
    if (!text.starts_with('/')) return RefusedDirectory("is not an absolute path");
    const Walked walked = Walk(text, files_);
    if (walked.stop != Walked::Stop::kEnd || walked.facts.kind != FileKind::kDirectory) {
      return RefusedDirectory("is not a directory");
    }
    return std::optional(PlannedPlace{.path = walked.end, .why = "asked for by --write"});
  }

  // No mount says here what is writable: the outer supervisor has to know.
  void AllowPlacesOnly() {
    std::vector<GuardedName> places;
    for (const PlannedPlace& place : plan_.writable) places.push_back({.base = place.path.text()});
    plan_.names.AllowOnly(std::move(places));
  }

  AgentState OwnState() const {
    if (!request_.command.is_agent) return {};
    const bool saves =
        plan_.system == HostSystem::kLinux && plan_.has_namespaces() && plan_.supervised;
    return FindAgentState(request_.places, files_, saves);
  }

  static std::vector<GuardedName> NamesOf(const AgentState& state) {
    std::vector<GuardedName> names;
    for (const PlannedPlace& place : state.places) names.push_back({.base = place.path.text()});
    for (const SavedFile& file : state.saved) {
      const std::string folder = file.path.Parent().text();
      const std::string name(file.path.name());
      names.push_back({.base = folder, .tail = name});
      names.push_back({.base = folder, .tail = name + ".*", .has_pattern = true});
    }
    return names;
  }

  void PlanPrivate() {
    const bool has_mounts = plan_.has_namespaces() || plan_.is_nested;
    if (!has_mounts) plan_.private_tmp = false;
    if (plan_.system != HostSystem::kLinux) {
      const Path tmp = PrivateTmp(plan_);
      if (plan_.private_tmp && !tmp.is_root()) plan_.names.Exempt(tmp);
    } else {
      ExemptPrivate(has_mounts);
    }
    for (const PlannedPlace& place : plan_.writable) plan_.names.KeepHost(place.path);
  }

  // What mounts make private, or stands in its place.
  void ExemptPrivate(bool has_mounts) {
    if (!has_mounts) plan_.names.Exempt(plan_.scratch);
    for (const std::string_view folder : kPrivate) {
      const bool is_private = has_mounts && (folder != kTmp.text() || plan_.private_tmp);
      if (is_private) plan_.names.Exempt(Path::Clean(folder));
    }
    for (const Path& home : request_.places.homes_real) plan_.names.KeepHost(home);
    plan_.names.KeepHost(SelfTestName(plan_));
  }

  // --- what may be read ---

  Status PlanReads() {
    plan_.reads_all = policy_.sandbox.reads == SandboxReads::kAll;
    for (PlannedPlace& place : rules_.ReadablePlaces(policy_.read)) {
      // Where everything may be read, only what private folders would cover is bound into them.
      const bool is_covered = IsPrivate(place.path) && !IsPrivateItself(place.path);
      const bool is_needed = plan_.reads_all ? is_covered : !IsPrivateItself(place.path);
      if (is_needed && !place.make && Holding(plan_.writable, place.path) == nullptr) {
        plan_.readable.push_back(std::move(place));
      }
    }
    if (plan_.reads_all) AddCoveredHomes();
    if (!plan_.reads_all && request_.command.is_agent) {
      if (Status s = AddHooksFiles(); !s) return s;
    }
    if (!plan_.reads_all && plan_.system == HostSystem::kLinux) AddRunTime();
    PlanHidden();
    for (const std::string& socket : request_.facts.sockets) {
      const std::optional<Path> path = Path::Parse(socket);
      if (path && IsSeen(*path) && !IsNamed(*path)) plan_.sockets.push_back(*path);
    }
    return Unit{};
  }

  // An agent's hook that does not find its policies would go by the built-in one.
  Status AddHooksFiles() {
    std::vector<Path> files = request_.places.policies;
    files.insert(files.end(), request_.places.programs.begin(), request_.places.programs.end());
    for (const Path& home : request_.places.homes) {
      files.push_back(Path::Clean(StateFolder(home.text())));
    }
    for (const Path& path : files) {
      const Walked walked = Walk(path.text(), files_);
      const FileKind kind = walked.stop == Walked::Stop::kEnd ? walked.facts.kind : FileKind::kLink;
      if (kind == FileKind::kMissing || Holding(plan_.writable, walked.end) != nullptr) continue;
      const bool is_directory = kind == FileKind::kDirectory;
      if (walked.end != path || (!is_directory && kind != FileKind::kFile)) {
        return Error{Error::Kind::kInvalidConfig, "sandbox.reads",
                     Quote(path.text()) +
                         " is reached by a link, and the agent's hook would not "
                         "find it where only what is listed is there",
                     "put it there without links"};
      }
      plan_.readable.push_back({.path = path,
                                .kind = is_directory ? Kind::kDirectory : Kind::kFile,
                                .why = "the agent's hook needs it"});
    }
    return Unit{};
  }

  void PlanHidden() {
    std::vector<Path> folders{request_.places.root_real};
    for (const auto* list : {&plan_.writable, &plan_.readable}) {
      for (const PlannedPlace& place : *list) {
        if (place.path != Path() && place.set == SetName::kNone) folders.push_back(place.path);
      }
    }
    const std::vector<Path> made = Made();
    std::vector<HiddenPlace> hidden = rules_.HiddenPlaces(policy_.read, folders, made);
    if (request_.command.is_agent) std::erase_if(hidden, IsAgentsOwn);
    DropCovered(hidden, plan_.readable);
    const size_t before = plan_.writable.size();
    DropCovered(hidden, plan_.writable);
    if (plan_.writable.size() < before) {
      plan_.weaker.emplace_back(
          "what may be written and not read is not writable: the sandbox has no such right");
    }
    // What is not writable after all is not made either.
    const std::vector<Path> left = Made();
    std::erase_if(hidden, [&](const HiddenPlace& place) {
      const auto holds = [&](const Path& folder) { return place.path.IsInside(folder); };
      return std::ranges::any_of(made, holds) && std::ranges::none_of(left, holds);
    });
    HideSessions(hidden);
    for (HiddenPlace& place : hidden) {
      if (IsSeen(place.path)) plan_.hidden.push_back(std::move(place));
    }
  }

  // Folders that are there by the time that something is hidden.
  std::vector<Path> Made() const {
    std::vector<Path> made;
    for (const PlannedPlace& place : plan_.writable) {
      if (place.make) made.push_back(place.path);
    }
    return made;
  }

  // What other sessions keep in their /tmp.
  void HideSessions(std::vector<HiddenPlace>& hidden) const {
    const Path folders = SessionFolders(request_.places);
    if (folders.is_root() || plan_.is_nested) return;
    const Result<FileFacts> facts = files_.Look(folders);
    const bool is_there = facts && facts->kind == FileKind::kDirectory;
    if (!is_there && plan_.session_tmp.is_root()) return;
    hidden.push_back({.path = folders,
                      .kind = Kind::kDirectory,
                      .kept = {},
                      .why = "temporary files of sessions"});
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

  // A home below /tmp, as tests and containers have it, is read as any other is.
  void AddCoveredHomes() {
    for (const Path& home : request_.places.homes_real) {
      const Result<FileFacts> facts = files_.Look(home);
      const bool is_folder = facts && facts->kind == FileKind::kDirectory;
      if (!is_folder || !IsPrivate(home) || IsPrivateItself(home)) continue;
      if (Holding(plan_.writable, home) != nullptr) continue;
      std::erase_if(plan_.readable,
                    [&](const PlannedPlace& place) { return place.path.IsInside(home); });
      plan_.readable.push_back({.path = home, .why = "the home"});
    }
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

  bool IsPrivate(const Path& path) const { return IsPrivateOn(plan_.system, path); }

  bool IsPrivateItself(const Path& path) const {
    return plan_.system == HostSystem::kLinux &&
           std::ranges::find(kPrivate, path.text()) != std::end(kPrivate);
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

  const PlanRequest& request_;
  const Policy& policy_;
  const CachedFiles& files_;
  PlanRules& rules_;
  SandboxPlan& plan_;
};

}  // namespace

Path PrivateTmp(const SandboxPlan& plan) {
  switch (plan.system) {
    case HostSystem::kLinux:
      return kTmp;
    case HostSystem::kMacos:
      return Path::Clean("/private/tmp/ringfence-" + std::to_string(plan.user));
    case HostSystem::kWindows:
    case HostSystem::kOther:
      break;
  }
  return {};
}

Status PlanPlaces(const PlanRequest& request, PlanRules& rules, SandboxPlan& plan) {
  return PlacePlanner(request, rules, plan).Plan();
}

}  // namespace ringfence
