// Parts of the HTML report: report.css, report*.js and report_patterns.html in this directory,
// which the build embeds in the program.
#pragma once

#include <string_view>

namespace ringfence {

extern const std::string_view kReportCss;
extern const std::string_view kReportJs;
extern const std::string_view kReportPatterns;  // of the kinds of decision, for the charts

}  // namespace ringfence
