#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/program.h"
#include "base/syscall.h"
#include "base/unique_fd.h"
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

// Returns true after the pager has exited; false if it was not started.
bool ShowInPager(const char* pager, const std::string& text) {
  std::array<int, 2> fds{};
  if (::pipe(fds.data()) != 0) return false;
  UniqueFd reading(fds[0]);
  UniqueFd writing(fds[1]);
  ::fcntl(reading.get(), F_SETFD, FD_CLOEXEC);
  ::fcntl(writing.get(), F_SETFD, FD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, reading.get(), STDIN_FILENO);
  // -F: prints text that fits on the screen without waiting for a key.
  std::vector<std::string> arguments{pager, "-F", "-X"};
  std::vector<std::string> environment = PagerEnvironment();
  pid_t pid = 0;
  const int failed =
      ::posix_spawn(&pid, pager, &actions, nullptr, ArgumentPointers(arguments).data(),
                    ArgumentPointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  reading = UniqueFd();
  std::signal(SIGPIPE, SIG_IGN);  // the user may quit the pager before the end of the text
  [[maybe_unused]] const Status written = WriteAll(writing.get(), text);
  writing = UniqueFd();
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return true;
}

void ShowText(const std::string& text) {
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0 && ::isatty(STDIN_FILENO) != 0;
  const char* pager = is_terminal ? FindPager() : nullptr;
  if (pager != nullptr && ShowInPager(pager, text)) return;
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
