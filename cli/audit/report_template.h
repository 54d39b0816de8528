// Template of the HTML report: report.html, report.css and report*.js in this directory, which the
// build embeds in the program.
#pragma once

#include <string_view>

namespace ringfence {

extern const std::string_view kReportHtml;
extern const std::string_view kReportCss;
extern const std::string_view kReportJs;

}  // namespace ringfence
