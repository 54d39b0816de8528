// A page of HTML in one file: the frame that all reports share. It loads nothing, sends nothing and
// forbids everything else by a Content-Security-Policy.
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

// All texts are markup: foreign text in them has passed through Markup().
struct PageParts {
  std::string_view command;  // "audit"
  std::string title;
  std::string_view tone;  // "good", "bad" or "none"
  std::string_view css;   // in addition to the shared style
  std::string_view js;    // a module; "" for a page without scripts
  std::string before;     // in front of the header
  std::string head;       // in the header, after the title
  std::string main;
  std::string after;  // after the footer, in front of the module
};

std::string Page(const PageParts& parts);

}  // namespace ringfence
