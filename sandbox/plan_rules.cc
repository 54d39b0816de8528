#include "sandbox/plan_rules.h"

#include <algorithm>

#include "base/case_fold.h"
#include "base/text.h"
#include "policy/entry_match.h"
#include "policy/pattern.h"
#include "policy/protected.h"
#include "policy/resolve.h"

namespace ringfence {
namespace {

using Kind = PlannedPlace::Kind;

// `"docs/adr" (policy.json:6 /write/deny)`
std::string RuleText(const PathRule& rule) {
  const RulePlace place = rule.place();
  std::string text = rule.is_quotable() ? Quote(rule.written()) : "a rule of the project's policy";
  text += " (" + Printable(place.file);
  if (place.line != 0) text += ":" + std::to_string(place.line);
  return text + " " + Printable(place.pointer) + ")";
}

bool IsBelowFile(const Walked& walked) {
  return walked.facts.kind == FileKind::kMissing &&
         std::ranges::any_of(walked.steps, [](const WalkStep& step) {
           return step.kind != FileKind::kMissing && step.kind != FileKind::kDirectory &&
                  step.kind != FileKind::kLink;
         });
}

bool IsGitsOwn(const PathRule& rule, std::string_view tail) {
  const bool is_gits =
      tail.starts_with("**/.git/") || tail == "**/commondir" || tail == "**/config.worktree";
  return rule.set == SetName::kRunsLater && is_gits && !tail.ends_with("hooks");
}

}  // namespace

PlanRules::PlanRules(const Policy& policy, const Places& places, const CachedFiles& files,
                     const std::string& session)
    : policy_(policy), places_(places), files_(files), matcher_(policy, places, session, files) {}

const PlanRules::Base& PlanRules::Slash() const {
  return matcher_.BasesOf(RuleBase::kAbsolute).front();
}

void PlanRules::ExpandRule(const PathRule& rule, Access access, std::vector<Entry>& entries) const {
  matcher_.ForEach(rule, access, [&](const SetEntry& entry) {
    if (entry.base == RuleBase::kAnywhere) entries.push_back({&rule, entry, &Slash()});
    for (const Base& base : matcher_.BasesOf(entry.base)) entries.push_back({&rule, entry, &base});
    return false;
  });
}

std::vector<PlanRules::Entry> PlanRules::Expand(const PathRuleList& rules, Access access) const {
  std::vector<Entry> entries;
  for (const std::span<const PathRule> list : rules) {
    for (const PathRule& rule : list) ExpandRule(rule, access, entries);
  }
  return entries;
}

// An allow list also holds what is asked about. Nobody answers a command, so that allows nothing.
std::vector<PlanRules::Entry> PlanRules::ExpandAllow(const PathRuleList& rules,
                                                     Access access) const {
  const PathRuleList& asks = access == Access::kRead ? policy_.read.ask : policy_.write.ask;
  std::vector<Entry> entries = Expand(rules, access);
  std::erase_if(entries, [&asks](const Entry& e) {
    return std::ranges::any_of(asks, [&e](std::span<const PathRule> list) {
      return std::ranges::any_of(list, [&e](const PathRule& rule) { return &rule == e.rule; });
    });
  });
  return entries;
}

// --- names ---

GuardedName PlanRules::NameOf(const NameSource& name) {
  return {.base = name.base.path.text(),
          .tail = std::string(name.tail),
          .has_pattern = name.has_pattern,
          .is_anywhere = name.is_anywhere,
          .except = std::string(name.except),
          .unless_new = name.unless_new,
          .why = std::string(name.why)};
}

PlanRules::View PlanRules::ViewOf(const std::vector<PlannedPlace>& places, const Base& base) {
  View view{.base = &base};
  const Path folded = Path::Clean(FoldName(base.path.text()));
  for (const PlannedPlace& place : places) {
    const Path other = Path::Clean(FoldName(place.path.text()));
    view.is_inside = view.is_inside || folded.IsInside(other);
    if (const auto below = other.Below(folded)) view.below.emplace_back(*below);
  }
  return view;
}

std::vector<PlanRules::View> PlanRules::ViewsOf(const std::vector<PlannedPlace>& places) const {
  std::vector<View> views;
  for (const RuleBase base : {RuleBase::kAbsolute, RuleBase::kRoot, RuleBase::kHome}) {
    for (const Base& folder : matcher_.BasesOf(base)) views.push_back(ViewOf(places, folder));
  }
  return views;
}

// The name, below the folder, lies at, in or above one of the places. Letter case is forgiven, as
// in every deny.
bool PlanRules::IsNear(const std::vector<View>& views, const Base& base, std::string_view name) {
  const View& view = *std::ranges::find(views, &base, &View::base);
  if (view.is_inside) return true;
  const std::string folded = FoldName(name);
  return std::ranges::any_of(view.below, [&](const std::string& place) {
    return Covers(place, folded) || Covers(folded, place);
  });
}

// As it is written, and where its fixed part leads through links.
void PlanRules::AddName(const NameSource& name, const std::vector<View>& views,
                        GuardedNames& names) const {
  if (name.is_anywhere) return names.Refuse(NameOf(name));
  const TailParts tail = SplitTail({.tail = name.tail, .has_pattern = name.has_pattern});
  if (IsNear(views, name.base, tail.fixed)) names.Refuse(NameOf(name));
  const Result<bool> has_link = files_.HasLinkBelow(*name.base.folder, tail.fixed);
  if (has_link && !*has_link) return;
  const Path plain = name.base.path.Child(tail.fixed);
  const Walked walked = Walk(plain.text(), files_);
  if (walked.stop != Walked::Stop::kEnd || walked.end == plain) return;
  if (!IsNear(views, Slash(), std::string_view(walked.end.text()).substr(1))) return;
  GuardedName led = NameOf(name);
  led.base = walked.end.text();
  led.tail = tail.pattern;
  names.Refuse(led);
}

void PlanRules::AddNameRules(const PathRuleList& rules, std::string_view did,
                             const std::vector<View>& views, GuardedNames& names) const {
  for (const std::span<const PathRule> list : rules) {
    for (const PathRule& rule : list) {
      const std::string why = std::string(did) + " " + RuleText(rule);
      if (rule.set == SetName::kRunsLater) names.GuardBareRepositories(why);
      std::vector<Entry> entries;
      ExpandRule(rule, Access::kWrite, entries);
      for (const Entry& e : entries) {
        AddName({.base = *e.base,
                 .tail = e.entry.tail,
                 .has_pattern = e.entry.has_pattern,
                 .is_anywhere = e.is_anywhere(),
                 .except = e.entry.except,
                 .unless_new = IsGitsOwn(rule, e.entry.tail),
                 .why = why},
                views, names);
      }
    }
  }
}

void PlanRules::AddNames(const PathRules& write, const std::vector<PlannedPlace>& near,
                         GuardedNames& names) const {
  const std::vector<View> views = ViewsOf(near);
  for (const ProtectedName& name : ProtectedNames(places_, files_)) {
    const std::string why = "it is " + std::string(name.what);
    AddName({.base = Slash(),
             .tail = std::string_view(name.pattern).substr(name.anywhere ? 0 : 1),
             .has_pattern = name.has_pattern,
             .is_anywhere = name.anywhere,
             .why = why},
            views, names);
  }
  AddNameRules(write.deny, "denied by", views, names);
  AddNameRules(write.ask, "to be asked about by", views, names);
}

// Says no where the listing of a folder on the way says so; cheaper than a walk for many names.
bool PlanRules::MayExist(const Base& base, std::string_view below) const {
  CachedFiles::Folder* folder = base.folder;
  Path path = base.path;
  for (;;) {
    const std::string_view name = TakeComponent(below);
    if (name.empty()) return true;
    const Result<FileKind> kind = files_.ChildKind(*folder, name);
    if (!kind || *kind == FileKind::kLink) return true;
    if (*kind == FileKind::kMissing) return false;
    if (below.empty()) return true;
    path = path.Child(name);
    folder = &files_.FolderOf(path);
  }
}

std::vector<Path> PlanRules::SealedPaths(const GuardedNames& names) const {
  std::vector<Path> found;
  for (const GuardedName& rule : names.rules()) {
    std::string_view tail = rule.tail;
    if (rule.is_anywhere) tail.remove_prefix(3);
    if (rule.has_pattern && HasPattern(tail)) continue;
    const Path base = rule.is_anywhere ? places_.root_real : Path::Clean(rule.base);
    if (!MayExist({base, &files_.FolderOf(base)}, tail)) continue;
    const Walked walked = Walk(base.Child(tail).text(), files_);
    const bool is_there =
        walked.stop == Walked::Stop::kEnd && walked.facts.kind != FileKind::kMissing;
    if (is_there) found.push_back(walked.end);
  }
  std::ranges::sort(found);
  std::vector<Path> outermost;
  for (Path& path : found) {
    const bool is_covered =
        std::ranges::any_of(outermost, [&](const Path& other) { return path.IsInside(other); });
    if (!is_covered) outermost.push_back(std::move(path));
  }
  return outermost;
}

// --- what is allowed ---

std::vector<PlanRules::Candidate> PlanRules::Candidates(const PathRuleList& rules,
                                                        Access access) const {
  std::vector<Candidate> candidates;
  for (const Entry& e : ExpandAllow(rules, access)) {
    const EntryPrefix prefix = e.FixedPrefix();
    Walked walked = Walk(prefix.path.text(), files_);
    if (walked.stop != Walked::Stop::kEnd) continue;  // nothing is found there
    if (IsBelowFile(walked)) continue;                // nothing can be made there
    Candidate candidate{.path = std::move(walked.end),
                        .kind = walked.facts.kind,
                        .is_pattern = !prefix.rest.empty(),
                        .set = e.rule->set,
                        .why = RuleText(*e.rule)};
    // A pattern says nothing about where a link leads.
    if (candidate.is_pattern && candidate.path != prefix.path) continue;
    // What the project does not have yet may become a file or a folder: it is made where it
    // belongs, by its name, as a pattern's files are.
    const bool is_new = candidate.kind == FileKind::kMissing && access == Access::kWrite;
    const bool is_root = candidate.path == places_.root_real;
    if (is_new && !is_root && e.entry.base == RuleBase::kRoot) UseParent(candidate);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

// The nearest folder above that is there, of which only a part is meant.
void PlanRules::UseParent(Candidate& candidate) const {
  while (candidate.kind == FileKind::kMissing && candidate.path != places_.root_real &&
         !candidate.path.is_root()) {
    candidate.path = candidate.path.Parent();
    const Result<FileFacts> facts = files_.Look(candidate.path);
    if (facts) candidate.kind = facts->kind;
  }
  candidate.is_pattern = true;
}

std::vector<PlanRules::Candidate> PlanRules::InEveryList(const std::vector<PathRuleList>& allow,
                                                         Access access) const {
  std::vector<Candidate> all;
  bool is_first = true;
  for (const PathRuleList& list : allow) {
    std::vector<Candidate> own = Candidates(list, access);
    if (is_first) {
      all = std::move(own);
      is_first = false;
      continue;
    }
    std::vector<Candidate> both;
    for (const Candidate& one : all) {
      for (const Candidate& other : own) {
        const bool is_narrower = one.path.IsInside(other.path);
        if (!is_narrower && !other.path.IsInside(one.path)) continue;
        Candidate narrow = is_narrower ? one : other;
        narrow.is_pattern = one.is_pattern || other.is_pattern;
        both.push_back(std::move(narrow));
      }
    }
    all = std::move(both);
  }
  return all;
}

std::vector<PlannedPlace> PlanRules::PlacesOf(const std::vector<PathRuleList>& allow,
                                              Access access) const {
  std::vector<PlannedPlace> places;
  for (Candidate& candidate : InEveryList(allow, access)) {
    RulePlace missing;
    if (!candidate.is_pattern && !matcher_.Allows(allow, access, candidate.path, &missing)) {
      continue;
    }
    const bool is_missing = candidate.kind == FileKind::kMissing;
    if (is_missing && candidate.set != SetName::kNone) continue;
    if (candidate.path.IsInside(Path::Clean("/proc"))) continue;
    const bool is_directory = is_missing || candidate.kind == FileKind::kDirectory;
    places.push_back({.path = std::move(candidate.path),
                      .kind = is_directory ? Kind::kDirectory : Kind::kFile,
                      .make = is_missing,
                      .is_part = candidate.is_pattern,
                      .set = candidate.set,
                      .why = std::move(candidate.why)});
  }
  std::ranges::sort(places, {}, &PlannedPlace::path);
  // Of two that are the same, the one that is meant as a whole.
  std::ranges::stable_sort(
      places, {}, [](const PlannedPlace& place) { return std::pair(place.path, place.is_part); });
  const auto same_path = [](const PlannedPlace& one, const PlannedPlace& other) {
    return one.path == other.path;
  };
  places.erase(std::unique(places.begin(), places.end(), same_path), places.end());
  return places;
}

std::vector<PlannedPlace> PlanRules::WritablePlaces(const PathRules& write) const {
  return PlacesOf(write.allow, Access::kWrite);
}

std::vector<PlannedPlace> PlanRules::ReadablePlaces(const PathRules& read) const {
  return PlacesOf(read.allow, Access::kRead);
}

bool PlanRules::RefusesReading(const PathRules& read, const Path& place) const {
  return matcher_.MatchesName(read.deny, Access::kRead, place) ||
         matcher_.MatchesName(read.ask, Access::kRead, place);
}

void PlanRules::AllowOnly(const PathRules& write, const std::vector<GuardedName>& others,
                          GuardedNames& names) const {
  for (const PathRuleList& list : write.allow) {
    std::vector<GuardedName> allowed;
    for (const Entry& e : ExpandAllow(list, Access::kWrite)) {
      const EntryPrefix prefix = e.FixedPrefix();
      const Walked walked = Walk(prefix.path.text(), files_);
      if (walked.stop != Walked::Stop::kEnd) continue;
      RulePlace missing;
      const bool by_link = walked.end != prefix.path;
      const bool counts =
          prefix.rest.empty() && matcher_.Allows({list}, Access::kWrite, walked.end, &missing);
      if (by_link && !counts) continue;
      allowed.push_back({.base = walked.end.text(),
                         .tail = std::string(prefix.rest),
                         .has_pattern = !prefix.rest.empty()});
    }
    allowed.insert(allowed.end(), others.begin(), others.end());
    names.AllowOnly(std::move(allowed));
  }
}

}  // namespace ringfence
