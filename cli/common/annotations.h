// Findings for programs that show them beside the code: a SARIF 2.1.0 document (OASIS), and
// workflow commands of GitHub Actions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

enum class Severity { kError, kWarning, kNote };

struct Annotation {
  Severity severity = Severity::kError;
  std::string rule;     // id of one of the rules: "dead-rule"
  std::string text;     // may have several lines
  std::string file;     // absolute, or relative to the current directory; "": none
  uint32_t line = 0;    // from 1; 0: unknown
  uint32_t column = 0;  // from 1; 0: unknown
};

struct AnnotationRule {
  std::string id;
  std::string text;  // one sentence

  bool operator==(const AnnotationRule&) const = default;
};

struct Annotations {
  std::string_view command;  // of ringfence: "check"
  std::vector<AnnotationRule> rules;
  std::vector<Annotation> found;
};

// A whole document that ends with a newline. It names its command as the category of its run, so
// that the results of several commands can be uploaded together.
std::string SarifText(const Annotations& annotations);

// One line for each annotation. File names and texts are escaped: none of them can end a command,
// begin another one or be one.
std::string WorkflowCommands(const Annotations& annotations);

}  // namespace ringfence
