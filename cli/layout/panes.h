// Panes of confined agents side by side, as a Zellij layout or as a script that starts tmux.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringfence {

// How the command of a pane is confined: words in front of it.
struct PaneWrapper {
  std::string program;               // ringfence, by its absolute name
  std::vector<std::string> options;  // of `ringfence run`, the same for every pane

  // "run", "--profile=P", the options, "--". Each option is one word with its value, so that no
  // value is ever taken for an option.
  std::vector<std::string> Words(std::string_view profile) const;
};

struct Pane {
  std::string name;
  std::vector<std::string> argv;  // at least one word
};

struct PaneSet {
  std::string folder;  // that they begin in, absolute
  std::vector<Pane> panes;
};

// A KDL document. An error where something is not UTF-8, which KDL cannot say.
Result<std::string> ZellijLayout(const PaneSet& set);

// A POSIX shell script. Words behind its name are options of tmux's own.
std::string TmuxScript(const PaneSet& set);

}  // namespace ringfence
