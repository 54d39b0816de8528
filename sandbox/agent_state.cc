#include "sandbox/agent_state.h"

#include <algorithm>

#include "policy/agent.h"
#include "policy/files/main_repository.h"
#include "policy/files/resolve.h"
#include "policy/rules/sets.h"

namespace ringfence {
namespace {

class StateFinder {
 public:
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
  FileKind KindOf(const Path& path) const {
    const Result<FileFacts> facts = files_.Look(path);
    return facts ? facts->kind : FileKind::kLink;  // treated like a dangling link
  }

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
    if (walked.stop != Walked::Stop::kEnd || walked.facts.kind != FileKind::kFile) return;
    state_.places.push_back(
        {.path = walked.end, .kind = PlaceKind::kFile, .set = SetName::kAgentState, .why = why});
  }

  const Places& places_;
  const AgentStateNames& names_ = places_.agent->state;
  const CachedFiles& files_;
  bool saves_;
  AgentState state_;
};

}  // namespace

AgentState FindAgentState(const Places& places, const CachedFiles& files, bool saves) {
  return StateFinder(places, files, saves).Find();
}

}  // namespace ringfence
