#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/policies.h"
#include "cli/replay/survey.h"

namespace ringfence {
namespace {

// Returns the word for calls with this verdict, such as "denied".
std::string_view VerdictWord(LoggedVerdict verdict) {
  constexpr std::string_view kWords[] = {"permitted", "asked about", "denied",
                                         "stopped without a decision"};  // by LoggedVerdict
  return kWords[static_cast<size_t>(verdict)];
}

Tone VerdictTone(LoggedVerdict verdict) {
  if (verdict == LoggedVerdict::kPermit) return Tone::kGood;
  return verdict == LoggedVerdict::kAsk ? Tone::kStrong : Tone::kBad;
}

using GroupEntry = Groups::const_pointer;

// Returns the groups with the strictest verdict first; of equal ones, the largest first.
std::vector<GroupEntry> Ordered(const Groups& groups) {
  std::vector<GroupEntry> entries;
  for (const auto& entry : groups) entries.push_back(&entry);
  std::ranges::stable_sort(entries, [](GroupEntry a, GroupEntry b) {
    if (a->first.now != b->first.now) return a->first.now > b->first.now;
    return a->second.calls > b->second.calls;
  });
  return entries;
}

std::string CountedTools(const Group& group) {
  std::vector<std::pair<uint64_t, std::string>> tools;
  for (const auto& [tool, calls] : group.tools) {
    tools.emplace_back(calls, tool.empty() ? "others" : Printable(tool));
  }
  std::ranges::stable_sort(tools, std::ranges::greater(), &std::pair<uint64_t, std::string>::first);
  std::string text;
  for (const auto& [calls, tool] : tools) {
    text += (text.empty() ? "" : ", ") + tool + " " + Grouped(calls);
  }
  return text;
}

void PrintGroup(const Console& console, const GroupKey& key, const Group& group) {
  const bool has_rule = !group.rule.file.empty();
  std::string line = "  ";
  if (!key.rule.empty()) line += console.In(Tone::kStrong, Printable(key.rule)) + "  ";
  console.Line(line + Counted(group.calls, "call") + ": " + CountedTools(group));
  if (has_rule && !group.why.empty()) console.Line("    " + group.why);
  if (key.now == LoggedVerdict::kPermit && !key.was) return;  // needs no examples
  for (const Example& example : group.examples) {
    console.Line("    " + (example.what.empty() ? Printable(example.tool) : example.what) + "  " +
                 Printable(example.place.file) + ":" + std::to_string(example.place.line));
  }
}

std::string ChangeTitle(const GroupKey& key) {
  return "Newly " + std::string(VerdictWord(key.now)) + " (was " +
         std::string(VerdictWord(*key.was)) + ")";
}

void PrintChanges(const Console& console, const CallTally& tally, const std::string& against) {
  if (!tally.has_changes()) {
    console.Line("Against " + Quote(against) + ": every decision is the same.");
    return;
  }
  console.Line("Against " + Quote(against) + ":");
  std::string title;
  std::vector<GroupEntry> entries = Ordered(tally.changes);
  std::ranges::stable_sort(entries, [](GroupEntry a, GroupEntry b) {
    return std::pair(a->first.now, a->first.was) > std::pair(b->first.now, b->first.was);
  });
  for (const GroupEntry entry : entries) {
    if (ChangeTitle(entry->first) != title) {
      title = ChangeTitle(entry->first);
      console.Line(console.In(VerdictTone(entry->first.now), title));
    }
    PrintGroup(console, entry->first, entry->second);
  }
}

void PrintGroups(const Console& console, const CallTally& tally) {
  std::optional<LoggedVerdict> verdict;
  for (const GroupEntry entry : Ordered(tally.groups)) {
    if (verdict != entry->first.now) {
      verdict = entry->first.now;
      std::string title(VerdictWord(*verdict));
      title.front() = static_cast<char>(title.front() - 'a' + 'A');
      const uint64_t calls = tally.verdicts[static_cast<size_t>(*verdict)];
      console.Line(console.In(VerdictTone(*verdict), title) + ": " + Grouped(calls));
    }
    PrintGroup(console, entry->first, entry->second);
  }
}

void PrintLeftOut(const Console& console, const Survey& survey) {
  const CallTally& tally = survey.tally;
  const auto say = [&](uint64_t count, const std::string& one, const std::string& why) {
    if (count > 0) console.Line(Counted(count, one) + why);
  };
  say(tally.repeated, "call", " not counted again: the transcripts have it twice");
  say(tally.earlier, "call", " before --since");
  say(tally.in_gone_projects, "call",
      " in projects that no longer exist, decided as if their directory existed and were empty");
  say(tally.foreign, "line", " of other programs, skipped");
  say(tally.broken, "line", " torn or not JSON, skipped");
  say(tally.too_long, "line", " too long, skipped");
  for (const BrokenLine& broken : tally.first_broken) {
    console.Line("  " + Printable(broken.place.file) + ":" + std::to_string(broken.place.line) +
                 ": " + Printable(broken.what));
  }
  for (const std::string& note : survey.notes) console.Line("note: " + Printable(note));
}

OrderedJson ExampleJson(const Example& example) {
  OrderedJson json{
      {"file", example.place.file}, {"line", example.place.line}, {"tool", example.tool}};
  if (!example.what.empty()) json["what"] = example.what;
  return json;
}

OrderedJson GroupJson(const GroupKey& key, const Group& group) {
  OrderedJson json{{"verdict", VerdictName(key.now)}};
  if (key.was) json["against"] = VerdictName(*key.was);
  const AuditEntry::Rule& rule = group.rule;
  if (!rule.file.empty()) {
    json["rule"] = PlaceJson({.file = rule.file, .pointer = rule.pointer, .line = rule.line});
  }
  if (!group.why.empty()) json["why"] = group.why;
  json["calls"] = group.calls;
  json["tools"] = group.tools;
  json["examples"] = JsonArray(group.examples, ExampleJson);
  return json;
}

OrderedJson GroupsJson(const Groups& groups) {
  return JsonArray(Ordered(groups),
                   [](GroupEntry entry) { return GroupJson(entry->first, entry->second); });
}

OrderedJson LinesJson(const CallTally& tally) {
  const auto broken_json = [](const BrokenLine& broken) -> OrderedJson {
    return {{"file", broken.place.file}, {"line", broken.place.line}, {"what", broken.what}};
  };
  return {{"all", tally.lines},
          {"foreign", tally.foreign},
          {"broken", tally.broken},
          {"too_long", tally.too_long},
          {"first_unusable", JsonArray(tally.first_broken, broken_json)}};
}

}  // namespace

void PrintReport(const Survey& survey, const ReportNames& names) {
  const Console console;
  const CallTally& tally = survey.tally;
  console.Line(Counted(tally.calls, "call") + " in " + Counted(names.files, "transcript") + " (" +
               Counted(tally.lines, "line") + ", " + SizeText(tally.bytes) +
               "), decided on the disk as it is now");
  PrintGroups(console, tally);
  if (!names.against.empty()) PrintChanges(console, tally, names.against);
  PrintLeftOut(console, survey);
}

OrderedJson ReportJson(const Survey& survey, const ReportNames& names) {
  const CallTally& tally = survey.tally;
  OrderedJson verdicts;
  using enum LoggedVerdict;
  for (const LoggedVerdict verdict : {kError, kDeny, kAsk, kPermit}) {
    verdicts[std::string(VerdictName(verdict))] = tally.verdicts[static_cast<size_t>(verdict)];
  }
  OrderedJson json{{"files", names.files},
                   {"bytes", tally.bytes},
                   {"lines", LinesJson(tally)},
                   {"calls", tally.calls},
                   {"verdicts", std::move(verdicts)},
                   {"repeated", tally.repeated},
                   {"before_since", tally.earlier},
                   {"in_gone_projects", tally.in_gone_projects},
                   {"groups", GroupsJson(tally.groups)}};
  if (!names.against.empty()) {
    json["against"] = names.against;
    json["changes"] = GroupsJson(tally.changes);
  }
  json["unreadable"] =
      JsonArray(survey.unreadable, [](const Error& error) { return error.text(); });
  json["notes"] = survey.notes;
  return json;
}

}  // namespace ringfence
