#include "cli/log/log_line.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "audit_log/line.h"
#include "base/text.h"
#include "cli/common/since.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

using Json = OrderedJson;

std::string TextOf(const Json& object, const char* key) {
  const auto value = object.find(key);
  return value != object.end() && value->is_string() ? value->get<std::string>() : "";
}

std::string RuleOf(const Json& line) {
  const auto rule = line.find("rule");
  if (rule == line.end() || !rule->is_object()) return "";
  const auto number = rule->find("line");
  const bool has_line = number != rule->end() && number->is_number_unsigned();
  const std::string place = has_line ? ":" + std::to_string(number->get<uint64_t>()) : "";
  return TextOf(*rule, "file") + place + " " + TextOf(*rule, "pointer");
}

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

Tone ToneOf(const std::string& verdict) {
  if (verdict == "permit") return Tone::kGood;
  return verdict == "ask" ? Tone::kStrong : Tone::kBad;
}

std::string PathsOf(const LogEntry& entry) {
  std::string text;
  std::string last;
  size_t shown = 0;
  for (const std::string& path : entry.paths) {
    if (path == last) continue;  // both readings of it
    last = path;
    if (++shown <= 2) text += " " + Printable(path);
  }
  return shown > 2 ? text + " +" + std::to_string(shown - 2) : text;
}

}  // namespace

std::optional<LogEntry> ReadLogEntry(std::string_view line) {
  if (ChainOf(line).empty()) return {};
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return {};
  LogEntry entry;
  entry.time = TextOf(json, "inside");
  entry.is_inside = !entry.time.empty();
  if (!entry.is_inside) entry.time = TextOf(json, "time");
  if (!IsLogTime(entry.time)) return {};
  entry.event = TextOf(json, "event");
  entry.session = TextOf(json, "session");
  entry.agent_id = TextOf(json, "agent_id");
  entry.agent_type = TextOf(json, "agent_type");
  entry.tool = TextOf(json, "tool");
  entry.verdict = TextOf(json, "verdict");
  entry.why = TextOf(json, "why");
  entry.rule = RuleOf(json);
  entry.is_unlocked = IsUnlocked(line);
  const auto paths = json.find("paths");
  if (paths != json.end() && paths->is_array()) {
    for (const Json& path : *paths) {
      if (path.is_string()) entry.paths.push_back(path.get<std::string>());
    }
  }
  return entry;
}

bool LogFilter::Wants(const LogEntry& entry) const {
  return (tool.empty() || MatchName(tool, entry.tool)) &&
         (verdict.empty() || verdict == entry.verdict) && entry.session.starts_with(session) &&
         (agent.empty() || (!entry.agent_id.empty() && MatchName(agent, entry.agent_id)) ||
          (!entry.agent_type.empty() && MatchName(agent, entry.agent_type))) &&
         entry.time >= since;
}

std::string ShowLogEntry(const LogEntry& entry, const Console& console) {
  const std::string what = entry.tool.empty() ? entry.event : entry.tool;
  std::string line = entry.time.substr(0, 10) + " " + entry.time.substr(11, 8) + "Z  " +
                     console.In(ToneOf(entry.verdict), Padded(Printable(entry.verdict), 6)) + "  " +
                     Padded(Printable(what), 8) + PathsOf(entry);
  if (!entry.why.empty()) line += "  " + Printable(entry.why);
  if (!entry.rule.empty()) line += " (" + Printable(entry.rule) + ")";
  if (!entry.session.empty()) line += "  session " + Printable(CutText(entry.session, 40));
  const std::string& agent = entry.agent_type.empty() ? entry.agent_id : entry.agent_type;
  if (!agent.empty()) line += ", agent " + Printable(agent);
  if (entry.event == "PermissionRequest") line += ", at the prompt";  // the same call once more
  if (entry.is_inside) line += ", inside";
  if (entry.is_unlocked) line += ", unlocked";
  return line;
}

}  // namespace ringfence
