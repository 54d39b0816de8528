#include "cli/replay/tally.h"

#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kMaxGroups = 1000;
constexpr size_t kMaxTools = 100;
constexpr size_t kMaxToolName = 100;
constexpr size_t kMaxBroken = 10;

// Returns the group of the key. Once the map is full, new rules share one group per verdict.
Group& GroupOf(Groups& groups, GroupKey key) {
  if (!groups.contains(key) && groups.size() >= kMaxGroups) key.rule = "further rules";
  return groups[std::move(key)];
}

void AddTool(Group& group, const std::string& tool, uint64_t calls) {
  const bool has_room = group.tools.size() < kMaxTools || group.tools.contains(tool);
  group.tools[has_room ? tool : ""] += calls;
}

void AddExample(Group& group, Example example, size_t most) {
  if (group.examples.size() < most) group.examples.push_back(std::move(example));
}

void AddCallTo(Group& group, const ReplayedDecision& reason, Example example, size_t most) {
  if (group.calls++ == 0) {
    group.rule = reason.rule;
    group.why = reason.why;
  }
  AddTool(group, example.tool, 1);
  AddExample(group, std::move(example), most);
}

void AddAll(Groups& groups, Groups&& later, size_t most) {
  for (auto& [key, from] : later) {
    Group& group = GroupOf(groups, key);
    if (group.calls == 0) {
      group.rule = std::move(from.rule);
      group.why = std::move(from.why);
    }
    group.calls += from.calls;
    for (const auto& [tool, calls] : from.tools) AddTool(group, tool, calls);
    for (Example& example : from.examples) AddExample(group, std::move(example), most);
  }
}

std::string LabelOf(const ReplayedDecision& outcome) {
  if (!outcome.rule.file.empty()) return outcome.rule.label();
  return outcome.why;
}

bool IsBlocked(LoggedVerdict verdict) {
  return verdict == LoggedVerdict::kDeny || verdict == LoggedVerdict::kError;
}

}  // namespace

bool Differ(LoggedVerdict one, LoggedVerdict other) {
  return one != other && !(IsBlocked(one) && IsBlocked(other));
}

void CallTally::AddBroken(LinePlace place, std::string what) {
  if (first_broken.size() < kMaxBroken) {
    first_broken.push_back({std::move(place), std::move(what)});
  }
}

void CallTally::AddCall(const ReplayedCalls::Answer& answer, const std::string& tool,
                        const LinePlace& place) {
  const ReplayedDecision& now = answer.now;
  ++calls;
  ++verdicts[static_cast<size_t>(now.verdict)];
  if (answer.project_is_gone) ++in_gone_projects;
  // "" is the name of all tools beyond the limit.
  const std::string name = tool.empty() ? "(no name)" : CutText(tool, kMaxToolName);
  AddCallTo(GroupOf(groups, {now.verdict, {}, LabelOf(now)}), now, {place, name, now.what},
            most_examples);
  if (!answer.was || !Differ(now.verdict, answer.was->verdict)) return;
  // If the call is permitted now, the reason for the change is the rule of the other policy.
  const ReplayedDecision& reason = now.verdict == LoggedVerdict::kPermit ? *answer.was : now;
  AddCallTo(GroupOf(changes, {now.verdict, answer.was->verdict, LabelOf(reason)}), reason,
            {place, name, reason.what}, most_examples);
}

void CallTally::Add(CallTally later) {
  bytes += later.bytes;
  lines += later.lines;
  calls += later.calls;
  for (size_t i = 0; i < std::size(verdicts); ++i) verdicts[i] += later.verdicts[i];
  repeated += later.repeated;
  earlier += later.earlier;
  in_gone_projects += later.in_gone_projects;
  foreign += later.foreign;
  broken += later.broken;
  too_long += later.too_long;
  for (BrokenLine& line : later.first_broken) {
    AddBroken(std::move(line.place), std::move(line.what));
  }
  AddAll(groups, std::move(later.groups), most_examples);
  AddAll(changes, std::move(later.changes), most_examples);
}

}  // namespace ringfence
