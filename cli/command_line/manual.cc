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

namespace ringfence {
namespace {

// Fixed paths: PATH and $PAGER are not used, because the user's current directory may set both.
constexpr const char* kPagers[] = {"/usr/bin/less", "/bin/less", "/usr/local/bin/less",
                                   "/opt/homebrew/bin/less"};

const char* FindPager() {
  for (const char* pager : kPagers) {
    if (::access(pager, X_OK) == 0) return pager;
  }
  return nullptr;
}

std::vector<std::string> PagerEnvironment() {
  std::vector<std::string> environment{"LESSSECURE=1"};  // no shell, no other files
  for (const char* name : {"TERM", "LANG", "LC_ALL", "LC_CTYPE", "COLUMNS", "LINES"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

// Replaces this process by the pager. Returns only if that fails.
void BecomePager(const char* pager, const std::string& text) {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file) != text.size()) return;
  std::rewind(file);  // flushes first
  if (::dup2(::fileno(file), STDIN_FILENO) < 0) return;
  // -F: prints text that fits on the screen without waiting for a key.
  std::vector<std::string> arguments{pager, "-F", "-X"};
  std::vector<std::string> environment = PagerEnvironment();
  ::execve(pager, ArgumentPointers(arguments).data(), ArgumentPointers(environment).data());
}

void ShowText(const std::string& text) {
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0 && ::isatty(STDIN_FILENO) != 0;
  const char* pager = is_terminal ? FindPager() : nullptr;
  if (pager != nullptr) BecomePager(pager, text);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

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
