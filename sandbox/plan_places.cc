#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"
#include "policy/agent.h"
#include "policy/files/git_files.h"
#include "policy/files/resolve.h"
#include "policy/rules/sets.h"
#include "sandbox/landlock_rights.h"
#include "sandbox/plan_caches.h"
#include "sandbox/plan_mounts.h"
#include "sandbox/plan_rules.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

// Client state that the agent itself may write but its commands may not: directories and files of
// ~/.claude that it keeps for itself, the transcripts of this project, and ~/.claude.json.
struct AgentState {
  std::vector<PlannedPlace> places;  // none is inside another
  std::vector<SavedFile> saved;
  std::vector<Path> logins;  // the agent's own, although @secrets names them
  std::vector<Path> needed;  // missing directories that it must find, and may not write
};

class StateFinder {
 public:
  // `saves`: true if the back end can replace a file in a read-only directory.
  StateFinder(const Places& places, const CachedFiles& files, bool saves)
      : places_(places), files_(files), saves_(saves) {}

  AgentState Find() {
    for (const Path& home : places_.homes_real) {
      if (!MayAllowBelow(places_, home) || KindOf(home) != FileKind::kDirectory) continue;
      AddFolder(home);
      AddFile(home.Child(names_.file));
    }
    return std::move(state_);
  }

 private:
  // A file that cannot be looked at is treated like a dangling link.
  FileKind KindOf(const Path& path) const { return files_.KindOr(FileKind::kLink, path); }

  void AddFolder(const Path& home) {
    const std::optional<PlannedPlace> state = FolderAt(home.Child(names_.folder));
    if (!state) return;
    const Path& folder = state->path;
    for (const std::string_view name : names_.folders) Add(FolderAt(folder.Child(name)));
    AddProjects(folder.Child(names_.projects));
    for (const std::string_view name : names_.shell_folders) {
      std::optional<PlannedPlace> own = FolderAt(folder.Child(name));
      if (own && saves_) own->contents = PlannedPlace::Contents::kOwn;  // needs mounts
      Add(std::move(own));
    }
    for (const std::string_view name : names_.files) AddFile(folder.Child(name));
    for (const std::string_view name : names_.logins) state_.logins.push_back(folder.Child(name));
    AddPluginData(folder);
  }

  void AddPluginData(const Path& folder) {
    const auto below = [&folder](std::string_view name) {
      return Path::Clean(folder.text() + "/" + std::string(name));
    };
    const Path data = below(names_.plugin_data);
    const bool is_installed = KindOf(below(names_.plugin)) == FileKind::kDirectory;
    if (is_installed && KindOf(data) == FileKind::kMissing) state_.needed.push_back(data);
  }

  // Adds the session's own directories. From the main repository, whose other sessions belong to
  // another project, adds only the memory.
  void AddProjects(const Path& folder) {
    const Path start = StartOf(places_);
    const auto name_of = places_.agent->project_folder;
    std::vector<std::string> names{name_of(start), name_of(places_.root_real)};
    if (names.front() == names.back()) names.pop_back();
    for (const std::string& name : names) Add(FolderAt(folder.Child(name)));
    const std::string memory = name_of(MainRepositoryOf(start, files_));
    if (std::ranges::find(names, memory) != names.end()) return;
    Add(FolderAt(folder.Child(memory).Child("memory")));
  }

  void Add(std::optional<PlannedPlace> place) {
    if (place) state_.places.push_back(std::move(*place));
  }

  // Returns a directory that exists, possibly through a link, or that can be created.
  std::optional<PlannedPlace> FolderAt(const Path& path) const {
    const Walked walked = Walk(path.text(), files_);
    if (walked.stop != Walked::Stop::kEnd) return {};
    const bool is_missing = walked.facts.kind == FileKind::kMissing;
    if (!is_missing && walked.facts.kind != FileKind::kDirectory) return {};
    return PlannedPlace{.path = walked.end,
                        .make = is_missing,
                        .set = SetName::kAgentState,
                        .why = std::string(SetText(SetName::kAgentState))};
  }

  void AddFile(const Path& path) {
    const std::string why(SetText(SetName::kAgentState));
    const FileKind kind = KindOf(path);
    if (saves_ && (kind == FileKind::kFile || kind == FileKind::kMissing)) {
      state_.saved.push_back({.path = path, .why = why});
      return;
    }
    const Walked walked = Walk(path.text(), files_);  // a link, or no supervisor
    if (!walked.EndsAt(FileKind::kFile)) return;
    state_.places.push_back(
        {.path = walked.end, .kind = PlaceKind::kFile, .set = SetName::kAgentState, .why = why});
  }

  const Places& places_;
  const AgentStateNames& names_ = places_.agent->state;
  const CachedFiles& files_;
  bool saves_;
  AgentState state_;
};

const Path kTmp = Path::Clean(kHostsTmp);

class PlacePlanner {
 public:
  PlacePlanner(const PlanRequest& request, PlanRules& rules, SandboxPlan& plan)
      : request_(request), rules_(rules), plan_(plan) {}

  Status Plan() {
    if (!request_.facts.sockets_unknown.empty()) {
      return Error{Error::Kind::kSystem, "sockets of the host", request_.facts.sockets_unknown,
                   "they could be reached; mount /proc"};
    }
    if (!request_.facts.crash_handler_unknown.empty()) {
      return Error{Error::Kind::kSystem, "crash handler of the host",
                   request_.facts.crash_handler_unknown,
                   "it could get the memory of a command; mount /proc"};
    }
    if (Status s = PlanWrites(); !s) return s;
    plan_.caches = FindCaches(request_, plan_);
    if (Status s = PlanReads(request_, rules_, plan_); !s) return s;
    SettleCaches(plan_);
    return PlanSealed();
  }

 private:
  // --- writable places ---

  std::vector<PlannedPlace> PermittedPlaces() {
    std::vector<PlannedPlace> places = rules_.AllowedPlaces(Access::kWrite);
    if (request_.command.is_trial) {
      std::erase_if(places, [](const PlannedPlace& place) { return place.make; });
    }
    if (!HoldsToNames()) LeaveOutParts(places);
    return places;
  }

  Status PlanWrites() {
    std::vector<PlannedPlace> places = PermittedPlaces();
    AgentState own = OwnState();
    if (const std::optional<Path> file = Path::Parse(request_.command.result_file)) {
      own.places.push_back({.path = *file, .kind = PlaceKind::kFile, .why = "its caller reads it"});
    }
    if (Status s = GuardNames(places, own); !s) return s;
    std::erase_if(places, [&](const PlannedPlace& place) {
      return plan_.names.Refuses(place.path.text()) != nullptr;
    });
    if (plan_.mode == SandboxMode::kRx) {
      std::erase_if(places, [](const PlannedPlace& place) {
        return place.set != SetName::kAgentScratch && place.set != SetName::kAgentState;
      });
    }
    places.insert(places.end(), own.places.begin(), own.places.end());
    std::ranges::stable_sort(places, {}, &PlannedPlace::path);
    for (PlannedPlace& place : places) {
      if (Holding(plan_.writable, place.path) != nullptr) continue;
      if (IsOfOriginal(place)) {
        plan_.narrower.push_back(place.path.text() +
                                 " is not writable: it would change the project itself");
        continue;
      }
      if (IsHostsTmp(place.path)) plan_.private_tmp = false;
      Stage(place);
      plan_.writable.push_back(std::move(place));
    }
    if (std::ranges::any_of(plan_.writable, &PlannedPlace::is_part)) AllowOnlyNames(own);
    for (const PlannedPlace& place : plan_.writable) {
      if (place.kind != PlaceKind::kDirectory) continue;
      plan_.names.HoldInPlace(place.path, "the next start needs it");
    }
    plan_.saved = own.saved;
    if (!request_.command.is_trial) plan_.state_folders = own.needed;
    if (plan_.is_nested) AllowPlacesOnly();
    // The host's /tmp is used, so there is nothing to keep.
    if (!plan_.private_tmp && plan_.scratch.is_root()) plan_.session_tmp = Path();
    PlanPrivate();
    return Unit{};
  }

  // In a copy, the places are as usual.
  void Stage(PlannedPlace& place) const {
    const bool is_staged = plan_.is_staged() && request_.command.copied_project.is_root() &&
                           !place.is_own() && place.path.IsInside(plan_.root);
    if (is_staged) place.contents = PlannedPlace::Contents::kStaged;
  }

  // True for a place in the project, or around it, while the command runs in a copy.
  bool IsOfOriginal(const PlannedPlace& place) const {
    const Path& original = request_.command.copied_project;
    return !original.is_root() && !place.path.IsInside(plan_.root) &&
           (place.path.IsInside(original) || original.IsInside(place.path));
  }

  // Allows the policy's names, the agent's own, and the devices that Landlock opens.
  void AllowOnlyNames(const AgentState& own) {
    std::vector<GuardedName> others = NamesOf(own);
    if (plan_.system == HostSystem::kLinux && !plan_.has_view()) {
      for (const char* name : kHostDevices) others.push_back({.base = name});
    }
    rules_.AllowOnly(others, plan_.names);
  }

  // True if commands can be limited to some names of a directory. Mounts and Landlock open all of
  // it.
  bool HoldsToNames() const {
    return plan_.system != HostSystem::kLinux || plan_.supervised || plan_.is_nested;
  }

  void LeaveOutParts(std::vector<PlannedPlace>& places) {
    for (const PlannedPlace& place : places) {
      if (!place.is_part) continue;
      plan_.narrower.push_back(
          "write.allow: " + place.why +
          " is not writable: without a supervisor, no pattern and no name that does not exist yet "
          "can be allowed");
    }
    std::erase_if(places, [](const PlannedPlace& place) { return place.is_part; });
  }

  // Guards all names except the agent's own. Adds the --write directory to those, unless a rule
  // refuses it.
  Status GuardNames(const std::vector<PlannedPlace>& places, AgentState& own) {
    std::vector<PlannedPlace> near = places;
    near.insert(near.end(), own.places.begin(), own.places.end());
    Result<std::optional<PlannedPlace>> asked = AlsoWritable();
    if (!asked) return asked.error();
    std::optional<PlannedPlace>& also = *asked;
    if (also) near.push_back(*also);
    GuardElsewhere(files_.Mounts(), near, plan_.names);
    rules_.AddNames(near, plan_.names);
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
    static const Path kReal = Path::Clean("/private/tmp");  // /tmp on macOS
    return path == kTmp || path == plan_.tmp ||
           (plan_.system == HostSystem::kMacos && path == kReal);
  }

  Error RefusedDirectory(std::string why, const char* hint =
                                              "name an existing directory that the "
                                              "policy does not deny") const {
    return UsageError("--write", Quote(request_.command.also_writable) + ": " + std::move(why),
                      hint);
  }

  // Returns the --write directory, which is writable in every mode.
  Result<std::optional<PlannedPlace>> AlsoWritable() const {
    const std::string& text = request_.command.also_writable;
    if (text.empty()) return std::optional<PlannedPlace>();
    if (!text.starts_with('/')) return RefusedDirectory("is not an absolute path");
    const Walked walked = Walk(text, files_);
    if (walked.EndsAt(FileKind::kMissing)) return RefusedDirectory("does not exist");
    if (!walked.EndsAt(FileKind::kDirectory)) return RefusedDirectory("is not a directory");
    for (const Path& link : walked.links) {
      if (!rules_.MayBeWritten(link)) continue;
      return RefusedDirectory(
          "the link " + Quote(link.text()) + " is on the way, and commands may have made it",
          "name the directory that it leads to");
    }
    if (walked.end == Path::Clean("/dev")) return RefusedDirectory("it holds devices");
    return std::optional(PlannedPlace{.path = walked.end, .why = "asked for by --write"});
  }

  // No mount shows here what is writable, so the outer supervisor must know.
  void AllowPlacesOnly() {
    std::vector<GuardedName> places;
    for (const PlannedPlace& place : plan_.writable) places.push_back({.base = place.path.text()});
    if (!plan_.inside_view) places.push_back({.base = "/dev"});
    plan_.names.AllowOnly(std::move(places));
  }

  AgentState OwnState() const {
    if (!request_.command.is_agent) return {};
    const bool saves =
        plan_.system == HostSystem::kLinux && plan_.has_namespaces() && plan_.supervised;
    return StateFinder(request_.places, files_, saves).Find();
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
    const bool has_mounts = plan_.has_view();
    if (!has_mounts) plan_.private_tmp = false;
    if (plan_.system != HostSystem::kLinux) {
      const Path tmp = PrivateTmp(plan_);
      if (plan_.private_tmp && !tmp.is_root()) plan_.names.Exempt(tmp);
    } else {
      ExemptPrivate(has_mounts);
    }
    for (const PlannedPlace& place : plan_.writable) plan_.names.KeepHost(place.path);
  }

  // Exempts directories that mounts make private. A session's /tmp and `scratch` are on the host,
  // so they count only as the sandbox's own.
  void ExemptPrivate(bool has_mounts) {
    if (!has_mounts) plan_.names.AddOwn(plan_.scratch);
    for (const std::string_view folder : kPrivateFolders) {
      const bool is_tmp = folder == kTmp.text();
      const Path path = is_tmp ? plan_.tmp : Path::Clean(folder);
      if (!has_mounts || (is_tmp && !plan_.private_tmp)) continue;
      if (is_tmp && !plan_.session_tmp.is_root()) {
        plan_.names.AddOwn(path);
      } else {
        plan_.names.Exempt(path);
      }
    }
    for (const Path& home : request_.places.homes_real) plan_.names.KeepHost(home);
    plan_.names.KeepHost(SelfTestName(plan_));
  }

  // --- existing names in writable places ---

  // Returns the paths under all of their names; none is inside another.
  std::vector<Path> SealedPaths() const {
    std::vector<Path> paths = rules_.SealedPaths(plan_.names);
    if (!files_.Mounts().has_twins()) return paths;
    std::vector<Path> all = paths;
    for (const Path& path : paths) {
      std::ranges::copy(Elsewhere(files_.Mounts(), path), std::back_inserter(all));
    }
    return Outermost(std::move(all));
  }

  Status PlanSealed() {
    for (const Path& path : SealedPaths()) {
      const PlannedPlace* holder = Holding(plan_.writable, path);
      if (holder == nullptr || holder->path == path) continue;
      const auto covers = [&path](const HiddenPlace& place) { return place.covers(path); };
      if (std::ranges::any_of(plan_.hidden, covers)) continue;
      const Result<FileFacts> facts = files_.Look(path);
      if (!facts) return facts.error();
      const bool is_directory = facts->kind == FileKind::kDirectory;
      if (!is_directory && facts->kind != FileKind::kFile) continue;
      const GuardedName* rule = plan_.names.Refuses(path.text());
      plan_.sealed.push_back({.path = path,
                              .kind = is_directory ? PlaceKind::kDirectory : PlaceKind::kFile,
                              .why = rule != nullptr ? rule->why : ""});
    }
    return Unit{};
  }

  const PlanRequest& request_;
  const CachedFiles& files_ = request_.files;
  PlanRules& rules_;
  SandboxPlan& plan_;
};

}  // namespace

Status PlanPlaces(const PlanRequest& request, PlanRules& rules, SandboxPlan& plan) {
  return PlacePlanner(request, rules, plan).Plan();
}

}  // namespace ringfence
