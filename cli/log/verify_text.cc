#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/log/verify.h"

namespace ringfence {
namespace {

constexpr size_t kShown = 100;

std::string CountText(uint64_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

// A log that was moved looks as if it had no anchors.
std::string OtherLogsText(const LogReport& report) {
  if (report.anchors > 0 || report.other_logs.empty()) return "";
  std::string names;
  for (const std::string& name : report.other_logs)
    names += (names.empty() ? "" : ", ") + Quote(name);
  return "\nthe anchors belong to other logs: " + names +
         "; if this log was written under one of these names: --anchored-as FILE";
}

std::string TornText(const LogReport& report) {
  std::string text =
      CountText(report.torn, "line") + " torn or not written by ringfence: not entries, and ";
  if (report.torn_at_end == report.torn) {
    return text + "covered by nothing, because no whole line follows\n";
  }
  text += "covered by the next line";
  if (report.torn_at_end == 0) return text + "\n";
  return text + ", except the last " + std::to_string(report.torn_at_end) + ", which have none\n";
}

std::string BeginningText(const LogReport& report) {
  std::string text = "it begins in the middle: what came before " + report.from +
                     " is missing (older files were removed, or lines cut out)\n";
  if (report.anchors_before > 0) {
    text += CountText(report.anchors_before, "anchor") + " of lines before that, the last of " +
            report.before_until + "\n";
  }
  return text;
}

std::string CoverText(const LogReport& report) {
  if (!report.has_anchors) {
    return "no anchors were checked: lines cut from the end, or a log that was rewritten as a "
           "whole, would go unnoticed (--anchors journal)";
  }
  if (report.covered == 0) {
    return "no anchor covers a line: only the chain protects them" + OtherLogsText(report);
  }
  const uint64_t rest = report.lines - report.covered;
  return "lines 1 to " + std::to_string(report.covered) + ", up to " + report.covered_until +
         ", are covered by anchors" +
         (rest == 0 ? "" : ", the " + std::to_string(rest) + " after them only by the chain");
}

std::string MissingText(const Anchor& anchor) {
  return "the line of " + anchor.time + " that ended at byte " + std::to_string(anchor.end) +
         " has an anchor but is missing: the log was changed or cut since then, or someone forged "
         "the anchor";
}

void AddFaults(const LogReport& report, const Console& console, std::string& out) {
  const auto bad = [&](const std::string& text) {
    out += console.In(Tone::kBad, "BROKEN") + "  " + text + "\n";
  };
  for (const LogBreak& fault : report.breaks) {
    bad(Printable(fault.file) + ":" + std::to_string(fault.line) + " " + fault.what);
  }
  if (report.all_breaks > report.breaks.size()) {
    bad("and " + std::to_string(report.all_breaks - report.breaks.size()) + " more places");
  }
  if (!report.missing.empty() && report.met == 0) {
    return bad("none of the " + CountText(report.anchors, "anchor") +
               " has its line: the log was rewritten, or every line that has one was removed, or "
               "someone forged the anchors");
  }
  for (size_t i = 0; i < std::min(report.missing.size(), kShown); ++i) {
    bad(MissingText(report.missing[i]));
  }
  if (report.missing.size() > kShown) {
    bad("and " + std::to_string(report.missing.size() - kShown) + " more anchors");
  }
}

}  // namespace

std::string ReportText(const LogReport& report, const Console& console) {
  std::string out = Printable(report.file) + ": " + CountText(report.lines, "line") + " in " +
                    CountText(report.files, "file");
  if (!report.from.empty()) out += ", from " + report.from + " to " + report.to;
  out += "\n";
  if (!report.begins_at_start) out += BeginningText(report);
  if (report.torn > 0) out += TornText(report);
  if (report.unlocked > 0) {
    out +=
        CountText(report.unlocked, "line") + " written while another process held the log's lock\n";
  }
  AddFaults(report, console, out);
  out += CoverText(report) + "\n";
  return out + (report.is_sound() ? console.In(Tone::kGood, "sound")
                                  : console.In(Tone::kBad, "not sound"));
}

OrderedJson ReportJson(const LogReport& report) {
  OrderedJson json;
  json["sound"] = report.is_sound();
  json["file"] = report.file;
  json["files"] = report.files;
  json["lines"] = report.lines;
  json["torn"] = report.torn;
  json["unlocked"] = report.unlocked;
  json["from"] = report.from;
  json["to"] = report.to;
  json["begins_at_start"] = report.begins_at_start;
  json["breaks"] = OrderedJson::array();
  for (const LogBreak& fault : report.breaks) {
    json["breaks"].push_back({{"file", fault.file}, {"line", fault.line}, {"what", fault.what}});
  }
  json["all_breaks"] = report.all_breaks;
  if (!report.has_anchors) return json;
  OrderedJson& anchors = json["anchors"];
  anchors["read"] = report.anchors;
  anchors["met"] = report.met;
  anchors["before"] = report.anchors_before;
  anchors["missing"] = OrderedJson::array();
  for (const Anchor& anchor : report.missing) {
    anchors["missing"].push_back({{"time", anchor.time}, {"end", anchor.end}});
  }
  anchors["covered"] = report.covered;
  anchors["covered_until"] = report.covered_until;
  anchors["other_logs"] = report.other_logs;
  return json;
}

}  // namespace ringfence
