#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>
#include <utility>

#include "base/add_once.h"
#include "base/environment.h"
#include "base/program.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "cli/command_line/options.h"
#include "cli/common/file_transaction.h"
#include "cli/common/policies.h"
#include "cli/layout/panes.h"
#include "cli/layout/relay.h"
#include "cli/layout/rewrite.h"
#include "policy/files/cached_files.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "run/messages.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

struct LayoutOptions {
  Registration given;
  std::vector<std::string> profiles;
  std::optional<Option> command;  // its values are the words after "--"
  std::string word;               // unused: no value is parsed for that option
  std::string kind;               // "zellij" (or ""), "tmux"
  std::string relay;
  std::string output;
  std::string rewrite;
  bool in_place = false;
  bool no_sandbox = false;
};

// Panes have their own PATH, so they name the program by its absolute path, next to this one.
Result<std::string> PaneProgram() {
  Result<std::string> program = ProgramBeside("ringfence");
  if (!program || ::access(program->c_str(), X_OK) == 0) return program;
  return Error{Error::Kind::kSystem, "", Quote(*program) + " does not exist",
               "ringfence and ringfence-cli belong together: install both with install.sh"};
}

class LayoutCommand {
 public:
  explicit LayoutCommand(const LayoutOptions& options) : options_(options) {}

  Outcome Run() {
    if (Status s = CheckUsage(); !s) return s.error();
    const RealFiles disk;
    const CachedFiles files(disk);
    Result<Context> context = FindTypedContext(options_.given, files);
    if (!context) return context.error();
    context_ = &*context;
    if (Status s = CheckProfiles(); !s) return s.error();
    if (Status s = FindWrapper(); !s) return s.error();
    const Result<std::string> text = options_.rewrite.empty() ? MakeNew() : Rewrite();
    if (!text) return text.error();
    if (std::optional<Outcome> no = CheckRelay()) return *no;
    if (Status s = Deliver(*text); !s) return s.error();
    Warn();
    return 0;
  }

 private:
  Status CheckUsage() const {
    const bool is_rewrite = !options_.rewrite.empty();
    const bool has_command = options_.command->is_given();
    if (options_.in_place && !is_rewrite) {
      return UsageError("--in-place", "no file to change", "name it: --rewrite FILE");
    }
    if (options_.in_place && !options_.output.empty()) {
      return UsageError("--in-place", "cannot be combined with --output", "give one of them");
    }
    if (is_rewrite && options_.kind == "tmux") {
      return UsageError("--rewrite", "works with Zellij layouts only", "leave out --for tmux");
    }
    if (is_rewrite && options_.no_sandbox) {
      return UsageError("--no-sandbox",
                        "cannot be combined with --rewrite: nothing would be rewritten",
                        "give one of them");
    }
    if (is_rewrite && has_command) {
      return UsageError("--rewrite", "takes the commands from the file",
                        R"(leave out what follows "--")");
    }
    if (!is_rewrite && options_.profiles.empty()) {
      return UsageError("", "no profile given",
                        "name one for each pane: ringfence layout main worker");
    }
    if (has_command && options_.command->values().front().empty()) {
      return UsageError("", "the command is empty", R"(name a program behind "--")");
    }
    return Unit{};
  }

  Status CheckProfiles() {
    const std::set<std::string_view> known = ProfilesIn(context_->sources);
    known_.assign(known.begin(), known.end());
    for (const std::string& name : options_.profiles) {
      if (name.empty()) return UsageError("", "a profile's name is empty");
      const Result<Policy> policy =
          MergePolicies(context_->sources, name, context_->places, Caller{});
      if (policy) continue;
      const std::vector<std::string_view> names(known.begin(), known.end());
      const Error& error = policy.error();
      return UsageError("", error.what + DidYouMean(Nearest(name, names)),
                        R"(a command follows "--"; )" + error.hint);
    }
    return Unit{};
  }

  Status FindWrapper() {
    if (Status s = PaneProgram().MoveTo(wrapper_.program); !s) return s.error();
    wrapper_.options.push_back("--root=" + context_->places.root.text());
    const Registration& asked = options_.given;
    if (!asked.policy.empty()) wrapper_.options.push_back("--policy=" + Absolute(asked.policy));
    if (!asked.home.empty()) wrapper_.options.push_back("--home=" + Absolute(asked.home));
    return Unit{};
  }

  std::vector<std::string> CommandFor(const std::string& profile) const {
    std::vector<std::string> argv;
    if (!options_.no_sandbox) {
      argv = wrapper_.Words(profile);
      argv.insert(argv.begin(), wrapper_.program);
    }
    const std::vector<std::string> command = options_.command->values();
    argv.insert(argv.end(), command.begin(), command.end());
    if (command.empty()) argv.emplace_back("claude");
    return argv;
  }

  Result<std::string> MakeNew() {
    // Several panes with the same profile get numbers.
    std::map<std::string, int> counts;
    for (const std::string& profile : options_.profiles) ++counts[profile];
    std::map<std::string, int> numbers;
    PaneSet set{
        .folder = options_.given.root.empty() ? CurrentDirectory() : Absolute(options_.given.root),
        .panes = {}};
    for (const std::string& profile : options_.profiles) {
      const int number = ++numbers[profile];
      const std::string suffix = counts[profile] > 1 ? " " + std::to_string(number) : "";
      set.panes.push_back({profile + suffix, CommandFor(profile)});
      AddOnce(used_, profile);
    }
    return options_.kind == "tmux" ? Result<std::string>(TmuxScript(set)) : ZellijLayout(set);
  }

  Result<std::string> Rewrite() {
    target_ = Absolute(options_.rewrite);
    const Result<std::optional<std::string>> text = ReadIfThere(target_);
    if (!text) return text.error();
    if (!*text) return UsageError("--rewrite", Quote(options_.rewrite) + " does not exist");
    before_ = **text;
    Result<RewrittenLayout> layout =
        RewriteLayout(before_, options_.rewrite, {wrapper_, options_.profiles, known_});
    if (!layout) return layout.error();
    used_ = std::move(layout->profiles);
    notes_ = std::move(layout->notes);
    return std::move(layout->text);
  }

  std::optional<Outcome> CheckRelay() const {
    if (options_.relay.empty()) return {};
    const Result<std::string> relay = FindRelay(options_.relay);
    if (!relay) return Outcome(relay.error());
    std::vector<Error> all;
    for (const std::string& profile : used_) {
      Result<std::vector<Error>> problems = RelayProblems(*relay, profile, *context_);
      if (!problems) return Outcome(problems.error());
      all.insert(all.end(), problems->begin(), problems->end());
    }
    if (all.empty()) return {};
    for (size_t i = 0; i + 1 < all.size(); ++i) PrintError(all[i]);
    return Outcome::No(all.back());
  }

  // Replaces the file only if it is still as it was read.
  Status WriteInPlace(const std::string& text) const {
    if (text == before_) return Unit{};
    FileTransaction transaction;
    if (Status s = transaction.Write(target_, before_, text, {}); !s) return s;
    return transaction.Commit();
  }

  Status Deliver(const std::string& text) const {
    if (options_.in_place) return WriteInPlace(text);
    if (!options_.output.empty()) {
      const mode_t mode = options_.kind == "tmux" ? 0755 : 0644;
      return WriteWhole(Absolute(options_.output), text, mode);
    }
    const bool is_written =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (is_written) return Unit{};
    return Error{Error::Kind::kSystem, "standard output", "could not be written", ""};
  }

  // Reports what is not confined although the user might expect it.
  void Warn() const {
    if (options_.no_sandbox) Say("warning: the panes are not confined (--no-sandbox)");
    for (const std::string& note : notes_) Say("warning: " + Printable(note));
    for (const std::string& profile : used_) {
      const Result<Policy> policy =
          MergePolicies(context_->sources, profile, context_->places, Caller{});
      if (!policy || policy->sandbox.mode != SandboxMode::kRwx || options_.no_sandbox) continue;
      Say("warning: profile " + Quote(profile) + R"( is not confined: its "mode" is "rwx")");
    }
  }

  const LayoutOptions& options_;
  const Context* context_ = nullptr;
  PaneWrapper wrapper_;
  std::vector<std::string> known_;
  std::vector<std::string> used_;  // profiles of the panes, without duplicates
  std::vector<std::string> notes_;
  std::string target_;  // absolute path of the file to rewrite
  std::string before_;  // the file's original content
};

constexpr const char* kExamples =
    "  ringfence layout main worker > agents.kdl && zellij --layout agents.kdl\n"
    "  ringfence layout main worker worker --for tmux --output agents.sh && sh agents.sh\n"
    "  ringfence layout a b --relay ~/relay -- claude --add-dir ~/relay\n"
    "  ringfence layout --rewrite mine.kdl --in-place    (panes named after profiles)\n"
    "  ringfence layout --rewrite mine.kdl worker        (one profile for all panes)\n\n"
    "Each pane runs the command (default: claude) under ringfence run --profile.\n"
    "Exit status: 0 success, 1 a profile may not use the relay, 2 invalid input.";

void AddRewriteOptions(Command& command, LayoutOptions& options) {
  command.AddOption("--rewrite FILE", options.rewrite,
                    "Change only the commands in this Zellij layout");
  command.AddFlag("--in-place", options.in_place, "With --rewrite: change the file itself");
}

}  // namespace

void AddLayout(Command& app, Action& chosen) {
  Command command = AddCommand(
      app, "layout", "Print a terminal layout with a confined agent in each pane", kExamples);
  const auto options = std::make_shared<LayoutOptions>();
  command.AddOption("profile PROFILE", options->profiles, "The profile of each pane");
  command
      .AddOption("--for PROGRAM", options->kind, "zellij: a layout (default); tmux: a shell script")
      .OneOf({"zellij", "tmux"});
  command.AddOption("--relay DIR", options->relay,
                    "A directory for exchanging files, which every profile may read and write");
  command.AddOption("--root DIR", options->given.root,
                    "The project (default: the current directory)");
  command.AddOption("--policy FILE", options->given.policy,
                    "Use this policy instead of the user's and the project's");
  command.AddOption("--home DIR", options->given.home, "The home directory, instead of HOME");
  command.AddFlag("--no-sandbox", options->no_sandbox, "Do not sandbox the commands");
  command.AddOption("--output FILE", options->output,
                    "Write to this file instead of standard output");
  AddRewriteOptions(command, *options);
  options->command = command.AddOption(std::string(kCommandOption) + " COMMAND ...", options->word,
                                       "The command and its arguments, after -- (default: claude)");
  command.OnGiven(
      [&chosen, options] { chosen = [options] { return LayoutCommand(*options).Run(); }; });
}

}  // namespace ringfence
