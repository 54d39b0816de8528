// The panes of a Zellij layout that run something, as Zellij understands the document.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/layout/kdl.h"

namespace ringfence {

// One pane. Points into the nodes that it was found in.
struct LayoutPane {
  const KdlNode* node = nullptr;
  std::string name;                       // "" where it has none
  const KdlValue* own_command = nullptr;  // as a property or in the block
  const KdlNode* own_args = nullptr;
  std::optional<std::string> command;  // its own, or its template's; absent: it runs none
  std::vector<std::string> args;       // the same
  std::string carried;                 // properties of the template's that a command of its own
                                       // would take away: " close_on_exit=true"
  bool edits = false;                  // it opens an editor
  bool is_shell = false;               // it runs nothing else, so the user's shell
};

// In the order of the document. Strict: a pane that Zellij would refuse, or that could be
// understood in two ways, is an error with its place.
Result<std::vector<LayoutPane>> FindPanes(const std::vector<KdlNode>& document,
                                          std::string_view text, std::string_view name);

}  // namespace ringfence
