// Rewrites a Zellij layout so that the command of each pane runs under `ringfence run`. Everything
// else in the text stays byte for byte, and what is wrapped already stays as it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/layout/panes.h"

namespace ringfence {

struct RewriteQuestion {
  PaneWrapper wrapper;
  // For the panes that have a command, in the order of the document; one stands for all of them.
  // None: each pane's name is its profile.
  std::vector<std::string> profiles;
  std::vector<std::string> known;  // every profile that there is
};

struct RewrittenLayout {
  std::string text;
  std::vector<std::string> profiles;  // of the panes that are wrapped, also before; each once
  std::vector<std::string> notes;     // what is not confined by it, or not as it was asked
};

// `name` is what messages call the document.
Result<RewrittenLayout> RewriteLayout(std::string_view text, std::string_view name,
                                      const RewriteQuestion& question);

}  // namespace ringfence
