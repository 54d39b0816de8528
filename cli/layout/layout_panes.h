// Finds the panes of a Zellij layout that run something, reading the document as Zellij does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/layout/kdl.h"

namespace ringfence {

// One pane. Points into the nodes that FindPanes() was given.
struct LayoutPane {
  const KdlNode* node = nullptr;
  std::string name;                       // "" if it has none
  const KdlValue* own_command = nullptr;  // a property, or a child in the block
  const KdlNode* own_args = nullptr;
  std::optional<std::string> command;  // its own or its template's; absent if it runs none
  std::vector<std::string> args;       // its own or its template's
  std::string carried;                 // properties of the template that the pane
                                       // loses with its own command: " close_on_exit=true"
  bool edits = false;                  // opens an editor
  bool is_shell = false;               // runs the user's shell, because it names nothing else
};

// Returns the panes in document order. Strict: a pane that Zellij would refuse, or that is
// ambiguous, is an error with its position.
Result<std::vector<LayoutPane>> FindPanes(const std::vector<KdlNode>& document,
                                          std::string_view text, std::string_view name);

}  // namespace ringfence
