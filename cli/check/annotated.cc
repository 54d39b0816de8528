#include "cli/check/annotated.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/add_once.h"
#include "base/text.h"

namespace ringfence {
namespace {

struct CodeText {
  std::string_view code;
  const char* text;
};

// Those of docs/check.md; a test compares the two.
constexpr CodeText kCodeTexts[] = {
    {"unusable", "The policy cannot be used, so it stops every call"},
    {"dead-rule", "The entry never permits anything"},
    {"shadowed-rule", "Another entry of the list covers this one"},
    {"wide-host", "The entry of network.allow opens more than one host"},
    {"own-loopback", "The loopback of a sandboxed command is not this machine's"},
    {"unknown-tool", "The client has no tool of this name"},
    {"dead-profile", "The profile is never chosen"},
    {"ignored-key", "The key has no effect in this profile"},
    {"unsafe-bypass", "The client asks nothing, and commands can run without a sandbox"},
    {"open-inbox", "The agent may write its own alerts"},
    {"untrusted-policy", "The project's policy is not trusted"},
    {"not-registered", "The client starts no hook for the event"},
    {"wrong-event", "The client starts the hook for an event that it does not answer"},
    {"shell-form", "A shell starts the hook"},
    {"relative-path", "The hook is registered with a relative path"},
    {"no-program", "A program of ringfence is missing or cannot be executed"},
    {"wrong-options", "The options of the registered hook are wrong"},
    {"no-policy", "The policy of the registered hook does not exist"},
    {"other-program", "The program has the hook's name and other contents"},
    {"only-plugin", "Only the plugin registers the hook, and a project can disable it"},
    {"on-failure", "A hook that cannot be started lets the call through"},
    {"async", "The client does not wait for the hook"},
    {"matcher", "The registration leaves out tools"},
    {"conditional", "The registration has a condition"},
    {"timeout", "The registration's timeout is wrong"},
    {"hooks-disabled", "The settings disable the hook"},
    {"dropped-file", "The client drops the settings file"},
    {"ignored-entry", "The client ignores the entry"},
    {"other-hook", "Another hook changes calls or answers for the user"},
    {"environment", "The settings put code into programs"},
    {"everything-excluded", "No command runs in the client's sandbox"},
    {"bypass", "The client asks nothing"},
    {"weakened", "The settings are weaker than when the hook was registered"},
    {"two-sandboxes", "Commands run in two sandboxes"},
    {"sandbox-opened", "The client's sandbox permits what the policy does not"},
    {"client-fence", "The client refuses some calls that the policy permits"},
    {"writable-program", "Another user can change the program"},
    {"writable-folder", "Another user can replace the program"},
    {"foreign-owner", "The program belongs to another user"},
    {"setuid-program", "The program runs as another user"},
    {"program-in-project", "The agent can write the program"},
    {"dynamic-program", "The settings of a project can silence the program"},
};

std::string DescriptionOf(const std::string& code) {
  const auto* row = std::ranges::find(kCodeTexts, code, &CodeText::code);
  return row == std::end(kCodeTexts) ? code : row->text;
}

struct TextPlace {
  uint32_t line = 0;
  uint32_t column = 0;
  std::string_view rest;  // after the numbers
};

// Reads ":7" from the beginning of `text`. Returns 0 if no number is there.
uint32_t TakePosition(std::string_view& text) {
  if (!text.starts_with(':')) return 0;
  uint32_t number = 0;
  const auto [end, failure] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (failure != std::errc() || number == 0) return 0;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// Reads "SUBJECT", "SUBJECT:7", "SUBJECT:7:14" or one of them and ": more".
std::optional<TextPlace> PlaceIn(const std::string& subject, std::string_view where) {
  if (where == Quote(subject)) return TextPlace{};
  if (!where.starts_with(subject)) return std::nullopt;
  TextPlace place{.rest = where.substr(subject.size())};
  place.line = TakePosition(place.rest);
  if (place.line > 0) place.column = TakePosition(place.rest);
  if (!place.rest.empty() && !place.rest.starts_with(": ")) return std::nullopt;
  if (place.rest.starts_with(": ")) place.rest.remove_prefix(2);
  return place;
}

// The path of a file that messages show as "~/name".
std::string FullPath(const std::string& shown, const std::string& home) {
  return !home.empty() && shown.starts_with("~/") ? home + shown.substr(1) : shown;
}

Annotation AnnotationOf(const Finding& finding, const Checked& checked) {
  const Error& error = finding.error;
  Annotation annotation{.severity = finding.severity, .rule = finding.code};
  TextPlace best{.rest = error.where};
  std::string subject;
  for (const std::string& candidate : checked.subjects) {
    const std::optional<TextPlace> place = PlaceIn(candidate, error.where);
    if (!place || candidate.size() < subject.size()) continue;  // a file may be named "x.json:7"
    best = *place;
    subject = candidate;
  }
  if (subject.empty() && !checked.subjects.empty()) subject = checked.subjects.front();
  annotation.file = FullPath(subject, checked.home);
  annotation.line = best.line;
  annotation.column = best.column;
  annotation.text = (best.rest.empty() ? "" : std::string(best.rest) + ": ") + error.what;
  if (!error.hint.empty()) annotation.text += "\nHint: " + error.hint;
  return annotation;
}

}  // namespace

Annotations AnnotationsOf(const Checked& checked) {
  Annotations annotations{.command = "check"};
  for (const Finding& finding : checked.findings) {
    AddOnce(annotations.rules, AnnotationRule{finding.code, DescriptionOf(finding.code)});
    annotations.found.push_back(AnnotationOf(finding, checked));
  }
  return annotations;
}

}  // namespace ringfence
