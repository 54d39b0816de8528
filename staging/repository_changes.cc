#include "staging/repository_changes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "files/beneath.h"

namespace ringfence {
namespace {

constexpr std::string_view kGitFolder = ".git";
constexpr std::string_view kPacked = "packed-refs";

// Digits of an object's name.
constexpr size_t kSha1 = 40;
constexpr size_t kSha256 = 64;

// "<40 or 64 digits>\n", as git writes a reference.
std::string CommitIn(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return IsLowerHex(text, kSha1) || IsLowerHex(text, kSha256) ? std::string(text) : "";
}

// True if a branch can have this name (git-check-ref-format(1)). The command has written it.
bool IsBranchName(std::string_view name) {
  constexpr std::string_view kNever = "\\~^:?*[";
  const auto is_never = [&](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7F' || kNever.find(c) != kNever.npos;
  };
  if (name.empty() || name == "HEAD" || name.starts_with('-') || name.ends_with('/') ||
      std::ranges::any_of(name, is_never))
    return false;
  while (!name.empty()) {
    const std::string_view part = TakeUntil(name, '/');
    if (part.empty() || part.starts_with('.') || part.ends_with(".lock")) return false;
  }
  return true;
}

// The commits of branches, by name.
using Heads = std::map<std::string, std::string, std::less<>>;

// Reads the file "packed-refs", where `git gc` puts references: those whose names begin with
// `kind`, which is left out.
Heads PackedReferences(std::string_view text, std::string_view kind) {
  Heads found;
  while (!text.empty()) {
    std::string_view name = TakeUntil(text, '\n');
    std::string commit = CommitIn(TakeUntil(name, ' '));
    if (commit.empty() || !name.starts_with(kind) || !IsBranchName(name)) continue;
    name.remove_prefix(kind.size());
    found.emplace(name, std::move(commit));
  }
  return found;
}

Heads PackedHeads(std::string_view text) {
  Heads heads = PackedReferences(text, kHeads);
  std::erase_if(heads, [](const auto& head) { return !IsBranchName(head.first); });
  return heads;
}

class RepositoryPlanner {
 public:
  explicit RepositoryPlanner(const RepositorySurroundings& around) : around_(around) {}

  Result<RepositoryPlan> Plan(ChangeList& changes) {
    ChangeList others;
    for (Change& change : changes) {
      const std::string repository(GitFolderOf(change.path));
      // A new repository is an ordinary directory.
      if (repository.empty() || change.path == repository || !IsKnown(repository)) {
        others.push_back(std::move(change));
        continue;
      }
      if (Status s = Add(std::move(change), repository); !s) return s.error();
    }
    changes = std::move(others);
    if (has_refused_) plan_.branches.clear();
    for (size_t i = 0; i < plan_.changes.size(); ++i) by_path_[plan_.changes[i].change.path] = i;
    for (const StagedBranch& branch : plan_.branches) AddReference(branch);
    std::ranges::sort(plan_.changes, PathBefore, PathOf);
    return std::move(plan_);
  }

 private:
  static const std::string& PathOf(const PlannedChange& planned) { return planned.change.path; }

  bool IsKnown(const std::string& repository) const { return around_.exists(repository + "/HEAD"); }

  Status Add(Change change, const std::string& repository) {
    const std::string below = change.path.substr(repository.size() + 1);
    if (below == "HEAD" || below.starts_with(kHeads)) {
      if (Status s = AddBranch(change, repository, below); !s) return s;
    }
    if (below == kPacked && change.after.is_file()) {
      if (Status s = AddPacked(change.path, repository); !s) return s;
    }
    PlannedChange planned{.change = std::move(change), .is_gits = true};
    if (IsObject(below, planned.change.after, kSha256) && planned.change.after.is_file()) {
      planned.is_gits = std::exchange(has_sha256_, true);  // users must see one of them
      has_refused_ = true;
      planned.action = ChangeAction::kSkip;
      planned.why = "git's objects with SHA-256 cannot be checked, so no branch is applied";
    } else if (!IsObject(below, planned.change.after, kSha1) || !planned.change.is_added()) {
      planned.action = ChangeAction::kSkip;
      planned.why = WhyLost(planned.change, below);
      planned.is_gits = planned.why.empty();  // users must see what they could miss
      if (planned.is_gits) planned.why = "git's own state";
    } else if (planned.change.after.is_file() && !around_.is_sound(planned.change.path)) {
      has_refused_ = true;
      planned.is_gits = false;  // users must see this
      planned.action = ChangeAction::kSkip;
      planned.why = "git's object does not have what its name says, so no branch is applied";
    }
    plan_.changes.push_back(std::move(planned));
    return Unit{};
  }

  // Objects and packs, by the names that git gives them (gitrepository-layout(5)). `digits` is the
  // length of an object's name.
  static bool IsObject(std::string_view below, const Entry& entry, size_t digits) {
    constexpr std::string_view kObjects = "objects/";
    constexpr std::string_view kPack = "pack/pack-";
    if (!below.starts_with(kObjects)) return false;
    below.remove_prefix(kObjects.size());
    if (entry.is_directory()) return below == "pack" || IsLowerHex(below, 2);
    constexpr uint32_t kExecute = 0111;
    if (!entry.is_file() || (entry.mode & kExecute) != 0) return false;
    if (below.starts_with(kPack)) {
      const std::string_view name = below.substr(kPack.size());
      const std::string_view end = name.substr(std::min(digits, name.size()));
      return IsLowerHex(name.substr(0, digits), digits) && (end == ".pack" || end == ".idx");
    }
    return below.size() == digits + 1 && IsLowerHex(below.substr(0, 2), 2) && below[2] == '/' &&
           IsLowerHex(below.substr(3), digits - 2);
  }

  // Says why this stays in the stage if it leads to commits that can be nowhere else, or else "".
  std::string WhyLost(const Change& change, std::string_view below) const {
    constexpr std::string_view kRefs = "refs/";
    constexpr std::string_view kKinds[] = {"tags/", "notes/", "stash"};
    const auto has = [below](std::string_view text) { return below.find(text) != below.npos; };
    const auto is_lost = [&](std::string_view kind) {
      if (below == kPacked) return HasNewPacked(change.path, kind);
      return below.starts_with(kRefs) && below.substr(kRefs.size()).starts_with(kind);
    };
    if (!change.after.is_file() || below.ends_with(".lock") || has("logs/")) return "";
    if (std::ranges::any_of(kKinds, is_lost)) return "tags, notes and stashes are not applied";
    if (!below.starts_with("modules/")) return "";
    const std::string_view name = NameOf(below);
    const bool is_commit = has(kHeads) ||
                           (name == "HEAD" && !Loose(around_.staged_bytes(change.path)).empty()) ||
                           (name == kPacked && HasNewPacked(change.path, "heads/"));
    return is_commit ? "commits in a submodule are not applied" : "";
  }

  // True if the stage has packed a reference of this kind that the project does not have. One with
  // a file of its own in the stage is listed as that file.
  bool HasNewPacked(const std::string& path, std::string_view kind) const {
    const std::string prefix = "refs/" + std::string(kind);
    const std::string folder = std::string(FolderOf(path)) + "/" + prefix;
    const Result<std::string> staged = around_.staged_bytes(path);
    const Result<std::string> project = around_.project_bytes(path);
    const Heads known = project ? PackedReferences(*project, prefix) : Heads();
    const auto is_new = [&](const auto& reference) {
      const auto& [name, commit] = reference;
      const auto old = known.find(name);
      if (old != known.end() && old->second == commit) return false;
      return Loose(around_.staged_bytes(folder + name)).empty() &&
             Loose(around_.project_bytes(folder + name)) != commit;
    };
    return !staged || std::ranges::any_of(PackedReferences(*staged, prefix), is_new);
  }

  Status AddBranch(const Change& change, const std::string& repository, std::string_view below) {
    if (!change.after.is_file() || below.ends_with(".lock")) return Unit{};
    const Result<std::string> text = around_.staged_bytes(change.path);
    if (!text) return text.error();
    std::string commit = CommitIn(*text);
    if (commit.empty()) return Unit{};  // a symbolic HEAD
    if (below == "HEAD") {
      PlanBranch(repository, std::string(below), std::move(commit), false);
      return Unit{};
    }
    std::string name(below.substr(kHeads.size()));
    if (!IsBranchName(name)) return Unit{};
    const std::string old = change.is_added() ? Packed(repository, name) : "";
    const bool is_new = change.is_added() && old.empty();
    if (commit != old) PlanBranch(repository, std::move(name), std::move(commit), is_new);
    return Unit{};
  }

  // The branches that the stage has packed, and moved or created before.
  Status AddPacked(const std::string& path, const std::string& repository) {
    const Result<std::string> text = around_.staged_bytes(path);
    if (!text) return text.error();
    const std::string folder = repository + "/" + std::string(kHeads);
    for (const auto& [name, commit] : PackedHeads(*text)) {
      std::string loose = folder;
      loose += name;
      if (!Loose(around_.staged_bytes(loose)).empty()) continue;  // is newer
      std::string old = Loose(around_.project_bytes(loose));
      if (old.empty()) old = Packed(repository, name);
      if (old != commit) PlanBranch(repository, name, commit, old.empty());
    }
    return Unit{};
  }

  static std::string Loose(const Result<std::string>& text) { return text ? CommitIn(*text) : ""; }

  // The packed branches of the project.
  const Heads& PackedOf(const std::string& repository) {
    auto known = packed_.find(repository);
    if (known == packed_.end()) {
      const Result<std::string> text =
          around_.project_bytes(repository + "/" + std::string(kPacked));
      known = packed_.emplace(repository, text ? PackedHeads(*text) : Heads()).first;
    }
    return known->second;
  }

  // The commit of a packed branch of the project; "" if it does not exist.
  std::string Packed(const std::string& repository, const std::string& name) {
    const Heads& packed = PackedOf(repository);
    const auto found = packed.find(name);
    return found == packed.end() ? "" : found->second;
  }

  // A branch "stage" leaves no room for "stage/ID".
  std::string NewName(const std::string& repository) {
    const std::string stage = repository + "/" + std::string(kHeads) + "stage";
    const bool is_file = around_.exists(stage) && !around_.exists(stage + "/.");
    const bool is_taken = is_file || !Packed(repository, "stage").empty();
    return (is_taken ? "stage-" : "stage/") + around_.stage;
  }

  // A branch that is new keeps its name. One that HEAD names already is the user's, though it has
  // no commits yet.
  void PlanBranch(const std::string& repository, std::string name, std::string commit,
                  bool is_new) {
    StagedBranch branch{repository, std::move(name), std::move(commit), ""};
    branch.becomes = branch.name;
    const bool keeps_name = is_new && !IsCurrent(branch) && !IsBesideParent(branch);
    std::string becomes = keeps_name ? branch.name : NewName(repository);
    if (!keeps_name && !stage_names_.insert(repository).second) becomes += "-" + branch.name;
    branch.becomes = becomes;
    if (IsBesideParent(branch)) {
      std::ranges::replace(becomes, '/', '-');
      branch.becomes = becomes;
    }
    for (int i = 2; IsTaken(branch); ++i) branch.becomes = becomes + "-" + std::to_string(i);
    if (HasBranch(branch)) return;  // from an earlier apply
    references_.insert(ReferenceOf(branch));
    plan_.branches.push_back(std::move(branch));
  }

  bool IsCurrent(const StagedBranch& branch) const {
    const Result<std::string> head = around_.project_bytes(branch.repository + "/HEAD");
    return head && *head == "ref: " + std::string(kHeads) + branch.name + "\n";
  }

  // True if the project has the branch, or is going to.
  bool HasReference(const std::string& repository, const std::string& name) {
    const std::string path = repository + "/" + std::string(kHeads) + name;
    const bool is_file = around_.exists(path) && !around_.exists(path + "/.");
    return is_file || references_.contains(path) || !Packed(repository, name).empty();
  }

  // True for "a/b" beside a branch "a": git cannot have both.
  bool IsBesideParent(const StagedBranch& branch) {
    for (std::string_view name = FolderOf(branch.becomes); !name.empty(); name = FolderOf(name)) {
      if (HasReference(branch.repository, std::string(name))) return true;
    }
    return false;
  }

  // True for "a" beside a branch "a/b".
  bool IsBesideInner(const StagedBranch& branch) {
    const std::string path = ReferenceOf(branch) + "/";
    const auto planned = references_.lower_bound(path);
    if (planned != references_.end() && planned->starts_with(path)) return true;
    const std::string inner = branch.becomes + "/";
    const Heads& packed = PackedOf(branch.repository);
    const auto found = packed.lower_bound(inner);
    return found != packed.end() && found->first.starts_with(inner);
  }

  // True if the project has the branch with this commit already.
  bool HasBranch(const StagedBranch& branch) {
    const std::string loose = Loose(around_.project_bytes(ReferenceOf(branch)));
    return (loose.empty() ? Packed(branch.repository, branch.becomes) : loose) == branch.commit;
  }

  // True if another branch has the name.
  bool IsTaken(const StagedBranch& branch) {
    const std::string path = ReferenceOf(branch);
    if (references_.contains(path) || IsBesideInner(branch)) return true;
    const bool exists = around_.exists(path) || !Packed(branch.repository, branch.becomes).empty();
    return exists && !HasBranch(branch);
  }

  // Writes this at a path of git's directory that the stage has changed. Returns false if it has
  // not.
  bool WritePlanned(std::string_view path, std::string bytes) {
    const auto found = by_path_.find(path);
    if (found == by_path_.end()) return false;
    PlannedChange& planned = plan_.changes[found->second];
    planned.action = ChangeAction::kMerge;
    planned.merged = std::move(bytes);
    planned.why.clear();
    return true;
  }

  void AddPlanned(PlannedChange planned) {
    by_path_[planned.change.path] = plan_.changes.size();
    plan_.changes.push_back(std::move(planned));
  }

  void AddReference(const StagedBranch& branch) {
    const std::string path = ReferenceOf(branch);
    AddFolders(FolderOf(path), branch.repository);
    if (WritePlanned(path, branch.commit + "\n")) return;
    Change change{.path = path, .after = {.kind = EntryKind::kFile, .mode = 0644}};
    AddPlanned({.change = std::move(change),
                .action = ChangeAction::kMerge,
                .merged = branch.commit + "\n",
                .is_gits = true});
  }

  // Plans the missing directories of a reference.
  void AddFolders(std::string_view folder, const std::string& repository) {
    if (folder.size() <= repository.size() || around_.exists(std::string(folder))) return;
    AddFolders(FolderOf(folder), repository);
    if (WritePlanned(folder, "")) return;
    Change change{.path = std::string(folder),
                  .after = {.kind = EntryKind::kDirectory, .mode = 0755}};
    AddPlanned({.change = std::move(change), .action = ChangeAction::kMerge, .is_gits = true});
  }

  const RepositorySurroundings& around_;
  RepositoryPlan plan_;
  std::map<std::string, size_t, std::less<>> by_path_;  // indexes in plan_.changes
  std::map<std::string, Heads> packed_;                 // of the project, by repository
  std::set<std::string> stage_names_;                   // repositories
  std::set<std::string> references_;                    // paths of the planned branches
  bool has_refused_ = false;                            // an object that a branch may need
  bool has_sha256_ = false;
};

}  // namespace

std::string ReferenceOf(const StagedBranch& branch) {
  return branch.repository + "/" + std::string(kHeads) + branch.becomes;
}

std::string_view GitFolderOf(std::string_view path) {
  size_t begin = 0;
  for (;;) {
    const size_t slash = path.find('/', begin);
    if (path.substr(begin, slash - begin) == kGitFolder) return path.substr(0, slash);
    if (slash == path.npos) return {};
    begin = slash + 1;
  }
}

Result<RepositoryPlan> PlanRepositories(ChangeList& changes,
                                        const RepositorySurroundings& surroundings) {
  return RepositoryPlanner(surroundings).Plan(changes);
}

}  // namespace ringfence
