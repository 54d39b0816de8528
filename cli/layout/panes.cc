#include "cli/layout/panes.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/layout/kdl.h"

namespace ringfence {
namespace {

constexpr size_t kMostInARow = 4;

// Returns the number of panes in each row: up to four side by side, otherwise rows in a grid that
// is about square.
std::vector<size_t> RowLengths(size_t panes) {
  size_t columns = kMostInARow;
  if (panes > kMostInARow) {
    for (columns = 1; columns * columns < panes;) ++columns;
  }
  const size_t rows = (panes + columns - 1) / columns;
  std::vector<size_t> lengths(rows, panes / rows);
  for (size_t i = 0; i < panes % rows; ++i) ++lengths[i];
  return lengths;
}

std::string PaneNode(const Pane& pane, const std::string& indent) {
  std::string out =
      indent + "pane name=" + KdlString(pane.name) + " command=" + KdlString(pane.argv.front());
  if (pane.argv.size() == 1) return out + "\n";
  out += " {\n" + indent + "    args";
  for (size_t i = 1; i < pane.argv.size(); ++i) out += " " + KdlString(pane.argv[i]);
  return out + "\n" + indent + "}\n";
}

constexpr const char* kBars = R"(    default_tab_template {
        pane size=1 borderless=true {
            plugin location="zellij:tab-bar"
        }
        children
        pane size=2 borderless=true {
            plugin location="zellij:status-bar"
        }
    }
)";

// Returns the first text that is not UTF-8, or nullptr.
const std::string* NoUtf8(const PaneSet& set) {
  if (!IsValidUtf8(set.folder)) return &set.folder;
  for (const Pane& pane : set.panes) {
    const auto wrong = std::ranges::find_if_not(pane.argv, IsValidUtf8);
    if (wrong != pane.argv.end()) return &*wrong;
  }
  return nullptr;
}

// Quotes one word of a tmux command line. tmux takes a ";" at the end of a word for the end of a
// command, unless a "\" precedes it (tmux(1), "Parsing syntax").
std::string TmuxWord(std::string word) {
  if (word.ends_with(';')) word.insert(word.size() - 1, "\\");
  return ShellQuoted(word);
}

std::string TmuxWords(std::vector<std::string> argv) {
  // tmux passes a command of one word to a shell, but runs a longer one directly.
  if (argv.size() == 1) argv.insert(argv.begin(), {"/bin/sh", "-c", "exec \"$0\""});
  std::string out;
  for (const std::string& word : argv) out += " " + TmuxWord(word);
  return out;
}

// The name is a pane option: unlike a title, the program in the pane cannot change it. tmux prints
// it and does not expand it. "#" has a meaning in tmux; "##" is the character.
std::string TmuxName(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == '#' ? "##" : std::string(1, c);
  return TmuxWord(std::move(out));
}

constexpr const char* kScriptHead = R"(#!/bin/sh
# Agents side by side, made by ringfence layout. Start it with sh; words behind its name are options
# of tmux's own, such as -L NAME.
set -eu
)";

// The first pane only waits until the others exist, so that none of them can end before tmux is set
// to keep it (remain-on-exit). On a failure the trap removes the incomplete layout.
constexpr const char* kScriptBegin = R"(
first=$(tmux "$@" new-session -d -x 200 -y 50 -n ringfence -P -F '#{pane_id}' -- sleep 600)
trap 'tmux "$@" kill-session -t "$first"' EXIT
tmux "$@" set-option -w -t "$first" remain-on-exit on
tmux "$@" set-option -w -t "$first" pane-border-status top
tmux "$@" set-option -w -t "$first" pane-border-format ' #{@ringfence} '
pane=$first
)";

constexpr const char* kScriptEnd = R"(
trap - EXIT
tmux "$@" kill-pane -t "$first"
tmux "$@" select-layout -t "$pane" tiled
if ! [ -t 0 ] || ! [ -t 1 ]; then
  echo "started; to look at it: tmux${*:+ $*} attach-session"
elif [ -n "${TMUX-}" ]; then
  exec tmux "$@" switch-client -t "$pane"
else
  exec tmux "$@" attach-session -t "$pane"
fi
)";

}  // namespace

std::vector<std::string> PaneWrapper::Words(std::string_view profile) const {
  std::vector<std::string> words{"run", "--profile=" + std::string(profile)};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  return words;
}

Result<std::string> ZellijLayout(const PaneSet& set) {
  if (const std::string* wrong = NoUtf8(set)) {
    return UsageError(Quote(*wrong), "is not UTF-8, and KDL is",
                      "use another name, or tmux: --for tmux");
  }
  std::string out = "// Agents side by side, made by ringfence layout: zellij --layout FILE\n";
  out += "layout {\n    cwd " + KdlString(set.folder) + "\n" + kBars;
  auto pane = set.panes.begin();
  for (const size_t length : RowLengths(set.panes.size())) {
    out += "    pane split_direction=\"vertical\" {\n";
    for (size_t i = 0; i < length; ++i) out += PaneNode(*pane++, "        ");
    out += "    }\n";
  }
  return out + "}\n";
}

std::string TmuxScript(const PaneSet& set) {
  std::string out = kScriptHead;
  out += "cd " + ShellQuoted(set.folder) + "\n" + kScriptBegin;
  for (const Pane& pane : set.panes) {
    out += R"(
pane=$(tmux "$@" split-window -d -t "$pane" -P -F '#{pane_id}' --)";
    out += TmuxWords(pane.argv);
    out += R"()
tmux "$@" set-option -p -t "$pane" @ringfence )";
    out += TmuxName(pane.name);
    out += R"(
tmux "$@" select-layout -t "$pane" tiled
)";
  }
  return out + kScriptEnd;
}

}  // namespace ringfence
