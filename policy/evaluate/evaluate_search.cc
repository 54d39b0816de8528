#include "policy/evaluate/evaluate_search.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "policy/rules/search_pattern.h"

namespace ringfence {

// A tool without a pattern lists a directory.
std::string_view SearchEvaluator::Verb() const {
  const bool searches = std::ranges::any_of(tool_->fields, [](const ToolField& field) {
    return field.role == FieldRole::kSearchPattern || field.role == FieldRole::kSearchFilter;
  });
  return searches ? "search of" : "listing of";
}

void SearchEvaluator::EvaluateFolder(const InputField* field) {
  if (field != nullptr && field->text.empty()) field = nullptr;  // the client treats it as absent
  const InputField* pattern = Given(FieldRole::kSearchPattern);
  if (field == nullptr && pattern != nullptr && pattern->text.starts_with('/')) return;
  if (field == nullptr && !event_.cwd) {
    return verdict_.Deny("search", "the event has no cwd to search in");
  }
  const InputField here{
      .pointer = "/cwd", .key = "cwd", .kind = JsonKind::kString, .text = event_.cwd.value_or("")};
  const InputField& folder = field == nullptr ? here : *field;
  const std::string_view verb = Verb();
  PathDecision decision = paths_.Evaluate(folder.text, Access::kRead, verb, folder.pointer);
  const bool may_meet = !PatternNamesFolder() && decision.verdict != Verdict::kDeny;
  if (may_meet) TakeDeniedBelow(decision.ends, verb);
  ExplainDeniedBelow(decision, verb);
  verdict_.Take(std::move(decision), Access::kRead);
}

const InputField* SearchEvaluator::Given(FieldRole role) const {
  const auto spec = std::ranges::find(tool_->fields, role, &ToolField::role);
  if (spec == tool_->fields.end()) return nullptr;
  const auto field = std::ranges::find(event_.input, spec->pointer, &InputField::pointer);
  return field == event_.input.end() ? nullptr : &*field;
}

// True if each alternative begins with a directory of its own, so the search begins below the
// search directory.
bool SearchEvaluator::PatternNamesFolder() const {
  const InputField* pattern = Given(FieldRole::kSearchPattern);
  if (pattern == nullptr) return false;
  const SearchPattern read = ReadSearchPattern(pattern->text);
  return !read.refused && read.names_folder;
}

std::string SearchEvaluator::SearchFolder() const {
  const InputField* field = Given(FieldRole::kSearchFolder);
  const bool is_given =
      field != nullptr && field->kind == JsonKind::kString && !field->text.empty();
  return is_given ? field->text : event_.cwd.value_or("");
}

void SearchEvaluator::EvaluatePattern(FieldRole role, const InputField& field) {
  const SearchPattern read = ReadSearchPattern(field.text);
  if (read.refused) {
    return verdict_.Deny("search for " + Quote(field.text), std::string(*read.refused));
  }
  const bool is_filter = role == FieldRole::kSearchFilter;
  for (const std::string& beginning : read.beginnings) {
    if (beginning.empty()) continue;
    const bool alone = beginning[0] == '/' || beginning[0] == '~';
    if (is_filter && !alone) continue;  // it only selects names below the directory
    const std::string text = alone ? beginning : SearchFolder() + "/" + beginning;
    PathDecision decision = paths_.Evaluate(text, Access::kRead, "search of", field.pointer);
    ExplainDeniedBelow(decision, "search of");
    if (decision.verdict != Verdict::kDeny && !is_filter) {
      TakeDeniedBelow(decision.ends, "search of");
    }
    verdict_.Take(decision.verdict, std::move(decision.cause));
  }
}

// If something in the directory is denied, replaces a remedy that allows the directory: it would
// not be enough.
void SearchEvaluator::ExplainDeniedBelow(PathDecision& decision, std::string_view verb) const {
  const bool has_command = decision.cause && decision.cause->remedy.find('`') != std::string::npos;
  if (!has_command) return;
  for (const Path& folder : decision.ends) {
    if (auto cause = paths_.MeetsDenied(folder, verb)) {
      decision.cause = std::move(cause);
      return;
    }
  }
}

void SearchEvaluator::TakeDeniedBelow(const std::vector<Path>& folders, std::string_view verb) {
  for (const Path& folder : folders) {
    if (auto cause = paths_.MeetsDenied(folder, verb)) {
      verdict_.Take(Verdict::kDeny, std::move(cause));
    }
  }
}

}  // namespace ringfence
