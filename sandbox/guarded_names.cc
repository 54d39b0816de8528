#include "sandbox/guarded_names.h"

#include <algorithm>

#include "base/case_fold.h"
#include "policy/entry_match.h"
#include "policy/pattern.h"

namespace ringfence {
namespace {

constexpr std::string_view kAnywhere = "**/";

// What of `path` lies below `base`; both folded or both not.
std::optional<std::string_view> Below(std::string_view base, std::string_view path) {
  if (base == "/") return path.substr(1);
  if (!Covers(base, path)) return {};
  return path.substr(std::min(base.size() + 1, path.size()));
}

bool IsException(const GuardedName& rule, std::string_view rest) {
  if (rule.except.empty() || rest.size() <= FoldName(rule.tail).size()) return false;
  rest.remove_prefix(FoldName(rule.tail).size());
  return TakeComponent(rest) == FoldName(rule.except);
}

// The longest component of a pattern that has no pattern characters.
std::string KeyOf(std::string_view tail) {
  std::string_view longest;
  for (std::string_view rest = tail;;) {
    const std::string_view component = TakeComponent(rest);
    if (component.empty()) return FoldName(longest);
    if (!HasPattern(component) && component.size() > longest.size()) longest = component;
  }
}

bool Allows(const GuardedName& rule, std::string_view path) {
  const auto rest = Below(rule.base, path);
  if (!rest) return false;
  if (!rule.has_pattern) return Covers(rule.tail, *rest);
  // "a/**" is what lies in the folder, not the folder.
  return !rest->empty() && MatchPattern(rule.tail, *rest, {.covers = true});
}

// The names of `path` are the beginning of what `pattern` matches, and something more must follow.
bool Begins(std::string_view path, std::string_view pattern) {
  std::string_view rest = pattern;
  const std::string_view first = TakeComponent(rest);
  if (first.empty()) return false;
  std::string_view path_rest = path;
  const std::string_view name = TakeComponent(path_rest);
  if (name.empty()) return true;
  if (first == "**") return Begins(path, rest) || Begins(path_rest, pattern);
  return MatchPattern(FoldName(first), name, {.fold = true}) && Begins(path_rest, rest);
}

// The last names of a path begin a rule for any depth.
bool BeginsAnywhere(std::string_view path, std::string_view pattern) {
  for (std::string_view rest = path; !rest.empty(); TakeComponent(rest)) {
    if (Begins(rest, pattern)) return true;
  }
  return false;
}

// What of `base` and its `tail` follows after `count` names.
std::string RestAfter(std::string_view base, std::string_view tail, size_t count) {
  std::string text = std::string(base) + "/" + std::string(tail);
  std::string_view rest = text;
  for (; count > 0; --count) TakeComponent(rest);
  rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
  return std::string(rest.substr(0, rest.find_last_not_of('/') + 1));
}

size_t CountComponents(std::string_view path) {
  size_t count = 0;
  while (!TakeComponent(path).empty()) ++count;
  return count;
}

}  // namespace

std::string GuardedName::text() const {
  if (is_anywhere) return tail;
  if (tail.empty()) return base;
  return base == "/" ? base + tail : base + "/" + tail;
}

void GuardedNames::Refuse(GuardedName rule) {
  if (std::ranges::find(rules_, rule) != rules_.end()) return;
  prepared_.push_back({FoldName(rule.base), rule.has_pattern ? KeyOf(rule.tail) : ""});
  rules_.push_back(std::move(rule));
}

void GuardedNames::Forget(const Path& path) {
  for (size_t i = rules_.size(); i-- > 0;) {
    if (rules_[i].is_anywhere || rules_[i].text() != path.text()) continue;
    rules_.erase(rules_.begin() + static_cast<ptrdiff_t>(i));
    prepared_.erase(prepared_.begin() + static_cast<ptrdiff_t>(i));
  }
}

bool GuardedNames::Matches(const GuardedName& rule, const Prepared& prepared,
                           std::string_view folded) {
  if (!prepared.key.empty() && folded.find(prepared.key) == std::string_view::npos) return false;
  const auto rest = Below(prepared.base, folded);
  if (!rest) return false;
  if (rule.has_pattern) return MatchFolded(rule.tail, *rest);
  return CoversFolded(rule.tail, *rest) && !IsException(rule, *rest);
}

bool GuardedNames::IsExempt(std::string_view path) const {
  const auto covers = [&](const Path& folder) { return Covers(folder.text(), path); };
  return std::ranges::any_of(exempt_, covers) && std::ranges::none_of(kept_, covers);
}

const GuardedName& NotAllowedRule() {
  static const GuardedName rule{.why = "not in the list of what is allowed"};
  return rule;
}

// A name that the rule goes on below: what must exist there for it to be broken, or "".
std::optional<std::string> GuardedNames::GoesOnBelow(const GuardedName& rule,
                                                     const Prepared& prepared,
                                                     const std::string& folded) {
  if (rule.is_anywhere) {
    const std::string_view pattern = std::string_view(rule.tail).substr(kAnywhere.size());
    if (BeginsAnywhere(folded, pattern)) return "";
    return {};
  }
  if (prepared.base != folded && Below(folded, prepared.base)) {
    return RestAfter(rule.base, rule.has_pattern ? "" : rule.tail, CountComponents(folded));
  }
  const auto below = Below(prepared.base, folded);
  if (!below) return {};
  if (rule.has_pattern) {
    if (Begins(*below, rule.tail)) return "";
    return {};
  }
  if (!Covers(*below, FoldName(rule.tail))) return {};
  return RestAfter("", rule.tail, CountComponents(*below));
}

template <typename Allows>
const GuardedName* GuardedNames::RefusesUnless(std::string_view path, Allows allows) const {
  if (IsExempt(path)) return nullptr;
  const std::string folded = FoldName(path);
  const GuardedName* unless_new = nullptr;  // counts least
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (!Matches(rules_[i], prepared_[i], folded)) continue;
    if (!rules_[i].unless_new) return &rules_[i];
    if (unless_new == nullptr) unless_new = &rules_[i];
  }
  for (const std::vector<GuardedName>& list : allow_only_) {
    if (std::ranges::none_of(list, allows)) return &NotAllowedRule();
  }
  return unless_new;
}

const GuardedName* GuardedNames::Refuses(std::string_view path) const {
  return RefusesUnless(path, [&](const GuardedName& rule) { return Allows(rule, path); });
}

const GuardedName* GuardedNames::RefusesFolder(std::string_view path) const {
  return RefusesUnless(path, [&](const GuardedName& rule) {
    const Prepared prepared{FoldName(rule.base), ""};
    return Allows(rule, path) || GoesOnBelow(rule, prepared, FoldName(path));
  });
}

std::vector<GuardedNames::TreeHit> GuardedNames::RefusesTree(std::string_view path) const {
  if (const GuardedName* rule = Refuses(path)) return {{rule, ""}};
  static const GuardedName kAboveHost{.why = "a folder of the host's lies below it"};
  const auto is_above = [path](const Path& place) { return Covers(path, place.text()); };
  std::vector<TreeHit> hits;
  if (std::ranges::any_of(kept_, is_above)) return {{&kAboveHost, ""}};
  if (IsExempt(path)) return hits;
  const std::string folded = FoldName(path);
  for (size_t i = 0; i < rules_.size(); ++i) {
    const auto rest = GoesOnBelow(rules_[i], prepared_[i], folded);
    if (rest) hits.push_back({&rules_[i], *rest});
  }
  return hits;
}

}  // namespace ringfence
