#include "cli/log/log_line.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "hook/audit_line.h"
#include "policy/pattern.h"

namespace ringfence {
namespace {

using Json = OrderedJson;

// `form` has "0" where any digit is.
bool HasForm(std::string_view text, std::string_view form) {
  return std::ranges::equal(text, form, [](char c, char wanted) {
    return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
  });
}

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

// "15m" as nanoseconds.
std::optional<int64_t> ReadSpan(std::string_view text) {
  constexpr int64_t kSecond = 1'000'000'000;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || end + 1 != text.data() + text.size()) return {};
  int64_t unit = 0;
  switch (*end) {
    case 's':
      unit = kSecond;
      break;
    case 'm':
      unit = 60 * kSecond;
      break;
    case 'h':
      unit = 3600 * kSecond;
      break;
    case 'd':
      unit = 86400 * kSecond;
      break;
    default:
      return {};
  }
  if (number > std::numeric_limits<int64_t>::max() / unit) return {};
  return number * unit;
}

bool IsDate(std::string_view text) {
  const auto number = [text](size_t at) { return 10 * (text[at] - '0') + text[at + 1] - '0'; };
  const int month = number(5), day = number(8);
  const bool has_time = text.size() > 10;
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 &&
         (!has_time || (number(11) < 24 && number(14) < 60 && number(17) <= 60));
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

bool IsLogTime(std::string_view text) {
  return HasForm(text, "0000-00-00T00:00:00.000Z") && IsDate(text);
}

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

Result<std::string> ReadSince(const std::string& text, int64_t unix_nanoseconds) {
  if (const std::optional<int64_t> span = ReadSpan(text)) {
    return AuditTime(std::max<int64_t>(0, unix_nanoseconds - *span));
  }
  constexpr std::string_view kForms[] = {"0000-00-00", "0000-00-00T00:00", "0000-00-00T00:00:00",
                                         "0000-00-00T00:00:00.000"};
  constexpr std::string_view kZero = "0000-00-00T00:00:00.000Z";
  std::string as_kept = text;
  if (text.size() > 11 && text[10] == ' ') as_kept[10] = 'T';  // as it is shown
  std::string_view given = as_kept;
  if (given.size() > 11 && given.ends_with('Z')) given.remove_suffix(1);
  for (const std::string_view form : kForms) {
    if (!HasForm(given, form)) continue;
    std::string time = std::string(given) + std::string(kZero.substr(given.size()));
    if (IsLogTime(time)) return time;
  }
  return Error{Error::Kind::kUsage, "--since", Quote(text) + " is no time",
               "write 10m, 2h, 3d, 2026-10-14 or 2026-10-14T16:26:40Z (UTC)"};
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
  if (entry.is_inside) line += ", inside";
  if (entry.is_unlocked) line += ", unlocked";
  return line;
}

}  // namespace ringfence
