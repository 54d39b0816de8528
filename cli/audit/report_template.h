// The page around the HTML report: report.html, report.css and report*.js of this folder, which the
// build makes a part of the program.
#pragma once

#include <string_view>

namespace ringfence {

extern const std::string_view kReportHtml;
extern const std::string_view kReportCss;
extern const std::string_view kReportJs;

}  // namespace ringfence
