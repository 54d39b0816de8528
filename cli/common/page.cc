#include "cli/common/page.h"

#include <nlohmann/json.hpp>

#include "cli/common/markup.h"
#include "cli/common/page_template.h"

namespace ringfence {

std::string Page(const PageParts& parts) {
  const std::string css = std::string(kPageCss) + std::string(parts.css);
  std::string policy = "default-src 'none'; style-src " + PolicyHash(css);
  if (!parts.js.empty()) policy += "; script-src " + PolicyHash(parts.js);
  policy +=
      "; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
      "trusted-types 'none'";
  std::string after = parts.after;
  if (!parts.js.empty()) {
    after += "<script type=\"module\">" + std::string(parts.js) + "</script>\n";
  }
  const Slot slots[] = {{"policy", policy},
                        {"css", css},
                        {"command", std::string(parts.command)},
                        {"title", parts.title},
                        {"tone", std::string(parts.tone)},
                        {"before", parts.before},
                        {"head", parts.head},
                        {"main", parts.main},
                        {"after", after},
                        {"version", RINGFENCE_VERSION}};
  return Fill(kPageHtml, slots);
}

}  // namespace ringfence
