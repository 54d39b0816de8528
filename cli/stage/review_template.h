// The style of review_page.h: review.css in this directory, which the build embeds.
#pragma once

#include <string_view>

namespace ringfence {

extern const std::string_view kReviewCss;

}  // namespace ringfence
