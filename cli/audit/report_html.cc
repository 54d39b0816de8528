// A self-contained page: its data as JSON, the script that renders it, and tables of the verdicts
// for browsers without scripts.
#include <nlohmann/json.hpp>

#include "cli/audit/explanation.h"
#include "cli/audit/markup.h"
#include "cli/audit/report_page.h"
#include "cli/audit/report_template.h"
#include "cli/audit/statistics.h"

namespace ringfence {
namespace {

// Renders a value as HTML: an array as a list, an object as its texts in a row.
std::string ValueHtml(const OrderedJson& json) {
  std::string out;
  if (json.is_structured()) {
    for (const OrderedJson& value : json) {
      if (value.is_number()) continue;
      const std::string html = ValueHtml(value);
      out += json.is_array() ? "<li>" + html + "</li>" : html + " ";
    }
    return json.is_object() || out.empty() ? out : "<ol>" + out + "</ol>";
  }
  if (json.is_null()) return "\xE2\x80\x93";
  if (json.is_number()) return Grouped(json);
  for (const char c : json.get<std::string>()) {
    out += c == kWrittenMark ? "(this)" : c == kResolvedMark ? "(its path)" : std::string(1, c);
  }
  return Markup(out);
}

// Renders a table with one row for each of `things` and one column for each key.
std::string TableHtml(std::string_view caption, const std::vector<const char*>& keys,
                      const OrderedJson& things) {
  if (things.empty()) return "";
  std::string out = "<section class=\"scroll\" aria-label=\"" + std::string(caption) +
                    "\" tabindex=\"0\"><table><caption>" + std::string(caption) +
                    "</caption><thead><tr>";
  for (const char* key : keys) out += "<th scope=\"col\">" + std::string(key) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const OrderedJson& thing : things) {
    out += "<tr>";
    for (const char* key : keys)
      out += "<td>" + ValueHtml(thing.value(key, OrderedJson(""))) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></section>\n";
}

std::string NoScriptHtml(const OrderedJson& page) {
  std::string counts;
  for (size_t i = 0; i < kDecisions.size(); ++i) {
    counts += Grouped(page["counts"]["all"]["tally"][i]) + " " + std::string(kDecisions[i]) + ", ";
  }
  return "<p>" + counts + Grouped(page["mismatches"]) + " not as expected. Decided under:</p>" +
         ValueHtml(page["labels"]) +
         TableHtml("Not as expected", {"mismatch", "decision", "rule", "told", "calls"},
                   page["wrong"]) +
         TableHtml("Changed since the baseline", {"fixture", "under", "before", "now"},
                   page["changes"]) +
         TableHtml("Denials and questions, by rule",
                   {"rule", "decision", "decisions", "told", "calls"}, page["reasons"]) +
         TableHtml("The matrix", {"name", "count", "cells", "tool", "path"}, page["rows"]);
}

}  // namespace

std::string AuditHtml(const AuditReport& report) {
  const OrderedJson page = PageJson(report);
  const bool is_none = page["demanding"] == 0 && report.baseline.empty();
  const std::string policy = "default-src 'none'; style-src " + PolicyHash(kReportCss) +
                             "; script-src " + PolicyHash(kReportJs) +
                             "; base-uri 'none'; form-action 'none'; "
                             "require-trusted-types-for 'script'; trusted-types 'none'";
  const Slot slots[] = {{"policy", policy},
                        {"css", std::string(kReportCss)},
                        {"js", std::string(kReportJs)},
                        {"answer", ValueHtml(page["answer"])},
                        {"sound", !report.is_sound() ? "bad"
                                  : is_none          ? "none"
                                                     : "good"},
                        {"data", ScriptJson(page)},
                        {"noscript", NoScriptHtml(page)},
                        {"version", RINGFENCE_VERSION}};
  return Fill(kReportHtml, slots);
}

}  // namespace ringfence
