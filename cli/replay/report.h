// Formats a survey, as text and as JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "cli/replay/survey.h"

namespace ringfence {

struct ReportNames {
  std::string against;  // the second policy as given, or ""
  size_t files = 0;
};

void PrintReport(const Survey& survey, const ReportNames& names);
OrderedJson ReportJson(const Survey& survey, const ReportNames& names);

}  // namespace ringfence
