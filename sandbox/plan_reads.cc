#include <algorithm>

#include "base/text.h"
#include "policy/agent.h"
#include "policy/files/resolve.h"
#include "policy/load/trust.h"
#include "sandbox/plan_mounts.h"
#include "sandbox/plan_rules.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

// Directories that programs need to run, if only listed places may be read.
constexpr std::string_view kRunTime =
    "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix/store /sys/devices/system/cpu";

class ReadPlanner {
 public:
  ReadPlanner(const PlanRequest& request, PlanRules& rules, SandboxPlan& plan)
      : request_(request), rules_(rules), plan_(plan) {}

  Status Plan() {
    plan_.reads_all = policy_.sandbox.reads == SandboxReads::kAll;
    for (PlannedPlace& place : rules_.AllowedPlaces(Access::kRead)) {
      // If everything may be read, only places that private directories would cover need a bind
      // mount.
      const bool is_covered = IsPrivate(plan_, place.path) && !IsPrivateItself(plan_, place.path);
      const bool is_needed = plan_.reads_all ? is_covered : !IsPrivateItself(plan_, place.path);
      if (!is_needed || place.make || Holding(plan_.writable, place.path) != nullptr) continue;
      if (rules_.RefusesReading(place.path)) continue;
      plan_.readable.push_back(std::move(place));
    }
    if (plan_.reads_all) AddCoveredHomes();
    if (plan_.network.is_hosts()) AddNameServers();
    if (!plan_.reads_all && request_.command.is_agent) {
      if (Status s = AddHooksFiles(); !s) return s;
    }
    if (!plan_.reads_all && plan_.system == HostSystem::kLinux) AddRunTime();
    if (Status s = PlanHidden(); !s) return s;
    // Mounts hide names; Landlock allows files regardless of their names.
    if (plan_.has_namespaces()) NoteSpellings(files_.Mounts(), plan_.hidden, plan_.weaker);
    for (const std::string& socket : request_.facts.sockets) PlanSocket(socket);
    return Unit{};
  }

 private:
  // Resolves the name, since programs use /var/run. Skips a socket that is gone or in a directory
  // closed to the user, since no command can reach it, and a file that is not a socket:
  // /proc/net/unix lists the sockets of every mount namespace.
  void PlanSocket(const std::string& name) {
    if (!name.starts_with('/')) return;
    const Walked walked = Walk(name, files_);
    if (!walked.EndsAt(FileKind::kSocket)) return;
    AddSocket(walked.end);
    for (const Path& path : Elsewhere(files_.Mounts(), walked.end)) AddSocket(path);
  }

  void AddSocket(const Path& path) {
    if (!IsSeen(path) || IsNamed(path)) return;
    if (std::ranges::find(plan_.sockets, path) == plan_.sockets.end()) {
      plan_.sockets.push_back(path);
    }
  }

  // An agent's hook that does not find its policies would use the built-in one.
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
                                .kind = is_directory ? PlaceKind::kDirectory : PlaceKind::kFile,
                                .why = "the agent's hook needs it"});
    }
    return Unit{};
  }

  Status PlanHidden() {
    const Path& root = request_.places.root_real;
    std::vector<Path> folders{root};
    for (const auto* list : {&plan_.writable, &plan_.readable}) {
      for (const PlannedPlace& place : *list) {
        if (place.path != Path() && place.set == SetName::kNone) folders.push_back(place.path);
      }
    }
    const std::vector<Path> made = Made();
    Result<std::vector<HiddenPlace>> found = rules_.HiddenPlaces(folders, made);
    if (!found) return found.error();
    std::vector<HiddenPlace>& hidden = *found;
    const auto holds = std::ranges::find_if(
        hidden, [&root](const HiddenPlace& place) { return place.covers(root); });
    if (holds != hidden.end()) {
      return UsageError(
          "read.deny", holds->why + ": the project " + Quote(root.text()) + " is in it",
          "deny what is below it, or let commands read less by \"reads\": \"listed\"");
    }
    AddElsewhere(hidden);
    if (request_.command.is_agent) DropLogins(hidden);
    DropCovered(hidden, plan_.readable);
    const size_t before = plan_.writable.size();
    DropCovered(hidden, plan_.writable);
    if (plan_.writable.size() < before) {
      plan_.weaker.emplace_back(
          "what may be written and not read is not writable: the sandbox has no such right");
    }
    // A place that turned out not to be writable is not created either.
    const std::vector<Path> left = Made();
    std::erase_if(hidden, [&](const HiddenPlace& place) {
      const auto is_within = [&](const Path& folder) { return place.path.IsInside(folder); };
      return std::ranges::any_of(made, is_within) && std::ranges::none_of(left, is_within);
    });
    HideInCopy(hidden);
    HideState(hidden);
    for (HiddenPlace& place : hidden) {
      if (!IsSeen(place.path)) continue;
      // A process inside can reopen a closed directory only there, or if there are no mounts.
      const bool can_open = !plan_.has_view() || Holding(plan_.writable, place.path) != nullptr ||
                            IsInCache(place.path);
      if (place.is_closed && !can_open) continue;
      HoldInPlace(place);
      plan_.hidden.push_back(std::move(place));
    }
    return Unit{};
  }

  bool IsInCache(const Path& path) const {
    return std::ranges::any_of(
        plan_.caches, [&path](const PlannedCache& cache) { return path.IsInside(cache.path); });
  }

  // Keeps the place at its name, by which the next start finds it.
  void HoldInPlace(const HiddenPlace& place) {
    const auto can_move = [this](const Path& path) {
      return Holding(plan_.writable, path) != nullptr;
    };
    if (can_move(place.path) && !place.is_found) {
      plan_.names.HoldInPlace(place.path, "what may not be read is below it: " + place.why);
    }
    for (const Path& link : place.links) {
      if (can_move(link)) {
        plan_.names.HoldInPlace(link, "the link leads to what may not be read: " + place.why);
      }
    }
  }

  // Directories that will exist when places are hidden.
  std::vector<Path> Made() const {
    std::vector<Path> made;
    for (const PlannedPlace& place : plan_.writable) {
      if (place.make) made.push_back(place.path);
    }
    return made;
  }

  void AddElsewhere(std::vector<HiddenPlace>& hidden) {
    std::vector<Path> kept = request_.places.homes_real;
    kept.push_back(request_.places.root_real);
    HideElsewhere(files_.Mounts(), kept, hidden, plan_.weaker);
  }

  // What a rule names in the project by an absolute path, a copy of it has as well.
  void HideInCopy(std::vector<HiddenPlace>& hidden) const {
    if (request_.command.copied_project.is_root()) return;
    const size_t count = hidden.size();
    for (size_t i = 0; i < count; ++i) {
      const auto below = hidden[i].path.Below(request_.command.copied_project);
      if (!below || below->empty()) continue;
      const Path copy = plan_.root.Child(*below);
      const auto covers = [&copy](const HiddenPlace& place) { return place.covers(copy); };
      const bool is_there = files_.KindOr(FileKind::kMissing, copy) != FileKind::kMissing;
      if (!is_there || std::ranges::any_of(hidden, covers)) continue;
      hidden.push_back({.path = copy, .kind = hidden[i].kind, .why = hidden[i].why});
    }
  }

  // Hides the directories in which sessions keep their /tmp, the one with the proxy's socket, the
  // one with the permissions of sessions, and the log. What is missing is created: it can come into
  // being after this sandbox.
  void HideState(std::vector<HiddenPlace>& hidden) {
    if (plan_.is_nested || request_.places.homes_real.empty()) return;
    const Path sessions = SessionFolders(request_.places);
    if (IsFolder(sessions) || !plan_.session_tmp.is_root()) {
      Hide(sessions, PlaceKind::kDirectory, "temporary files of sessions", hidden);
    }
    HideFolder(ProxyFolder(request_.places), "the state of the egress proxy", hidden);
    HideFolder(GrantsFolder(request_.places), "what single sessions may do", hidden);
    HideFolder(StagesFolder(request_.places), "the changes that stages keep", hidden);
    HideCopies(hidden);
    if (request_.places.audit_file) HideLog(*request_.places.audit_file, hidden);
  }

  // All but the copy that the command works in.
  void HideCopies(std::vector<HiddenPlace>& hidden) {
    const Path copies = CopiesFolder(request_.places);
    if (!IsFolder(copies) && !HidesByName()) return;
    Hide(copies, PlaceKind::kDirectory, "copies of projects that commands work in", hidden);
    if (request_.command.copied_project.is_root()) return;
    for (HiddenPlace& place : hidden) {
      if (place.path == copies) place.kept.push_back(plan_.root);
    }
  }

  void HideFolder(const Path& folder, const char* why, std::vector<HiddenPlace>& hidden) {
    const bool is_made = !IsFolder(folder) && MayCreateState();
    if (is_made) plan_.state_folders.push_back(folder);
    if (is_made || IsFolder(folder) || HidesByName()) {
      Hide(folder, PlaceKind::kDirectory, why, hidden);
    }
  }

  // A Seatbelt profile hides what does not exist yet as well.
  bool HidesByName() const { return plan_.system == HostSystem::kMacos; }

  // The log shows what other sessions did, and whoever can open it can hold its lock.
  void HideLog(const Path& file, std::vector<HiddenPlace>& hidden) {
    constexpr size_t kMostNames = 10'000;
    const Walked walked = Walk(file.text(), files_);
    if (walked.stop != Walked::Stop::kEnd) return;
    const bool is_missing = walked.facts.kind == FileKind::kMissing;
    if (is_missing && MayCreateState()) plan_.log_file = walked.end;
    if (walked.facts.kind == FileKind::kFile || !plan_.log_file.is_root()) {
      Hide(walked.end, PlaceKind::kFile, "the audit log", hidden);
    }
    const Path folder = walked.end.Parent();
    const std::string older = std::string(walked.end.name()) + ".";
    const Result<std::vector<DirectoryEntry>> entries = files_.List(folder, kMostNames);
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
      const Path path = folder.Child(entry.name);
      if (!entry.name.starts_with(older)) continue;
      if (files_.KindOr(FileKind::kMissing, path) != FileKind::kFile) continue;
      Hide(path, PlaceKind::kFile, "an older part of the audit log", hidden);
    }
  }

  bool MayCreateState() const {
    return !request_.command.is_trial && plan_.system == HostSystem::kLinux;
  }

  void Hide(const Path& path, PlaceKind kind, const char* why, std::vector<HiddenPlace>& hidden) {
    const auto covers = [&path](const HiddenPlace& place) { return place.covers(path); };
    if (std::ranges::any_of(hidden, covers)) return;
    hidden.push_back({.path = path, .kind = kind, .why = why});
    AddElsewhere(hidden);
  }

  bool IsFolder(const Path& path) const {
    return files_.KindOr(FileKind::kMissing, path) == FileKind::kDirectory;
  }

  // The agent reads its own login and history.
  void DropLogins(std::vector<HiddenPlace>& hidden) const {
    const AgentStateNames& state = request_.places.agent->state;
    std::erase_if(hidden, [&state](const HiddenPlace& place) {
      return place.path.Parent().name() == state.folder && state.logins.Contains(place.path.name());
    });
  }

  static void DropCovered(const std::vector<HiddenPlace>& hidden,
                          std::vector<PlannedPlace>& places) {
    std::erase_if(places, [&](const PlannedPlace& place) {
      return std::ranges::any_of(hidden,
                                 [&](const HiddenPlace& by) { return by.covers(place.path); });
    });
  }

  // True if the policy names the socket itself. Naming its directory does not allow a host socket.
  bool IsNamed(const Path& socket) const {
    return std::ranges::find(plan_.writable, socket, &PlannedPlace::path) != plan_.writable.end();
  }

  // Makes a home below /tmp, as in tests and containers, as readable as any other home.
  void AddCoveredHomes() {
    for (const Path& home : request_.places.homes_real) {
      if (!IsFolder(home) || !IsPrivate(plan_, home) || IsPrivateItself(plan_, home)) continue;
      if (Holding(plan_.writable, home) != nullptr) continue;
      std::erase_if(plan_.readable,
                    [&](const PlannedPlace& place) { return place.path.IsInside(home); });
      plan_.readable.push_back({.path = home, .why = "the home"});
    }
  }

  // /etc/resolv.conf is often a link into /run (systemd-resolved(8)). Adds only the file, since its
  // directory has sockets.
  void AddNameServers() {
    const Walked walked = Walk("/etc/resolv.conf", files_);
    if (!walked.EndsAt(FileKind::kFile) || !IsPrivate(plan_, walked.end)) return;
    if (rules_.RefusesReading(walked.end)) return;
    if (Holding(plan_.writable, walked.end) != nullptr) return;
    plan_.readable.push_back(
        {.path = walked.end, .kind = PlaceKind::kFile, .why = "it names the servers of DNS"});
  }

  // Skips a link to another of these directories: a back end creates the same link.
  void AddRunTime() {
    for (const std::string& name : SplitWords(kRunTime)) {
      const Path path = Path::Clean(name);
      if (!IsFolder(path)) continue;
      plan_.readable.push_back({.path = path, .why = "programs need it to run"});
    }
    std::ranges::sort(plan_.readable, {}, &PlannedPlace::path);
    std::vector<PlannedPlace> outermost;
    for (PlannedPlace& place : plan_.readable) {
      if (Holding(outermost, place.path) == nullptr) outermost.push_back(std::move(place));
    }
    plan_.readable = std::move(outermost);
  }

  // True if the command sees the host's file at `path`: no private directory covers it.
  bool IsSeen(const Path& path) const {
    for (const auto* list : {&plan_.writable, &plan_.readable}) {
      const PlannedPlace* holder = Holding(*list, path);
      // A place above a private directory does not extend into it.
      if (holder != nullptr && (!IsPrivate(plan_, path) || IsPrivate(plan_, holder->path)))
        return true;
    }
    return plan_.reads_all &&
           (!IsPrivate(plan_, path) || (!plan_.private_tmp && path.IsInside(plan_.tmp)));
  }

  const PlanRequest& request_;
  const Policy& policy_ = request_.policy;
  const CachedFiles& files_ = request_.files;
  PlanRules& rules_;
  SandboxPlan& plan_;
};

}  // namespace

Status PlanReads(const PlanRequest& request, PlanRules& rules, SandboxPlan& plan) {
  return ReadPlanner(request, rules, plan).Plan();
}

}  // namespace ringfence
