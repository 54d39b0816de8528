// PlanRules: names that may not be written, whether or not they exist.
#include <algorithm>
#include <array>

#include "base/case_fold.h"
#include "policy/files/resolve.h"
#include "policy/rules/entry_match.h"
#include "policy/rules/pattern.h"
#include "policy/rules/protected.h"
#include "sandbox/git_targets.h"
#include "sandbox/plan_rules.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

// True for state that git keeps of a stopped rebase or cherry-pick.
bool IsSavedByGit(const SetEntry& entry) {
  static constexpr std::array<std::string_view, 3> kEnds{
      "/git-rebase-todo", "/rebase-merge/strategy", "/sequencer/opts"};
  if (entry.base != RuleBase::kAnywhere) return false;
  return std::ranges::any_of(kEnds,
                             [&](std::string_view end) { return entry.tail.ends_with(end); });
}

bool IsGitsOwn(const SetEntry& entry) {
  if (entry.base != RuleBase::kAnywhere) return false;
  const std::string_view tail = entry.tail;
  const bool is_gits =
      tail.starts_with("**/.git/") || tail == "**/commondir" || tail == "**/config.worktree";
  // Hooks and Sapling's directory are configuration that runs programs.
  const bool runs = tail.ends_with("hooks") || tail.ends_with("/sl");
  return is_gits && !runs && !IsSavedByGit(entry);
}

// Quick check: most names differ from most places in the first letter. `folded` is case-folded.
bool BeginsAlike(std::string_view name, std::string_view folded) {
  if (name.empty() || folded.empty()) return true;
  const auto first = static_cast<unsigned char>(name[0]);
  if (first >= 0x80) return true;
  return folded[0] == (first >= 'A' && first <= 'Z' ? first + 32 : first);
}

}  // namespace

// Adds the names that are at, below or above one of the places.
class PlanRules::NameAdder {
 public:
  NameAdder(PlanRules& rules, const std::vector<PlannedPlace>& places, GuardedNames& names)
      : rules_(rules), views_(ViewsOf(places)), names_(names) {}

  void Add() {
    names_.SetPackageStores(
        {rules_.policy_.package_stores.begin(), rules_.policy_.package_stores.end()},
        rules_.places_.root_real);
    for (const ProtectedName& name : ProtectedNames(rules_.places_, rules_.files_)) {
      const std::string why = std::string(name.what) + " are protected";
      AddName({.base = rules_.Slash(),
               .tail = std::string_view(name.pattern).substr(name.anywhere ? 0 : 1),
               .has_pattern = name.has_pattern,
               .is_anywhere = name.anywhere,
               .why = why});
    }
    AddNameRules(rules_.policy_.write.deny, "denied by");
    AddNameRules(rules_.policy_.write.ask, "the policy asks about");
    if (!names_.bare_why().empty()) AddGitTargets();
  }

 private:
  // Positions of the places relative to a base directory, which many names share.
  struct View {
    const Base* base = nullptr;
    bool is_inside = false;          // the base is inside one of the places
    std::vector<std::string> below;  // places below the base: relative paths, folded
  };
  // Input for a GuardedName. Uses views, since most of the hundreds of home directory names produce
  // none.
  struct NameSource {
    const Base& base;
    std::string_view tail;
    bool has_pattern = false;
    bool is_anywhere = false;
    WordList except = WordList("");
    bool unless_new = false;
    bool comes_whole = false;
    bool not_in_stores = false;
    bool holds_root = false;
    bool spares_root = false;  // excludes the project if a link leads to it or above it
    bool may_lead = true;      // the path may contain links
    uint64_t name_bits = 0;    // as in SetEntry
    std::string_view why;
  };

  static GuardedName NameOf(const NameSource& name) {
    return {.base = name.base.path.text(),
            .tail = std::string(name.tail),
            .has_pattern = name.has_pattern,
            .is_anywhere = name.is_anywhere,
            .except = std::string(name.except.text()),
            .unless_new = name.unless_new,
            .comes_whole = name.comes_whole,
            .not_in_stores = name.not_in_stores,
            .holds_root = name.holds_root,
            .why = std::string(name.why)};
  }

  static View ViewOf(const std::vector<PlannedPlace>& places, const Base& base) {
    View view{.base = &base};
    const Path folded = Path::Clean(FoldName(base.path.text()));
    for (const PlannedPlace& place : places) {
      const Path other = Path::Clean(FoldName(place.path.text()));
      view.is_inside = view.is_inside || folded.IsInside(other);
      if (const auto below = other.Below(folded)) view.below.emplace_back(*below);
    }
    return view;
  }

  std::vector<View> ViewsOf(const std::vector<PlannedPlace>& places) const {
    std::vector<View> views;
    for (const RuleBase base : {RuleBase::kAbsolute, RuleBase::kRoot, RuleBase::kHome}) {
      for (const Base& folder : rules_.matcher_.BasesOf(base))
        views.push_back(ViewOf(places, folder));
    }
    return views;
  }

  // True if `name`, below `base`, is at, in or above one of the places. Letter case is ignored, as
  // in every deny rule.
  bool IsNear(const Base& base, std::string_view name) {
    const View& view = *std::ranges::find(views_, &base, &View::base);
    if (view.is_inside) return true;
    const auto begins_alike = [name](const std::string& place) { return BeginsAlike(name, place); };
    if (std::ranges::none_of(view.below, begins_alike)) return false;
    const std::string folded = FoldName(name);
    return std::ranges::any_of(view.below, [&](const std::string& place) {
      return Covers(place, folded) || Covers(folded, place);
    });
  }

  // Adds the name as written, and as its fixed part resolves through links.
  void AddName(const NameSource& name) {
    if (name.is_anywhere) return names_.Refuse(NameOf(name), name.name_bits);
    const TailParts tail = SplitTail({.tail = name.tail, .has_pattern = name.has_pattern});
    if (IsNear(name.base, tail.fixed)) names_.Refuse(NameOf(name), name.name_bits);
    if (name.may_lead) AddLed(name);
  }

  void AddLed(const NameSource& name) {
    const TailParts tail = SplitTail({.tail = name.tail, .has_pattern = name.has_pattern});
    const Result<bool> has_link = rules_.files_.HasLinkBelow(*name.base.folder, tail.fixed);
    if (has_link && !*has_link) return;
    const Path plain = name.base.path.Child(tail.fixed);
    const Walked walked = Walk(plain.text(), rules_.files_);
    if (walked.stop == Walked::Stop::kUnreadable) return AddClosed(walked, name.why);
    if (walked.stop != Walked::Stop::kEnd || walked.end == plain) return;
    for (const Path& link : PassedBy(walked)) {
      if (!IsNear(rules_.Slash(), std::string_view(link.text()).substr(1))) continue;
      names_.HoldInPlace(link,
                         "the link leads to what may not be written: " + std::string(name.why));
    }
    if (!IsNear(rules_.Slash(), std::string_view(walked.end.text()).substr(1))) return;
    GuardedName led = NameOf(name);
    led.base = walked.end.text();
    led.tail = tail.pattern;
    if (name.spares_root && tail.pattern.empty()) {
      const std::optional<std::string_view> root = rules_.places_.root_real.Below(walked.end);
      if (root && root->empty()) return;
      if (root && root->find_first_of("\n*") == std::string_view::npos) {
        led.except += std::string(*root) + "\n";
      }
    }
    names_.Refuse(led);
  }

  // Refuses the directory that stopped the walk, if the user owns it: an earlier command may have
  // closed it (chmod 0), and this one could open it again.
  void AddClosed(const Walked& walked, std::string_view why) {
    for (Path folder = walked.end.Parent(); !folder.is_root(); folder = folder.Parent()) {
      const Result<FileFacts> facts = rules_.files_.Look(folder);
      if (!facts) continue;
      if (facts->owner == rules_.places_.user && IsNear(rules_.Slash(), folder.text().substr(1))) {
        names_.Refuse(
            {.base = folder.text(),
             .why = std::string(why) + " may lead there, and its content cannot be checked"});
      }
      return;
    }
  }

  // A file that runs later can be a link in the project or the home; it is followed as for tools.
  void AddLedFromTop(const SetEntry& entry, std::string_view why) {
    const std::optional<SetEntry> top = AtTop(entry);
    if (!top) return;
    for (const RuleBase base : {RuleBase::kRoot, RuleBase::kHome}) {
      for (const Base& folder : rules_.matcher_.BasesOf(base)) {
        AddLed({.base = folder, .tail = top->tail, .spares_root = true, .why = why});
      }
    }
  }

  void AddNameRules(const PathRuleList& rules, std::string_view did) {
    for (const std::span<const PathRule> list : rules) {
      for (const PathRule& rule : list) {
        const std::string why = std::string(did) + " " + rules_.TextOf(rule);
        if (rule.set == SetName::kRunsLater) names_.GuardBareRepositories(why);
        rules_.VisitEntries(rule, Access::kWrite, [&](const Entry& e) {
          const bool runs_later = rule.set == SetName::kRunsLater;
          const bool may_lead = rule.set == SetName::kNone || rules_.matcher_.MayLead(e.entry);
          if (runs_later && may_lead) AddLedFromTop(e.entry, why);
          AddName({.base = *e.base,
                   .tail = e.entry.tail,
                   .has_pattern = e.entry.has_pattern,
                   .is_anywhere = e.is_anywhere(),
                   .except = e.entry.except,
                   .unless_new = e.entry.not_in_stores || (runs_later && IsGitsOwn(e.entry)),
                   .comes_whole = runs_later && IsSavedByGit(e.entry),
                   .not_in_stores = e.entry.not_in_stores,
                   .holds_root = e.entry.holds_root,
                   .spares_root = runs_later,
                   .may_lead = may_lead,
                   .name_bits = e.entry.name_bits,
                   .why = why});
        });
      }
    }
  }

  // Guards these files too, since they are as dangerous as the configuration that names them.
  void AddGitTargets() {
    const Result<std::vector<GitTarget>> targets =
        FindGitTargets({.root = rules_.places_.root_real,
                        .homes = rules_.places_.homes_real,
                        .environment = rules_.command_.environment},
                       rules_.files_);
    if (!targets) return rules_.files_.Fail(targets.error());
    for (const GitTarget& target : *targets) {
      if (!target.in_tree.empty()) AddInAnyTree(target);
      if (target.path.empty()) continue;
      const Walked walked = Walk(target.path, rules_.files_);
      std::vector<Path> paths = {Path::Clean(target.path)};
      if (walked.stop == Walked::Stop::kEnd && walked.end != paths[0]) paths.push_back(walked.end);
      for (const Path& path : paths) {
        if (rules_.places_.root_real.IsInside(path)) {
          rules_.notes_.push_back(
              target.why + ": it is the project or a directory above it, which stays writable");
          continue;
        }
        AddName({.base = rules_.Slash(),
                 .tail = std::string_view(path.text()).substr(1),
                 .why = target.why});
      }
    }
  }

  // A ".git" file makes any directory a work tree, and git then looks for the name there.
  void AddInAnyTree(const GitTarget& target) {
    GuardedName name{.base = "/",
                     .tail = std::string(kAnywhereMark) + EscapePattern(target.in_tree),
                     .has_pattern = true,
                     .is_anywhere = true,
                     .unless_new = true,
                     .not_in_stores = true,
                     .why = target.why};
    name.holds_root = MatchFolded(
        name.tail, FoldName(std::string_view(rules_.places_.root_real.text()).substr(1)));
    names_.Refuse(std::move(name));
  }

  PlanRules& rules_;
  const std::vector<View> views_;
  GuardedNames& names_;
};

void PlanRules::AddNames(const std::vector<PlannedPlace>& places, GuardedNames& names) {
  NameAdder(*this, places, names).Add();
}

// Returns false if the listing of a directory on the way lacks the name. For many names, this is
// cheaper than a walk.
bool PlanRules::MayExist(CachedFiles::Folder& base, std::string_view below) const {
  const Result<FileKind> kind = files_.KindBelow(base, below);
  return !kind || *kind != FileKind::kMissing;
}

std::vector<Path> PlanRules::SealedPaths(const GuardedNames& names) const {
  std::vector<Path> found;
  CachedFiles::Folder& root = files_.FolderOf(places_.root_real);
  for (const GuardedName& rule : names.rules()) {
    std::string_view tail = rule.tail;
    if (rule.is_anywhere) tail.remove_prefix(3);
    if (rule.has_pattern && HasPattern(tail)) continue;
    if (rule.is_anywhere && !MayExist(root, tail)) continue;
    const Path base = rule.is_anywhere ? places_.root_real : Path::Clean(rule.base);
    if (!rule.is_anywhere && !MayExist(files_.FolderOf(base), tail)) continue;
    const Walked walked = Walk(base.Child(tail).text(), files_);
    const bool is_there =
        walked.stop == Walked::Stop::kEnd && walked.facts.kind != FileKind::kMissing;
    if (is_there) found.push_back(walked.end);
  }
  return Outermost(std::move(found));
}

}  // namespace ringfence
