// The frame of page.h: page.html and page.css in this directory, which the build embeds.
#pragma once

#include <string_view>

namespace ringfence {

extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;

}  // namespace ringfence
