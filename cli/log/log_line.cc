#include "cli/log/log_line.h"

#include <algorithm>
#include <charconv>

#include "audit_log/line.h"
#include "audit_log/system_log.h"
#include "base/ascii.h"
#include "base/text.h"
#include "cli/common/since.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

Tone ToneOf(std::optional<LoggedVerdict> verdict) {
  if (verdict == LoggedVerdict::kPermit) return Tone::kGood;
  return verdict == LoggedVerdict::kAsk ? Tone::kStrong : Tone::kBad;
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

// "example.org:443 tls, 1.2 KB up, 3.4 MB down, 12 ms"
std::string ConnectionText(const AuditEntry& entry) {
  std::string text = Printable(entry.host) + " " + Printable(entry.protocol);
  if (!entry.method.empty()) text += " " + Printable(entry.method) + " " + Printable(entry.path);
  if (entry.status != 0) text += " " + std::to_string(entry.status);
  if (entry.verdict == LoggedVerdict::kPermit) {
    text += ", " + SizeText(entry.up) + " up, " + SizeText(entry.down) + " down, " +
            std::to_string(entry.milliseconds) + " ms";
  }
  return text;
}

// "file 644 12 bytes 0123456789ab...", "link to "x"", "nothing"
std::string FileStateText(const std::optional<AuditEntry::FileState>& state) {
  if (!state) return "nothing";
  std::string text = Printable(state->kind);
  if (!state->target.empty()) text += " to " + Quote(state->target);
  if (!state->mode.empty()) text += " " + Printable(state->mode);
  if (state->kind == "file") text += " " + SizeText(state->size);
  constexpr size_t kShownDigits = 12;
  if (!state->sha256.empty()) text += " " + Printable(CutText(state->sha256, kShownDigits + 3));
  return text;
}

// "stage k7fq, apply 1: modified, merged: file 644 6 bytes 0123... -> ...; by answer"
std::string StageText(const AuditEntry& entry) {
  std::string text = "stage " + Printable(entry.stage);
  if (entry.number != 0) text += ", apply " + std::to_string(entry.number);
  if (!entry.change.empty()) {
    text += ": " + Printable(entry.change) + ", " + Printable(entry.result) + ": " +
            FileStateText(entry.before) + " -> " + FileStateText(entry.after);
  }
  if (!entry.moved_from.empty()) text += "; moved from " + Printable(entry.moved_from);
  if (entry.event == "StageEnd") text += ", status " + std::to_string(entry.status);
  if (!entry.by.empty()) text += "; by " + Printable(entry.by);
  return text;
}

enum SyslogSeverity { kError = 3, kWarning = 4, kNotice = 5, kInformational = 6 };

SyslogSeverity SyslogSeverityOf(const AuditEntry& entry) {
  if (entry.verdict == LoggedVerdict::kDeny) return kWarning;
  if (entry.verdict == LoggedVerdict::kAsk) return kNotice;
  return entry.verdict == LoggedVerdict::kPermit ? kInformational : kError;
}

// Returns a header field: printable ASCII without spaces, cut to `longest`; otherwise "-".
std::string HeaderField(std::string_view text, size_t longest) {
  const auto is_allowed = [](char c) { return c > ' ' && c < 0x7F; };
  if (text.empty() || !std::ranges::all_of(text, is_allowed)) return "-";
  return std::string(text.substr(0, longest));
}

// Returns a JSON string without its quotes, and so without newlines or invisible characters.
std::string Value(const std::string& text) {
  const std::string quoted = AsciiJson(JsonString(text));
  return quoted.substr(1, quoted.size() - 2);
}

bool IsSyslogHost(std::string_view host) {
  return !host.empty() && host.size() <= 253 && host.front() != '-' &&
         std::ranges::all_of(host, [](char c) {
           return IsAlnum(c) || c == '.' || c == '-' || c == '_' || c == ':';
         });
}

}  // namespace

std::optional<AuditEntry> ReadLogLine(std::string_view line) {
  if (ChainOf(line).empty()) return {};
  std::optional<AuditEntry> entry = ReadAuditEntry(line);
  if (!entry || !IsLogTime(entry->time)) return {};
  return entry;
}

bool LogFilter::Wants(const AuditEntry& entry) const {
  return (event.empty() || event == entry.event) && (tool.empty() || MatchName(tool, entry.tool)) &&
         (!verdict || verdict == entry.verdict) && entry.session.starts_with(session) &&
         (stage.empty() || entry.stage.starts_with(stage)) &&
         (agent.empty() || (!entry.agent_id.empty() && MatchName(agent, entry.agent_id)) ||
          (!entry.agent_type.empty() && MatchName(agent, entry.agent_type))) &&
         entry.time >= since;
}

std::string ShowLogEntry(const AuditEntry& entry, const Console& console) {
  const std::string what = entry.tool.empty() ? entry.event : entry.tool;
  std::string line =
      entry.time.substr(0, 10) + " " + entry.time.substr(11, 8) + "Z  " +
      console.In(ToneOf(entry.verdict), Padded(std::string(VerdictName(entry.verdict)), 6)) + "  " +
      Padded(Printable(what), 8) + PathsText(entry);
  if (entry.event == "Connection") line += " " + ConnectionText(entry);
  if (!entry.stage.empty()) line += "  " + StageText(entry);
  if (!entry.why.empty()) line += "  " + Printable(entry.why);
  if (entry.rule) line += " (" + entry.rule->label() + ")";
  if (!entry.session.empty()) line += "  session " + Printable(CutText(entry.session, 40));
  const std::string& agent = entry.agent_type.empty() ? entry.agent_id : entry.agent_type;
  if (!agent.empty()) line += ", agent " + Printable(agent);
  if (entry.event == "PermissionRequest") line += ", at the prompt";  // the same call again
  if (entry.is_inside) line += ", inside";
  if (entry.is_unlocked) line += ", unlocked";
  return line;
}

// Uses only the standard "origin" and "meta": other structured data needs an enterprise number.
// ASCII needs no byte order mark, which would disturb readers of JSON.
std::string SyslogMessage(std::string_view line, const AuditEntry& entry, const std::string& host,
                          uint32_t sequence) {
  return "<" + std::to_string(kAuthPriv * 8 + SyslogSeverityOf(entry)) + ">1 " + entry.time + " " +
         HeaderField(host, 255) + " " + std::string(kSystemLogName) + " - " +
         HeaderField(entry.event, 32) + " [origin software=\"ringfence\" swVersion=\"" +
         RINGFENCE_VERSION + "\"][meta sequenceId=\"" + std::to_string(sequence) + "\"] " +
         AsciiJson(line);
}

std::string Framed(const std::string& message) {
  return std::to_string(message.size()) + " " + message;
}

std::string JournalMessage(std::string_view line, const AuditEntry& entry) {
  std::string out = "MESSAGE=" + AsciiJson(line) +
                    "\nPRIORITY=" + std::to_string(SyslogSeverityOf(entry)) +
                    "\nSYSLOG_FACILITY=" + std::to_string(kAuthPriv) +
                    "\nSYSLOG_IDENTIFIER=" + std::string(kSystemLogName) + "\n";
  const auto add = [&out](const char* name, const std::string& text) {
    if (!text.empty()) out += std::string(name) + "=" + Value(text) + "\n";
  };
  add("RINGFENCE_TIME", entry.time);
  add("RINGFENCE_VERDICT", std::string(VerdictName(entry.verdict)));
  add("RINGFENCE_TOOL", entry.tool);
  add("RINGFENCE_SESSION", entry.session);
  return out;
}

Result<LogTarget> ReadLogTarget(const std::string& text) {
  LogTarget target;
  const Error wrong = UsageError("--to", Quote(text) + " is not a destination",
                                 "write journald, syslog://HOST:PORT or syslog+udp://HOST:PORT");
  if (text == "journald") return target;
  std::string_view rest = text;
  for (const auto& [scheme, kind] : {std::pair("syslog://", LogTarget::Kind::kTcp),
                                     std::pair("syslog+udp://", LogTarget::Kind::kUdp)}) {
    if (!rest.starts_with(scheme)) continue;
    rest.remove_prefix(std::string_view(scheme).size());
    target.kind = kind;
  }
  if (target.kind == LogTarget::Kind::kJournal) return wrong;
  const bool has_brackets = rest.starts_with('[');
  const size_t end = has_brackets ? rest.find(']') : rest.find(':');
  if (has_brackets && end == std::string_view::npos) return wrong;
  target.host = rest.substr(has_brackets ? 1 : 0, has_brackets ? end - 1 : end);
  rest.remove_prefix(std::min(rest.size(), has_brackets ? end + 1 : end));
  if (!IsSyslogHost(target.host)) return wrong;
  if (rest.empty()) return target;
  rest.remove_prefix(1);
  const auto [at, error] = std::from_chars(rest.data(), rest.data() + rest.size(), target.port);
  const bool is_port = error == std::errc() && at == rest.data() + rest.size() && target.port != 0;
  if (!is_port || (has_brackets && text[text.find(']') + 1] != ':')) return wrong;
  return target;
}

}  // namespace ringfence
