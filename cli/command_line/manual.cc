#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/program.h"
#include "cli/command_line/manual_page.h"
#include "cli/command_line/options.h"
#include "cli/command_line/usage.h"
#include "cli/common/pager.h"

namespace ringfence {
namespace {

void WriteOut(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// Finds the command that `words` name: "log", or "log" "verify"; no words for the program itself.
Result<const CLI::App*> FindCommand(const CLI::App& program,
                                    const std::vector<std::string>& words) {
  const CLI::App* app = &program;
  for (const std::string& word : words) {
    const auto commands = app->get_subcommands({});
    const auto found = std::ranges::find(commands, word, &CLI::App::get_name);
    if (found == commands.end()) return UnknownCommand(*app, word);
    app = *found;
  }
  return app;
}

}  // namespace

void AddManual(Command& app, Action& chosen) {
  Command command = AddCommand(app, "manual", "Show the manual page of a command",
                               "  ringfence manual run\n"
                               "  ringfence manual --roff run > ringfence-run.1");
  struct Options {
    std::string command;
    bool roff = false;
  };
  const auto options = std::make_shared<Options>();
  command.AddOption("command COMMAND", options->command,
                    "The command; without it, the page of ringfence");
  command.AddFlag("--roff", options->roff, "Print the page's source, for man(1)");
  command.OnGiven([&all = app.app(), &chosen, options] {
    chosen = [&all, options]() -> Outcome {
      std::vector<std::string> words;
      if (!options->command.empty()) words.push_back(options->command);
      const Result<const CLI::App*> found = FindCommand(all, words);
      if (!found) return found.error();
      const ManualPage page = ManualPageOf(all, **found);
      options->roff ? WriteOut(ManualRoff(page)) : ShowText(ManualText(page));
      return 0;
    };
  });
}

void AddHelp(Command& app, Action& chosen) {
  Command command = AddCommand(app, "help", "Print the help of a command",
                               "  ringfence help allow\n"
                               "  ringfence help log verify");
  const auto words = std::make_shared<std::vector<std::string>>();
  command.AddOption("command COMMAND", *words, "The command; without it, a list of all");
  command.OnGiven([&chosen, words] {
    chosen = [words]() -> Outcome {
      // Declares the commands again: the parsed command line would print the help of `help`.
      CLI::App all;
      Action unused;
      DeclareCommandLine(all, unused);
      const Result<const CLI::App*> found = FindCommand(all, *words);
      if (!found) return found.error();
      const CLI::App* parent = (*found)->get_parent();
      WriteOut((*found)->help(parent == nullptr ? "" : FullName(*parent)));
      return 0;
    };
  });
}

}  // namespace ringfence
