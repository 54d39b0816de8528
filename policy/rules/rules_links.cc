// The part of RuleMatcher that follows links in the paths of rules.
#include <algorithm>
#include <cerrno>

#include "base/case_fold.h"
#include "policy/agent.h"
#include "policy/rules/entry_match.h"
#include "policy/rules/pattern.h"
#include "policy/rules/rules.h"

namespace ringfence {
std::span<const RuleMatcher::Base> RuleMatcher::BasesOf(RuleBase base) const {
  if (base == RuleBase::kRoot) return {&root_, 1};
  if (base == RuleBase::kAbsolute) return {&slash_, 1};
  if (base == RuleBase::kHome) return homes_;
  return {};  // anywhere
}

std::span<const RuleMatcher::Base> RuleMatcher::AllowBasesOf(RuleBase base,
                                                             TildeHomes homes) const {
  if (base != RuleBase::kHome || homes == TildeHomes::kEvery) return BasesOf(base);
  return allow_homes_;
}

class RuleMatcher::Guard final : public NameGuard {
 public:
  explicit Guard(const RuleMatcher& matcher) : matcher_(matcher) {}
  bool Refuses(const Path& path) const override { return matcher_.IsUntouchable(path); }

 private:
  const RuleMatcher& matcher_;
};

// Returns where the entry's own path leads from `base`; nothing if no link is on the way, an error
// if the path cannot be checked.
Result<std::optional<RuleMatcher::LinkEnd>> RuleMatcher::FollowLinks(const SetEntry& entry,
                                                                     const Base& base) const {
  const Result<bool> has_link = HasLink(entry, base);
  if (!has_link) return has_link.error();
  if (!*has_link) return std::optional<LinkEnd>();
  const EntryPrefix prefix = FixedPrefix(entry, base.path);
  const Guard guard(*this);
  Walked walked = Walk(prefix.path.text(), files_, &guard);
  if (walked.error) return *walked.error;
  const bool guessed = walked.stop == Walked::Stop::kRefused;
  if (guessed) walked.end = Path::Clean(walked.end.text() + "/" + walked.rest);
  if (!guessed && walked.stop != Walked::Stop::kEnd) return std::optional<LinkEnd>();  // nowhere
  return std::optional<LinkEnd>(LinkEnd{std::move(walked), prefix.rest, guessed});
}

// On macOS, a directory that is refused by name is not opened, not even to find a rule's own links.
bool RuleMatcher::IsUntouchable(const Path& folder) const {
  if (!places_.macos_names) return false;
  // Hundreds of rules share a few directories.
  const auto known = std::ranges::find(untouchable_, folder, &Untouchable::folder);
  if (known != untouchable_.end()) return known->is_so;
  const RuleHit hit = MatchesName(policy_.read.deny, Access::kRead, folder, PathRole::kAncestor);
  untouchable_.push_back({folder, static_cast<bool>(hit)});
  return static_cast<bool>(hit);
}

Result<bool> RuleMatcher::HasLink(const SetEntry& entry, const Base& base) const {
  if (!entry.has_pattern && !places_.macos_names) {
    return files_.HasLinkBelow(*base.folder, entry.tail);
  }
  Path folder = base.path;
  std::string_view rest = entry.tail;
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    if ((entry.has_pattern && HasPattern(name)) || IsUntouchable(folder)) return false;
    const Result<FileKind> kind = files_.ChildKind(files_.FolderOf(folder), name);
    if (!kind) return kind.error();
    if (*kind == FileKind::kLink) return true;
    if (*kind != FileKind::kDirectory) return false;
    folder = folder.Child(name);
  }
  return false;
}

bool RuleMatcher::MayBeWritten(const Path& path) const {
  const Subject subject(path, places_, false, TildeHomes::kGiven);
  const auto reaches = [&](const SetEntry& entry) {
    bool has_link = false;
    for (const Base& base : AllowBasesOf(entry.base)) {
      const Result<std::optional<LinkEnd>> led = FollowLinks(entry, base);
      if (!led) return true;  // it may lead anywhere
      if (!*led) continue;
      has_link = true;
      if (path.IsInside((*led)->walked.end)) return true;
    }
    return !has_link && MatchesExactly(entry, subject);
  };
  for (const PathRuleList& list : policy_.write.allow) {
    for (const std::span<const PathRule> rules : list) {
      const bool reached = std::ranges::any_of(
          rules, [&](const PathRule& rule) { return ForEach(rule, Access::kWrite, reaches); });
      if (reached) return true;
    }
  }
  return false;
}

bool RuleMatcher::AllowsThroughLinks(const SetEntry& entry, const Path& resolved,
                                     TildeHomes homes) const {
  const bool below_root = entry.base == RuleBase::kRoot;
  if (below_root && !resolved.IsInside(places_.root_real)) return false;
  return std::ranges::any_of(AllowBasesOf(entry.base, homes), [&](const Base& base) {
    const Result<std::optional<LinkEnd>> found = FollowLinks(entry, base);
    if (!found || !*found || (*found)->guessed) return false;
    const std::optional<LinkEnd>& led = *found;
    if (below_root && !led->walked.end.IsInside(places_.root_real)) return false;
    const std::optional<std::string_view> rest = resolved.Below(led->walked.end);
    if (!rest) return false;
    if (!led->rest.empty() && !MatchPattern(led->rest, *rest, {.covers = true})) return false;
    // An agent that may write in the link's directory could replace the link.
    return std::ranges::none_of(led->walked.links,
                                [&](const Path& link) { return MayBeWritten(link); });
  });
}

// True if the way to the entry's path ends at a directory that only its owner, another user, can
// open: this user cannot reach anything below. The user's own directory does not count, because the
// agent may have closed it.
bool RuleMatcher::IsOthers(const SetEntry& entry, const Path& base) const {
  Path folder = base;
  std::string_view rest = entry.tail;
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    const Path child = folder.Child(name);
    const Result<FileFacts> facts = files_.Look(child);
    if (!facts) {
      const Result<FileFacts> closed = files_.Look(folder);
      return facts.error().code == EACCES && closed && closed->owner != places_.user;
    }
    if (facts->kind != FileKind::kDirectory) return false;
    folder = child;
  }
  return false;
}

// True if the path of the entry leads to `resolved` or a directory above it.
bool RuleMatcher::LeadsTo(const PathRule& rule, const SetEntry& entry, const Base& base,
                          const Path& resolved) const {
  const Result<std::optional<LinkEnd>> found = FollowLinks(entry, base);
  // Fail if a rule of the policy, or an entry of a set in the project, cannot be followed.
  // Elsewhere, sets often name paths that belong to other users.
  const bool is_ours = rule.set == SetName::kNone || base.path == places_.root_real;
  if (!found && is_ours && !IsOthers(entry, base.path)) files_.Fail(found.error());
  if (!found || !*found || (*found)->walked.end.is_root()) return false;
  const std::optional<LinkEnd>& led = *found;
  const std::string end = FoldName(led->walked.end.text());
  const std::string folded = FoldName(resolved.text());
  if (!Covers(end, folded)) return false;
  const std::string_view rest =
      std::string_view(folded).substr(std::min(end.size() + 1, folded.size()));
  // The project itself, if a name such as ~/.config/nvim leads to it.
  const bool spares_root = rule.set == SetName::kRunsLater && led->rest.empty() &&
                           places_.root_real.IsInside(led->walked.end) &&
                           resolved.IsInside(places_.root_real);
  if (spares_root || IsException(entry.except, rest)) return false;
  return led->rest.empty() || MatchFolded(led->rest, rest);
}

// Lists the directories in which the sets have many names.
const RuleMatcher::TopNames& RuleMatcher::NamesAtTop() const {
  if (top_names_) return *top_names_;
  NameFilter any;
  any.AddAll();
  top_names_.emplace();
  top_names_->root.fill(any);
  top_names_->root[0] = files_.NamesIn(*root_.folder, "");
  for (const Base& home : homes_) {
    auto& names = top_names_->homes.emplace_back();
    names.fill(any);
    for (size_t i = 0; i < kListedFolders.size(); ++i) {
      names[i] = files_.NamesIn(*home.folder, kListedFolders[i]);
    }
  }
  return *top_names_;
}

bool RuleMatcher::MayLead(const SetEntry& entry) const {
  if (places_.macos_names || entry.base == RuleBase::kAbsolute) return true;
  const auto may_have = [&entry](const ListedNames& names) {
    return names[entry.listed_in].MayHave(entry.listed_name);
  };
  const TopNames& names = NamesAtTop();
  if (entry.base == RuleBase::kAnywhere && may_have(names.root)) return true;
  return std::ranges::any_of(names.homes, may_have);
}

RuleHit RuleMatcher::MatchesThroughLinks(const PathRuleList& rules, Access access,
                                         const Path& resolved) const {
  if (access == Access::kWrite) {
    const std::string_view folder = places_.agent->state.folder;  // Agent::runs_later
    for (const Base& home : homes_) files_.ExpectMany(home.path.Child(folder));
  }
  const auto leads_from = [&](const PathRule& rule, const SetEntry& entry,
                              std::span<const Base> bases) {
    return std::ranges::any_of(
        bases, [&](const Base& base) { return LeadsTo(rule, entry, base, resolved); });
  };
  const auto has_link = [&](const PathRule& rule) {  // nearly no rule has one
    if (rule.set != SetName::kNone || rule.has_pattern || places_.macos_names) return true;
    return std::ranges::any_of(BasesOf(rule.base), [&](const Base& base) {
      const Result<bool> found = files_.HasLinkBelow(*base.folder, rule.tail);
      return !found || *found;
    });
  };
  const auto holds = [&](const PathRule& rule, const SetEntry& entry) {
    // An entry of @runs-later may be a link in the project or the home (~/.claude ->
    // dotfiles/claude). Links further down are not checked.
    const bool floats = entry.base == RuleBase::kAnywhere && rule.set == SetName::kRunsLater;
    // The system's own files are not links into a user's project.
    if (rule.set != SetName::kNone && entry.base != RuleBase::kHome && !floats) return false;
    if (rule.set != SetName::kNone && !MayLead(entry)) return false;
    if (floats) {
      const std::optional<SetEntry> top = AtTop(entry);
      return top && (leads_from(rule, *top, {&root_, 1}) || leads_from(rule, *top, homes_));
    }
    return leads_from(rule, entry, BasesOf(entry.base));
  };
  return FirstHit(rules, access, holds, has_link);
}

}  // namespace ringfence
