#include "sandbox/guarded_names.h"

#include <algorithm>

#include "base/case_fold.h"
#include "base/name_bits.h"
#include "policy/rules/entry_match.h"
#include "policy/rules/pattern.h"
#include "policy/rules/word_list.h"

namespace ringfence {
namespace {

// Returns the part of `path` below `base`. Both are folded, or neither is.
std::optional<std::string_view> Below(std::string_view base, std::string_view path) {
  if (base == "/") return path.substr(1);
  if (!Covers(base, path)) return {};
  return path.substr(std::min(base.size() + 1, path.size()));
}

bool IsLeftOut(const GuardedName& rule, std::string_view rest) {
  if (rule.except.empty() || rest.size() <= FoldName(rule.tail).size()) return false;
  rest.remove_prefix(FoldName(rule.tail).size());
  return IsException(WordList(rule.except), rest);
}

// True if the rule's outcome depends on what is at the name.
bool IsConditional(const GuardedName& rule) { return rule.unless_new || rule.comes_whole; }

bool Allows(const GuardedName& rule, std::string_view path) {
  const auto rest = Below(rule.base, path);
  if (!rest) return false;
  if (!rule.has_pattern) return Covers(rule.tail, *rest);
  // "a/**" covers the contents of the directory, not the directory itself.
  return !rest->empty() && MatchPattern(rule.tail, *rest, {.covers = true});
}

std::vector<std::string_view> ComponentsOf(std::string_view path) {
  std::vector<std::string_view> all;
  for (std::string_view name = TakeComponent(path); !name.empty(); name = TakeComponent(path)) {
    all.push_back(name);
  }
  return all;
}

enum class From : uint8_t { kFirstName, kAnyName };

// True if the names of `path`, starting at the first or at any name, match the beginning of
// `pattern` and more must follow. Patterns also come from inside the sandbox, so matching must be
// fast: `next` marks each component of the pattern that can match next.
bool Begins(std::string_view path, std::string_view pattern, From from) {
  const std::vector<std::string_view> parts = ComponentsOf(pattern);
  std::vector<bool> next(parts.size() + 1);
  const auto skip_any_depth = [&parts](std::vector<bool>& states) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (states[i] && parts[i] == "**") states[i + 1] = true;
    }
  };
  next[0] = true;
  skip_any_depth(next);
  for (const std::string_view name : ComponentsOf(path)) {
    if (from == From::kAnyName) next[0] = true;
    skip_any_depth(next);
    std::vector<bool> after(next.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!next[i]) continue;
      if (parts[i] == "**") {
        after[i] = true;
      } else if (MatchPattern(FoldName(parts[i]), name, {.fold = true})) {
        after[i + 1] = true;
      }
    }
    skip_any_depth(after);
    next = std::move(after);
  }
  next.pop_back();
  return std::ranges::find(next, true) != next.end();
}

// Returns what remains of `base`/`tail` after the first `count` names.
std::string RestAfter(std::string_view base, std::string_view tail, size_t count) {
  std::string text = std::string(base) + "/" + std::string(tail);
  std::string_view rest = text;
  for (; count > 0; --count) TakeComponent(rest);
  rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
  return std::string(rest.substr(0, rest.find_last_not_of('/') + 1));
}

// True for a name in a repository through which git runs programs, wherever the repository is.
bool IsOfGit(const GuardedName& rule) {
  return rule.is_anywhere && (rule.tail.starts_with("**/.git/") || rule.tail == "**/commondir" ||
                              rule.tail == "**/config.worktree");
}

size_t CountComponents(std::string_view path) { return ComponentsOf(path).size(); }

}  // namespace

std::string GuardedName::text() const {
  if (is_anywhere) return tail;
  if (tail.empty()) return base;
  return base == "/" ? base + tail : base + "/" + tail;
}

void GuardedNames::Refuse(GuardedName rule, uint64_t name_bits) {
  if (rules_.empty()) ReserveUsual();
  if (2 * (rules_.size() + 1) > slots_.size()) Rehash();
  uint32_t& slot = SlotOf(rule);
  if (slot != kNoRule) return;
  slot = static_cast<uint32_t>(rules_.size());
  bases_.push_back(FoldName(rule.base));
  name_bits_.push_back(name_bits != 0 ? name_bits : NameBitsNeededBy(rule.tail));
  rules_.push_back(std::move(rule));
}

// Returns the slot of an equal rule, or the empty slot for this rule. At least one slot is always
// empty.
uint32_t& GuardedNames::SlotOf(const GuardedName& rule) {
  NameHash hash;
  for (const char c : rule.base) hash.Add(c);
  for (const char c : rule.tail) hash.Add(c);
  size_t at = hash.Top(31) % slots_.size();
  while (slots_[at] != kNoRule && rules_[slots_[at]] != rule) at = (at + 1) % slots_.size();
  return slots_[at];
}

void GuardedNames::Rehash() {
  slots_.assign(std::max(2 * kUsualRules, 4 * rules_.size()), kNoRule);
  for (size_t i = 0; i < rules_.size(); ++i) SlotOf(rules_[i]) = static_cast<uint32_t>(i);
}

// Avoids reallocation for most plans.
void GuardedNames::ReserveUsual() {
  rules_.reserve(kUsualRules);
  bases_.reserve(kUsualRules);
  name_bits_.reserve(kUsualRules);
}

void GuardedNames::Forget(const Path& path) {
  for (size_t i = rules_.size(); i-- > 0;) {
    if (rules_[i].is_anywhere || rules_[i].text() != path.text()) continue;
    rules_.erase(rules_.begin() + static_cast<ptrdiff_t>(i));
    bases_.erase(bases_.begin() + static_cast<ptrdiff_t>(i));
    name_bits_.erase(name_bits_.begin() + static_cast<ptrdiff_t>(i));
    slots_.clear();  // the indexes have changed
  }
}

bool GuardedNames::Matches(const GuardedName& rule, std::string_view base,
                           std::string_view folded) {
  const auto rest = Below(base, folded);
  if (!rest) return false;
  if (rule.has_pattern) return MatchFoldedUnless(WordList(rule.except), rule.tail, *rest);
  return CoversFolded(rule.tail, *rest) && !IsLeftOut(rule, *rest);
}

class GuardedNames::Subject {
 public:
  Subject(const GuardedNames& names, std::string_view path)
      : whole_(FoldName(path)),
        store_(FoldName(OutsideFolders(path, names.stores_, names.root_.text()))),
        root_(FoldName(names.root_.text())),
        name_bits_(NameBitsOf(std::string_view(whole_).substr(1))) {}

  const std::string& whole() const { return whole_; }
  uint64_t name_bits() const { return name_bits_; }

  std::string_view For(const GuardedName& rule) const {
    const std::string_view text = rule.not_in_stores ? store_ : whole_;
    if (!rule.holds_root || !Covers(root_, text)) return text;
    return text.size() == root_.size() ? "/" : text.substr(root_.size());
  }

 private:
  std::string whole_;
  std::string store_;
  std::string root_;
  uint64_t name_bits_;
};

bool GuardedNames::IsExempt(std::string_view path) const {
  const auto covers = [&](const Path& folder) { return Covers(folder.text(), path); };
  const bool is_exempt =
      std::ranges::any_of(exempt_, covers) && std::ranges::none_of(kept_, covers);
  return is_exempt || IsIn(copies_, path);
}

bool GuardedNames::IsOwn(std::string_view path) const { return IsIn(own_, path); }

// True if `path` is in one of `folders` but not in a host place inside it.
bool GuardedNames::IsIn(const std::vector<Path>& folders, std::string_view path) const {
  const auto covers = [&](const Path& folder) { return Covers(folder.text(), path); };
  const auto is_kept = [&](const Path& folder) {
    return std::ranges::any_of(
        kept_, [&](const Path& kept) { return kept.IsInside(folder) && covers(kept); });
  };
  return std::ranges::any_of(
      folders, [&](const Path& folder) { return covers(folder) && !is_kept(folder); });
}

const GuardedName& NotAllowedRule() {
  static const GuardedName rule{.why = "not in the list of what is allowed"};
  return rule;
}

// Returns what must exist below the path for the rule to be broken, "" if the name decides, or
// nothing if the rule does not continue below it.
std::optional<std::string> GuardedNames::GoesOnBelow(const GuardedName& rule, std::string_view base,
                                                     std::string_view folded) {
  if (rule.is_anywhere) {
    const std::string_view pattern = std::string_view(rule.tail).substr(kAnywhereMark.size());
    if (pattern.find('/') == std::string_view::npos) return {};  // a single name
    if (!ComponentsOf(folded).empty() && Begins(folded, pattern, From::kAnyName)) return "";
    return {};
  }
  if (base != folded && Below(folded, base)) {
    return RestAfter(rule.base, rule.has_pattern ? "" : rule.tail, CountComponents(folded));
  }
  const auto below = Below(base, folded);
  if (!below) return {};
  if (rule.has_pattern) {
    if (Begins(*below, rule.tail, From::kFirstName)) return "";
    return {};
  }
  if (!Covers(*below, FoldName(rule.tail))) return {};
  return RestAfter("", rule.tail, CountComponents(*below));
}

// Mirrors RuleMatcher::MatchesOtherName().
bool GuardedNames::AppliesAt(const GuardedName& rule, const MountTable::Name& name) const {
  const std::string base = FoldName(rule.base);
  const auto matches = [&](const Path& path) {
    return Matches(rule, base, Subject(*this, path.text()).For(rule));
  };
  if (!name.mount.is_root() && matches(name.mount.Parent())) return false;
  return std::ranges::none_of(mounts_.OtherNames(root_),
                              [&](const MountTable::Name& other) { return matches(other.path); });
}

GuardedNames::Rules GuardedNames::AllElsewhere(std::string_view path) const {
  Rules all;
  if (!mounts_.has_twins()) return all;
  for (const MountTable::Name& name : mounts_.OtherNames(Path::Clean(path))) {
    const Subject subject(*this, name.path.text());
    for (size_t i = 0; i < rules_.size(); ++i) {
      const bool matches = Matches(rules_[i], bases_[i], subject.For(rules_[i]));
      if (matches && AppliesAt(rules_[i], name)) all.push_back(&rules_[i]);
    }
  }
  return all;
}

template <typename Allows>
std::vector<const GuardedName*> GuardedNames::AllUnless(std::string_view path,
                                                        Allows allows) const {
  if (IsExempt(path)) return {};
  const Subject subject(*this, path);
  const bool is_own = IsOwn(path);
  Rules conditional;  // unconditional rules take precedence
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (is_own && !IsOfGit(rules_[i])) continue;
    if (!HasNameBits(subject.name_bits(), name_bits_[i])) continue;
    if (!Matches(rules_[i], bases_[i], subject.For(rules_[i]))) continue;
    if (!IsConditional(rules_[i])) return {&rules_[i]};
    conditional.push_back(&rules_[i]);
  }
  for (const GuardedName* rule : AllElsewhere(path)) {
    if (!IsConditional(*rule)) return {rule};
    conditional.push_back(rule);
  }
  const auto lacks = [&](const auto& list) { return std::ranges::none_of(list, allows); };
  if (!is_own && std::ranges::any_of(allow_only_, lacks)) return {&NotAllowedRule()};
  return conditional;
}

std::vector<const GuardedName*> GuardedNames::AllThatRefuse(std::string_view path) const {
  return AllUnless(path, [&](const GuardedName& rule) { return Allows(rule, path); });
}

std::vector<const GuardedName*> GuardedNames::AllThatRefuseFolder(std::string_view path) const {
  return AllUnless(path, [&](const GuardedName& rule) {
    return Allows(rule, path) || GoesOnBelow(rule, FoldName(rule.base), FoldName(path));
  });
}

const GuardedName* GuardedNames::Refuses(std::string_view path) const {
  const std::vector<const GuardedName*> all = AllThatRefuse(path);
  return all.empty() ? nullptr : all.front();
}

void GuardedNames::HoldInPlace(const Path& path, std::string why) {
  if (std::ranges::find(held_, path.text(), &GuardedName::base) != held_.end()) return;
  held_.push_back({.base = path.text(), .why = std::move(why)});
}

template <typename Test>
const GuardedName* GuardedNames::FirstHeld(std::string_view path, Test test) const {
  if (held_.empty() || IsExempt(path)) return nullptr;
  for (const std::string& name : NamesOf(path)) {
    const std::string folded = FoldName(name);
    const auto at = std::ranges::find_if(
        held_, [&](const GuardedName& held) { return test(held.base, folded); });
    if (at != held_.end()) return &*at;
  }
  return nullptr;
}

const GuardedName* GuardedNames::Holds(std::string_view path) const {
  return FirstHeld(path, FoldsTo);
}

const GuardedName* GuardedNames::HoldsBelow(std::string_view path) const {
  return FirstHeld(path, [](const std::string& held, const std::string& folded) {
    return Below(folded, FoldName(held)).has_value();
  });
}

// Returns the path itself and its other names through mounts.
std::vector<std::string> GuardedNames::NamesOf(std::string_view path) const {
  std::vector<std::string> names{std::string(path)};
  if (!mounts_.has_twins()) return names;
  for (const MountTable::Name& name : mounts_.OtherNames(Path::Clean(path))) {
    names.push_back(name.path.text());
  }
  return names;
}

size_t GuardedNames::LevelsBelowMatch(const GuardedName& rule, std::string_view path) const {
  const std::string folded = FoldName(path);
  const size_t count = CountComponents(folded);
  if (count == 0) return 0;
  const size_t last = count - 1;
  if (!rule.is_anywhere) return last - std::min(last, CountComponents(rule.base));
  const std::string_view pattern = std::string_view(rule.tail).substr(kAnywhereMark.size());
  const bool is_below_root = rule.holds_root && Covers(FoldName(root_.text()), folded);
  std::string_view rest = folded;
  size_t passed = 0;
  for (; is_below_root && passed < CountComponents(root_.text()); ++passed) TakeComponent(rest);
  for (; passed <= last; ++passed) {
    rest.remove_prefix(rest.find_first_not_of('/'));
    if (MatchFolded(pattern, rest)) return last - passed;
    TakeComponent(rest);
  }
  return last;  // it matches through another name of the same directory
}

std::vector<GuardedNames::TreeHit> GuardedNames::RefusesTree(std::string_view path) const {
  if (const GuardedName* rule = Refuses(path)) return {{rule, ""}};
  static const GuardedName kAboveHost{.why = "it contains a directory of the host"};
  const auto is_above = [path](const Path& place) { return Covers(path, place.text()); };
  std::vector<TreeHit> hits;
  if (std::ranges::any_of(kept_, is_above)) return {{&kAboveHost, ""}};
  if (IsExempt(path)) return hits;
  const bool is_own = IsOwn(path);
  for (const std::string& name : NamesOf(path)) AddTreeHits(name, is_own, hits);
  return hits;
}

void GuardedNames::AddTreeHits(std::string_view path, bool is_own,
                               std::vector<TreeHit>& hits) const {
  const Subject subject(*this, path);
  const std::string& folded = subject.whole();
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (is_own && !IsOfGit(rules_[i])) continue;
    const auto rest = GoesOnBelow(rules_[i], bases_[i], subject.For(rules_[i]));
    if (rest) hits.push_back({&rules_[i], *rest});
  }
  for (const GuardedName& place : held_) {
    const std::string base = FoldName(place.base);
    if (!Below(folded, base)) continue;
    hits.push_back({&place, RestAfter(place.base, "", CountComponents(folded))});
  }
}

}  // namespace ringfence
