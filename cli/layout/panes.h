// Arranges confined agents in panes, as a Zellij layout or as a script that starts tmux.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringfence {

// The words in front of a pane's command that confine it.
struct PaneWrapper {
  std::string program;               // absolute path of ringfence
  std::vector<std::string> options;  // for `ringfence run`, the same in every pane

  // Returns "run", "--profile=P", the options and "--". Each option is one word with its value, so
  // that no value can be mistaken for an option.
  std::vector<std::string> Words(std::string_view profile) const;
};

struct Pane {
  std::string name;
  std::vector<std::string> argv;  // at least one word
};

struct PaneSet {
  std::string folder;  // where the panes start, absolute
  std::vector<Pane> panes;
};

// Returns a KDL document. A text that is not UTF-8 is an error, because KDL cannot represent it.
Result<std::string> ZellijLayout(const PaneSet& set);

// Returns a POSIX shell script. It passes its arguments to tmux as options.
std::string TmuxScript(const PaneSet& set);

}  // namespace ringfence
