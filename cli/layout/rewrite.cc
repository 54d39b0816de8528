#include "cli/layout/rewrite.h"

#include <algorithm>
#include <utility>

#include "base/add_once.h"
#include "base/contains.h"
#include "base/json_tree.h"
#include "base/path.h"
#include "base/program.h"
#include "base/text.h"
#include "cli/layout/kdl.h"
#include "cli/layout/layout_panes.h"
#include "run/options.h"

namespace ringfence {
namespace {

struct Edit {
  size_t begin = 0;
  size_t end = 0;
  std::string text;
};

std::string Applied(std::string_view text, std::vector<Edit> edits) {
  std::ranges::stable_sort(edits, {}, &Edit::begin);
  std::string out;
  size_t done = 0;
  for (const Edit& edit : edits) {
    out += text.substr(done, edit.begin - done);
    out += edit.text;
    done = edit.end;
  }
  return out + std::string(text.substr(done));
}

bool IsWrapped(const LayoutPane& pane) {
  const std::string_view command = *pane.command;
  const bool is_ringfence = BaseName(command) == "ringfence";
  return is_ringfence && !pane.args.empty() && pane.args.front() == "run";
}

// Returns the options of a pane that is already wrapped; nothing if they cannot be parsed.
std::optional<RunOptions> RunLineOf(const LayoutPane& pane) {
  std::vector<std::string> words(pane.args.begin() + 1, pane.args.end());
  std::vector<char*> pointers = ArgumentPointers(words);
  pointers.pop_back();  // the nullptr at the end
  return ReadRunLine(pointers);
}

// Returns why a pane that is already wrapped is not confined, or "".
std::string Unconfined(const std::optional<RunOptions>& options) {
  if (!options) return "its \"ringfence run\" has a command line that could not be parsed";
  if (options->no_sandbox) return "its \"ringfence run\" has --no-sandbox";
  return options->mode == "rwx" ? "its \"ringfence run\" has --mode rwx" : "";
}

// Returns the indentation before `offset` with the preceding line end; "" if other text precedes
// `offset` on its line.
std::string LineBegin(std::string_view text, size_t offset) {
  size_t begin = offset;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  if (begin == 0 || text[begin - 1] != '\n') return "";
  --begin;
  if (begin > 0 && text[begin - 1] == '\r') --begin;
  return std::string(text.substr(begin, offset - begin));
}

class Rewriter {
 public:
  Rewriter(std::string_view text, std::string_view name, const RewriteQuestion& question)
      : text_(text), document_(name), question_(question) {}

  Result<RewrittenLayout> Run() {
    const Result<std::vector<KdlNode>> nodes = ReadKdl(text_, document_);
    if (!nodes) return nodes.error();
    const Result<std::vector<LayoutPane>> panes = FindPanes(*nodes, text_, document_);
    if (!panes) return panes.error();
    if (Status s = CheckCount(*panes); !s) return s.error();
    size_t position = 0;
    for (const LayoutPane& pane : *panes) {
      if (Status s = TakePane(pane, position); !s) return s.error();
      if (pane.command) ++position;
    }
    result_.text = Applied(text_, std::move(edits_));
    return std::move(result_);
  }

 private:
  std::string PlaceOf(const LayoutPane& pane) const {
    return PlaceText(document_, text_, pane.node->begin);
  }

  Error Wrong(const LayoutPane& pane, std::string what, std::string hint) const {
    return ConfigError(PlaceOf(pane), std::move(what), std::move(hint));
  }

  void Note(const LayoutPane& pane, const std::string& what) {
    result_.notes.push_back(PlaceOf(pane) + ": " + what);
  }

  Status CheckCount(const std::vector<LayoutPane>& panes) const {
    const auto count = static_cast<size_t>(
        std::ranges::count_if(panes, [](const LayoutPane& p) { return p.command.has_value(); }));
    const size_t given = question_.profiles.size();
    if (count == 0) return ConfigError(std::string(document_), "no pane has a command");
    if (given < 2 || given == count) return Unit{};
    return UsageError(
        std::string(document_),
        std::to_string(count) + " panes have a command, and " + std::to_string(given) +
            " profiles are given",
        "name one for each in the order of the file, one for all, or none if the panes "
        "are named after profiles");
  }

  Status TakePane(const LayoutPane& pane, size_t position) {
    if (pane.edits) Note(pane, "opens an editor, which is not confined");
    if (pane.is_shell) Note(pane, "runs a shell, which is not confined");
    if (!pane.command) return Unit{};
    if (IsWrapped(pane)) {
      TakeWrapped(pane, position);
      return Unit{};
    }
    Result<std::string> profile = ProfileOf(pane, position);
    if (!profile) return profile.error();
    if (pane.command->empty()) return Wrong(pane, "an empty command", "");
    AddOnce(result_.profiles, *profile);
    return Wrap(pane, *profile);
  }

  // Leaves the pane as it is, and notes how it differs from what the user asked for.
  void TakeWrapped(const LayoutPane& pane, size_t position) {
    if (*pane.command != question_.wrapper.program) {
      Note(pane, "runs another program, " + Quote(*pane.command) + ", and stays as it is");
    }
    const std::optional<RunOptions> options = RunLineOf(pane);
    const std::string why = Unconfined(options);
    if (!why.empty()) Note(pane, "is not confined: " + why);
    if (!options) return;
    const std::vector<std::string>& own = question_.wrapper.options;
    const bool is_foreign =
        !options->policy.empty() && !Contains(own, "--policy=" + options->policy);
    if (is_foreign) {
      return Note(pane,
                  "runs under another policy, " + Quote(options->policy) + ", and stays as it is");
    }
    const Result<std::string> asked = ProfileOf(pane, position);
    if (asked && *asked != options->profile) {
      Note(pane,
           "runs under " +
               (options->profile.empty() ? "no profile" : "profile " + Quote(options->profile)) +
               ", not " + Quote(*asked) + ", and stays as it is");
    }
    if (Contains(question_.known, options->profile)) AddOnce(result_.profiles, options->profile);
  }

  Result<std::string> ProfileOf(const LayoutPane& pane, size_t position) const {
    const std::vector<std::string>& given = question_.profiles;
    if (given.size() == 1) return given.front();
    if (!given.empty()) return given[position];
    if (Contains(question_.known, pane.name)) return pane.name;
    return Wrong(pane,
                 pane.name.empty() ? "the pane has a command and no name"
                                   : "no policy has a profile " + Quote(pane.name),
                 "give the pane the name of a profile, or name the profiles on the command line");
  }

  // Returns the words to insert before the pane's own arguments.
  std::string Words(const LayoutPane& pane, const std::string& profile) const {
    std::string words;
    for (const std::string& word : question_.wrapper.Words(profile)) words += " " + KdlString(word);
    return words + " " + KdlString(*pane.command);
  }

  Status Wrap(const LayoutPane& pane, const std::string& profile) {
    const std::string program = KdlString(question_.wrapper.program);
    if (pane.own_command != nullptr) {
      edits_.push_back({pane.own_command->begin, pane.own_command->end, program});
    } else {
      Insert(pane.node->name_end, " command=" + program + pane.carried);
    }
    std::string words = Words(pane, profile);
    if (pane.own_args != nullptr) {
      Insert(pane.own_args->name_end, std::move(words));
      return Unit{};
    }
    for (const std::string& word : pane.args) words += " " + KdlString(word);
    return AddArgs(pane, "args" + words);
  }

  Status AddArgs(const LayoutPane& pane, const std::string& args) {
    const KdlNode& node = *pane.node;
    if (node.has_dead_block) {
      return Wrong(pane, "a commented-out block where the pane's own block has to be", "remove it");
    }
    if (!node.has_block) {
      Insert(node.entries_end, " { " + args + "; }");
    } else if (node.children.empty()) {
      Insert(node.block_begin, " " + args + "; ");
    } else {
      const size_t first = node.children.front().begin;
      const std::string line = LineBegin(text_, first);
      Insert(first, args + (line.empty() ? "; " : line));
    }
    return Unit{};
  }

  void Insert(size_t offset, std::string text) {
    edits_.push_back({offset, offset, std::move(text)});
  }

  std::string_view text_;
  std::string_view document_;
  const RewriteQuestion& question_;
  std::vector<Edit> edits_;
  RewrittenLayout result_;
};

}  // namespace

Result<RewrittenLayout> RewriteLayout(std::string_view text, std::string_view name,
                                      const RewriteQuestion& question) {
  return Rewriter(text, name, question).Run();
}

}  // namespace ringfence
