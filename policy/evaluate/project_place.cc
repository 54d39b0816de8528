#include "policy/evaluate/project_place.h"

#include <algorithm>

#include "base/case_fold.h"
#include "base/name_bits.h"
#include "policy/rules/entry_match.h"

namespace ringfence {

ProjectPlace::ProjectPlace(const SetContext& context) : context_(context) {
  Add(context.root);
  if (context.given_root && *context.given_root != context.root) Add(*context.given_root);
}

void ProjectPlace::Add(const Path& root) {
  folded_.push_back(FoldName(root.text()).substr(1));
  name_bits_ |= NameBitsOf(folded_.back());
  for (const Path& home : context_.homes) {
    if (const auto below = root.Below(home)) below_homes_.push_back(*below);
  }
}

bool ProjectPlace::LeaveOutOf(SetEntry& entry, std::deque<std::string>& strings) const {
  if (entry.base == RuleBase::kAnywhere) {
    const auto holds = [&](const std::string& root) { return MatchFolded(entry.tail, root); };
    entry.holds_root = std::ranges::any_of(folded_, holds);
    return true;
  }
  if (entry.base != RuleBase::kHome || entry.has_pattern) return true;
  for (const std::string_view root : below_homes_) {
    if (!Covers(entry.tail, root)) continue;
    const std::string_view rest = root.substr(std::min(entry.tail.size() + 1, root.size()));
    if (rest.empty()) return false;
    if (rest.find_first_of("\n*") != std::string_view::npos) continue;  // impossible in `except`
    std::string except(entry.except.text());
    except.append(rest) += '\n';
    entry.except = WordList(strings.emplace_back(std::move(except)));
  }
  return true;
}

}  // namespace ringfence
