// Rewrites a Zellij layout so that the command of each pane runs under `ringfence run`. Keeps all
// other text byte for byte, and panes that are already wrapped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/layout/panes.h"

namespace ringfence {

struct RewriteQuestion {
  PaneWrapper wrapper;
  // Profiles of the panes that have a command, in document order; one alone applies to all panes.
  // If empty, each pane's name is its profile.
  std::vector<std::string> profiles;
  std::vector<std::string> known;  // all profiles of the policies
};

struct RewrittenLayout {
  std::string text;
  std::vector<std::string> profiles;  // of all wrapped panes, without duplicates
  std::vector<std::string> notes;     // panes that are not confined, or not as requested
};

// `name` is the document's name in messages.
Result<RewrittenLayout> RewriteLayout(std::string_view text, std::string_view name,
                                      const RewriteQuestion& question);

}  // namespace ringfence
