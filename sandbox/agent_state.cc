#include "sandbox/agent_state.h"

#include "policy/resolve.h"
#include "policy/sets.h"

namespace ringfence {
namespace {

using Kind = PlannedPlace::Kind;

class Finder {
 public:
  Finder(const Places& places, const CachedFiles& files, bool saves)
      : places_(places), files_(files), saves_(saves) {}

  AgentState Find() {
    for (const Path& home : places_.homes_real) {
      if (KindOf(home) != FileKind::kDirectory) continue;
      AddFolder(home);
      AddFile(home.Child(".claude.json"));
    }
    return std::move(state_);
  }

 private:
  FileKind KindOf(const Path& path) const {
    const Result<FileFacts> facts = files_.Look(path);
    return facts ? facts->kind : FileKind::kLink;  // which leads nowhere
  }

  void AddFolder(const Path& home) {
    const std::optional<PlannedPlace> folder = FolderAt(home.Child(".claude"));
    if (!folder) return;
    const Path projects = folder->path.Child("projects");
    const auto transcripts = FolderAt(projects.Child(ClaudeProjectSlug(places_.root_real)));
    state_.places.push_back(*folder);
    if (transcripts) state_.inner.push_back(*transcripts);
    // The shells of every session read their files there at each command.
    for (const char* name : {"shell-snapshots", "session-env"}) {
      std::optional<PlannedPlace> own = FolderAt(folder->path.Child(name));
      if (!own) continue;
      own->is_own = saves_;  // where there are mounts
      state_.inner.push_back(*own);
    }
    for (const char* name : {"local", "*.sh"}) {
      state_.refused.push_back({.base = folder->path.text(),
                                .tail = name,
                                .has_pattern = *name == '*',
                                .why = "it is run outside of the sandbox"});
    }
    for (const char* name : {".credentials.json", "history.jsonl"}) {
      state_.logins.push_back(folder->path.Child(name));
    }
  }

  // A folder that is there, by a link or not, or that can be made.
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
        {.path = walked.end, .kind = Kind::kFile, .set = SetName::kAgentState, .why = why});
  }

  const Places& places_;
  const CachedFiles& files_;
  bool saves_;
  AgentState state_;
};

}  // namespace

AgentState FindAgentState(const Places& places, const CachedFiles& files, bool saves) {
  return Finder(places, files, saves).Find();
}

}  // namespace ringfence
