#include "cli/explain/explain_text.h"

#include <nlohmann/json.hpp>

#include "agents/claude/agent.h"
#include "agents/claude/folders.h"
#include "base/add_once.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/policies.h"
#include "policy/decision.h"
#include "policy/files/git_files.h"
#include "policy/files/real_files.h"
#include "policy/mcp/mcp_maps.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/pattern.h"
#include "policy/rules/sets.h"

namespace ringfence {
namespace {

std::string ToolsText(const McpMap& map) {
  if (map.tools.empty()) return "every tool";
  std::string text;
  for (const std::string_view tool : map.tools) {
    text += (text.empty() ? "" : ", ") + std::string(tool);
  }
  return text;
}

void AddPointers(std::string& text, std::string_view verb,
                 const std::vector<std::string_view>& pointers) {
  for (const std::string_view pointer : pointers) {
    text += (text.empty() ? "" : ", ") + std::string(verb) + " " +
            (pointer.empty() ? "(all)" : std::string(pointer));
  }
}

std::string FieldsText(const McpMap& map) {
  std::string text;
  AddPointers(text, "reads", map.read);
  AddPointers(text, "writes", map.write);
  AddPointers(text, "never a path:", map.text);
  return text;
}

OrderedJson MapJson(const McpMap& map) {
  return {{"server", map.server},
          {"tools", map.tools},
          {"read", map.read},
          {"write", map.write},
          {"text", map.text}};
}

std::string_view FileKindName(FileKind kind) {
  constexpr std::string_view kKinds[] = {"missing", "file",   "directory", "link", "fifo",
                                         "socket",  "device", "device"};  // by FileKind
  return kKinds[static_cast<size_t>(kind)];
}

std::string_view AccessName(Access access) { return access == Access::kRead ? "read" : "write"; }

void PrintReading(const Console& console, const PathTrace::Reading& reading) {
  console.Line("    " + std::string(reading.name) + " reading of " + Quote(reading.start));
  for (const WalkStep& step : reading.steps) {
    std::string line =
        "      " + Printable(step.path.text()) + "  " + std::string(FileKindName(step.kind));
    if (step.kind == FileKind::kLink) line += " to " + Quote(step.target);
    console.Line(line);
  }
  console.Line("      ends at " + Quote(reading.end.text()));
}

void PrintTrace(const Console& console, const PathTrace& trace) {
  console.Line("  " + std::string(AccessName(trace.access)) + " " + Quote(trace.text) +
               (trace.field.empty() ? "" : " (" + Printable(trace.field) + ")") + ": " +
               std::string(VerdictName(trace.verdict)));
  for (const PathTrace::Reading& reading : trace.readings) PrintReading(console, reading);
}

OrderedJson ReadingJson(const PathTrace::Reading& reading) {
  OrderedJson json{{"reading", reading.name}, {"start", reading.start}};
  json["steps"] = JsonArray(reading.steps, [](const WalkStep& step) {
    OrderedJson one{{"path", step.path.text()}, {"kind", FileKindName(step.kind)}};
    if (step.kind == FileKind::kLink) one["target"] = step.target;
    return one;
  });
  json["end"] = reading.end.text();
  return json;
}

OrderedJson TraceJson(const PathTrace& trace) {
  return {{"field", trace.field},
          {"text", trace.text},
          {"access", AccessName(trace.access)},
          {"verdict", VerdictName(trace.verdict)},
          {"readings", JsonArray(trace.readings, ReadingJson)}};
}

// Returns each rule once: both readings of a path can meet the same one.
std::vector<RuleUse> UsedRules(const Trace& trace) {
  std::vector<RuleUse> uses;
  for (const RuleUse& use : trace.rules) {
    AddOnce(uses, use);
  }
  return uses;
}

// Returns the project's context, with a placeholder for the session.
SetContext ContextOf(const Places& places) {
  return {.agent = places.agent,
          .root = places.root_real,
          .given_root = places.root,
          .start = places.start,
          .memory_root = MainRepositoryOf(StartOf(places), RealFiles()),
          .session_id = "SESSION",
          .user = places.user,
          .macos_names = places.macos_names,
          .homes = places.homes,
          .settings_folders = places.settings_folders};
}

Error NoSuchSet(const std::string& name) {
  std::vector<std::string_view> names{"@session-tools", "@known-tools", "@agent-hosts"};
  for (const PathSet& one : PathSets()) names.push_back(one.name);
  std::string all;
  for (const std::string_view each : names) all += " " + std::string(each);
  return UsageError("", Quote(name) + " is not a set" + DidYouMean(Nearest(name, names)),
                    "there are:" + all);
}

}  // namespace

bool NamesMcpMaps(const std::string& what) {
  if (what == "mcp") return true;
  return IsMcpTool(what) && what.find("__", std::string_view("mcp__").size()) == std::string::npos;
}

Outcome ExplainMcpMaps(const std::string& what, bool json) {
  const std::string server = what == "mcp" ? "" : what.substr(std::string_view("mcp__").size());
  OrderedJson maps = OrderedJson::array();
  const Console console;
  for (const McpMap& map : McpMaps()) {
    if (!server.empty() && !IsMapOf(map, server)) continue;
    maps.push_back(MapJson(map));
    if (json) continue;
    console.Line(console.In(Tone::kStrong, "mcp__" + std::string(map.server)) + ": " +
                 ToolsText(map));
    console.Line("  " + FieldsText(map));
  }
  if (json) {
    PrintJson({{"maps", maps}});
    return 0;
  }
  if (maps.empty()) console.Line("No map of " + Quote(server) + " comes with ringfence.");
  console.Line(
      "Other arguments are decided by their value. An entry under \"mcp\" in the policy takes");
  console.Line("the place of a map.");
  return 0;
}

std::string ArgumentsOf(const Event& event, const Policy& policy) {
  if (!IsMcpTool(event.tool_name)) return "";
  for (const McpFields& entry : policy.mcp) {
    if (entry.adds_only || !MatchName(entry.tool, event.tool_name)) continue;
    return "by the policy's \"mcp\" entry " + Quote(entry.tool) + " (" + PlaceLabel(entry.place) +
           ")";
  }
  const std::optional<McpMap> map = MapOfTool(event.tool_name);
  std::string others =
      std::string("by their value, as ") + (IsReadingMcpTool(event.tool_name) ? "reads" : "writes");
  if (!map) return others;
  return "by the map of " + Quote(map->server) + " (" + FieldsText(*map) + "), others " + others;
}

void PrintExplained(const Explained& explained) {
  const Console console;
  const Decision& decision = explained.decision;
  const bool permitted = decision.verdict == Verdict::kPermit;
  const Tone tone = permitted ? Tone::kGood : Tone::kBad;
  console.Line(console.In(tone, VerdictName(decision.verdict)) + "  " +
               Quote(explained.event.tool_name));
  if (decision.cause) {
    console.Line("  " + decision.cause->what + ": " + decision.cause->why);
    if (decision.cause->place) console.Line("  rule: " + PlaceLabel(*decision.cause->place));
    console.Line("  the model is told: " + ReasonText(decision, explained.policy.say));
  } else if (explained.policy.wrap_bash &&
             ClaudeCode().tools.RunsCommand(explained.event.tool_name)) {
    console.Line("  ringfence run starts it, in a sandbox");
  } else {
    console.Line(decision.say_allow ? "  answered with \"allow\": the client does not ask"
                                    : "  the hook says nothing: the client's own rules decide");
  }
  const std::string arguments = ArgumentsOf(explained.event, explained.policy);
  if (!arguments.empty()) console.Line("  arguments: " + arguments);
  if (explained.client) {
    console.Line("  " + console.In(Tone::kBad, "the client itself refuses it") + ": " +
                 Printable(explained.client->text()));
    if (!explained.client->fix.empty()) {
      console.Line("  to lift that: " + Printable(explained.client->fix));
    }
  }
  if (!explained.policy.profile.empty()) {
    console.Line("  profile chosen by the event: " + Printable(explained.policy.profile));
  }
  for (const RuleUse& use : UsedRules(explained.trace)) {
    console.Line("  rule met: " + Quote(use.written) + " (" + PlaceLabel(use.place) + ")");
  }
  for (const PathTrace& path : explained.trace.paths) PrintTrace(console, path);
  for (const std::string& note : explained.notes) console.Line("  note: " + note);
}

OrderedJson ExplainedJson(const Explained& explained) {
  const Decision& decision = explained.decision;
  OrderedJson json{{"verdict", VerdictName(decision.verdict)},
                   {"tool", explained.event.tool_name},
                   {"says_allow", decision.say_allow}};
  if (decision.cause) {
    json["what"] = decision.cause->what;
    json["why"] = decision.cause->why;
    if (decision.cause->place) json["rule"] = PlaceJson(*decision.cause->place);
    json["reason"] = ReasonText(decision, explained.policy.say);
  }
  if (!explained.policy.profile.empty()) json["profile"] = explained.policy.profile;
  const std::string arguments = ArgumentsOf(explained.event, explained.policy);
  if (!arguments.empty()) json["arguments"] = arguments;
  if (explained.client) {
    json["client"] = {
        {"verdict", "deny"}, {"why", explained.client->what}, {"file", explained.client->file}};
    if (!explained.client->fix.empty()) json["client"]["fix"] = explained.client->fix;
  }
  json["paths"] = decision.paths;
  json["rules"] = JsonArray(UsedRules(explained.trace), [](const RuleUse& use) {
    OrderedJson rule = PlaceJson(use.place);
    rule["entry"] = use.written;
    return rule;
  });
  json["steps"] = JsonArray(explained.trace.paths, TraceJson);
  if (!explained.notes.empty()) json["notes"] = explained.notes;
  return json;
}

Outcome ExplainSet(const std::string& name, const Places& places, bool json) {
  std::vector<std::string> entries;
  std::string what;
  std::deque<std::string> strings;
  if (const PathSet* set = FindPathSet(name)) {
    what = set->what;
    // A set has more entries for reading than for writing.
    for (const SetEntry& entry : ExpandSet(set->set, Access::kRead, ContextOf(places), strings)) {
      entries.push_back(entry.text() +
                        (entry.except.empty() ? "" : " but " + entry.except.Joined(", ")));
    }
  } else if (name == "@session-tools") {
    what = "tools without an effect outside the conversation";
    for (const std::string_view tool : ClaudeCode().session_tools) entries.emplace_back(tool);
  } else if (name == "@known-tools") {
    what =
        "every tool of the client that this version knows; without tools.allow these are allowed";
    for (const KnownTool& tool : ClaudeCode().tools.All()) entries.emplace_back(tool.name);
  } else if (name == "@agent-hosts") {
    what = "the agent's own hosts";
    for (const std::string_view host : ClaudeCode().hosts) entries.emplace_back(host);
  } else {
    return NoSuchSet(name);
  }
  if (json) {
    PrintJson({{"set", name}, {"what", what}, {"entries", entries}});
    return 0;
  }
  const Console console;
  console.Line(console.In(Tone::kStrong, name) + ": " + what);
  for (const std::string& entry : entries) console.Line("  " + entry);
  return 0;
}

}  // namespace ringfence
