#include "cli/log/log_line.h"

#include "audit_log/line.h"
#include "base/text.h"
#include "cli/common/since.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

Tone ToneOf(const std::string& verdict) {
  if (verdict == "permit") return Tone::kGood;
  return verdict == "ask" ? Tone::kStrong : Tone::kBad;
}

std::string PathsText(const AuditEntry& entry) {
  std::string text;
  std::string last;
  size_t shown = 0;
  for (const std::string& path : entry.paths) {
    if (path == last) continue;  // both readings of one path
    last = path;
    if (++shown <= 2) text += " " + Printable(path);
  }
  return shown > 2 ? text + " +" + std::to_string(shown - 2) : text;
}

}  // namespace

std::optional<AuditEntry> ReadLogLine(std::string_view line) {
  if (ChainOf(line).empty()) return {};
  std::optional<AuditEntry> entry = ReadAuditEntry(line);
  if (!entry || !IsLogTime(entry->time)) return {};
  return entry;
}

bool LogFilter::Wants(const AuditEntry& entry) const {
  return (tool.empty() || MatchName(tool, entry.tool)) &&
         (verdict.empty() || verdict == entry.verdict) && entry.session.starts_with(session) &&
         (agent.empty() || (!entry.agent_id.empty() && MatchName(agent, entry.agent_id)) ||
          (!entry.agent_type.empty() && MatchName(agent, entry.agent_type))) &&
         entry.time >= since;
}

std::string ShowLogEntry(const AuditEntry& entry, const Console& console) {
  const std::string what = entry.tool.empty() ? entry.event : entry.tool;
  std::string line = entry.time.substr(0, 10) + " " + entry.time.substr(11, 8) + "Z  " +
                     console.In(ToneOf(entry.verdict), Padded(Printable(entry.verdict), 6)) + "  " +
                     Padded(Printable(what), 8) + PathsText(entry);
  if (!entry.why.empty()) line += "  " + Printable(entry.why);
  if (entry.rule) line += " (" + Printable(entry.rule->text()) + ")";
  if (!entry.session.empty()) line += "  session " + Printable(CutText(entry.session, 40));
  const std::string& agent = entry.agent_type.empty() ? entry.agent_id : entry.agent_type;
  if (!agent.empty()) line += ", agent " + Printable(agent);
  if (entry.event == "PermissionRequest") line += ", at the prompt";  // the same call again
  if (entry.is_inside) line += ", inside";
  if (entry.is_unlocked) line += ", unlocked";
  return line;
}

}  // namespace ringfence
