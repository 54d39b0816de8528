#include "cli/common/annotations.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/json_edit.h"
#include "base/text.h"
#include "cli/common/console.h"

namespace ringfence {
namespace {

std::string_view SarifLevel(Severity severity) {
  constexpr std::string_view kNames[] = {"error", "warning", "note"};  // by Severity
  return kNames[static_cast<size_t>(severity)];
}

std::string_view WorkflowLevel(Severity severity) {
  constexpr std::string_view kNames[] = {"error", "warning", "notice"};  // by Severity
  return kNames[static_cast<size_t>(severity)];
}

// "./a//b" as "a/b": the programs compare names with those in the repository.
std::string PlainName(const std::string& file) {
  return std::filesystem::path(file).lexically_normal().string();
}

// Relative if the name is.
std::string Uri(const std::string& file) {
  return (file.starts_with('/') ? "file://" : "") + PercentEncoded(file, "-._~/");
}

OrderedJson SarifRule(const AnnotationRule& rule) {
  OrderedJson json{{"id", rule.id}};
  json["shortDescription"]["text"] = rule.text;
  return json;
}

OrderedJson SarifResult(const Annotation& annotation) {
  OrderedJson result{{"ruleId", annotation.rule}};
  result["level"] = SarifLevel(annotation.severity);
  result["message"]["text"] = annotation.text;
  if (annotation.file.empty()) return result;
  OrderedJson location;
  OrderedJson& place = location["physicalLocation"];
  place["artifactLocation"]["uri"] = Uri(PlainName(annotation.file));
  place["region"]["startLine"] = annotation.line == 0 ? 1 : annotation.line;
  if (annotation.column > 0) place["region"]["startColumn"] = annotation.column;
  result["locations"].push_back(std::move(location));
  return result;
}

// Escapes `text` as the runner of GitHub Actions reads it: in a message, or (`is_property`) in a
// property, which ":" and "," would end.
std::string WorkflowText(std::string_view text, bool is_property) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const std::string_view special = is_property ? "%\r\n:," : "%\r\n";
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) == std::string_view::npos) {
      escaped += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    (escaped += '%') += kHex[byte >> 4];
    escaped += kHex[byte & 15];
  }
  return escaped;
}

std::string WorkflowCommand(std::string_view command, const Annotation& annotation) {
  std::string line = "::" + std::string(WorkflowLevel(annotation.severity)) + " ";
  if (!annotation.file.empty()) {
    line += "file=" + WorkflowText(PlainName(annotation.file), true) + ",";
    if (annotation.line > 0) line += "line=" + std::to_string(annotation.line) + ",";
    if (annotation.column > 0) line += "col=" + std::to_string(annotation.column) + ",";
  }
  line +=
      "title=" + WorkflowText("ringfence " + std::string(command) + ": " + annotation.rule, true);
  return line + "::" + WorkflowText(PrintableLines(annotation.text), false) + "\n";
}

}  // namespace

std::string SarifText(const Annotations& annotations) {
  OrderedJson run;
  OrderedJson& driver = run["tool"]["driver"];
  driver["name"] = "ringfence";
  driver["version"] = RINGFENCE_VERSION;
  driver["rules"] = JsonArray(annotations.rules, SarifRule);
  run["automationDetails"]["id"] = "ringfence-" + std::string(annotations.command) + "/";
  run["results"] = JsonArray(annotations.found, SarifResult);
  OrderedJson sarif{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"}};
  sarif["runs"].push_back(std::move(run));
  return JsonText(sarif, 2) + "\n";
}

std::string WorkflowCommands(const Annotations& annotations) {
  std::string lines;
  for (const Annotation& annotation : annotations.found) {
    lines += WorkflowCommand(annotations.command, annotation);
  }
  return lines;
}

}  // namespace ringfence
