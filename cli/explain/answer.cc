// `ringfence answer`: answers a command of the plugin for Claude Code (/ringfence:explain). The
// hook executes this program. The model can schedule prompts with these commands, so an answer
// changes nothing, and the arguments only name what to explain.
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/environment.h"
#include "base/process.h"
#include "base/program.h"
#include "base/text.h"
#include "cli/command_line/options.h"
#include "cli/common/console.h"
#include "policy/evaluate/fix.h"

namespace ringfence {
namespace {

constexpr size_t kMostWords = 16;
constexpr size_t kMostAnswer = size_t{16} * 1024;
// The client waits 10 seconds for the hook.
constexpr std::chrono::seconds kAnswerTime{8};
constexpr std::string_view kBetweenWords = " \t\r\n";

struct AnswerOptions {
  std::string name;     // "explain"
  std::string project;  // absolute; "" if unknown
  std::string text;     // after the command's name
};

std::string_view WithoutBlanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBetweenWords), text.size()));
  const size_t last = text.find_last_not_of(kBetweenWords);
  return last == text.npos ? "" : text.substr(0, last + 1);
}

// Removes the first word. Two equal quotes keep blanks together; nothing else has a meaning, such
// as the apostrophe of "it's.txt".
std::string TakeTypedWord(std::string_view& text) {
  text = WithoutBlanks(text);
  std::string word;
  char quote = 0;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && kBetweenWords.find(c) != kBetweenWords.npos) break;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'') && text.find(c, i + 1) != text.npos) {
      quote = c;
    } else {
      word.push_back(c);
    }
  }
  text.remove_prefix(i);
  text = WithoutBlanks(text);
  return word;
}

std::string InTerminal(const AnswerOptions& options, const std::string& command) {
  const std::string project = ShellWord(options.project);
  return project.empty() ? command : "cd " + project + " && " + command;
}

// Returns nothing if there are too many words, or one that ShellWord() refuses.
std::optional<std::string> AllowCommand(std::string_view text) {
  std::string command = "ringfence allow";
  for (size_t count = 1; !text.empty(); ++count) {
    const std::string word = TakeTypedWord(text);
    const bool is_option = word.starts_with("--") &&
                           std::ranges::all_of(word, [](char c) { return IsAlnum(c) || c == '-'; });
    const std::string quoted = is_option ? word : ShellWord(word);
    if (quoted.empty() || count > kMostWords) return {};
    command += " " + quoted;
  }
  return command;
}

// Prints the command, and never runs it: a model can schedule a prompt with any text.
std::string AllowAnswer(const AnswerOptions& options) {
  if (options.text.empty()) return "Name what to allow: /ringfence:allow PATH, HOST or TOOL";
  const std::optional<std::string> command = AllowCommand(options.text);
  if (!command) {
    return "That cannot be repeated as a command. Type it in a terminal: ringfence allow";
  }
  return "Only you can change the policy, in a terminal of your own:\n\n  " +
         InTerminal(options, *command) + "\n\nRun it only if you want it yourself.";
}

// Returns the client's program, which runs the hook, so that doctor need not search for it.
std::string ParentProgram() {
  std::array<char, PATH_MAX> name{};
  const std::string link = "/proc/" + std::to_string(::getppid()) + "/exe";
  const ssize_t length = ::readlink(link.c_str(), name.data(), name.size());
  if (length <= 0) return "";
  std::string program(name.data(), static_cast<size_t>(length));
  // An older client is a script.
  const bool is_interpreter = program.ends_with("/node") || program.ends_with("/bun");
  return is_interpreter || program.find("claude") == program.npos ? "" : program;
}

// Returns the words of the command that answers; nothing if the text is not for it. Takes no
// options: some start other programs or read files.
std::optional<std::vector<std::string>> AnsweringWords(const AnswerOptions& options) {
  std::vector<std::string> words{options.name};
  std::string_view rest = options.text;
  if (options.name == "doctor") {
    if (!rest.empty()) return {};
    const std::string client = ParentProgram();
    if (!client.empty()) words.insert(words.end(), {"--client", client});
    return words;
  }
  words.emplace_back("--");
  words.push_back(TakeTypedWord(rest));
  if (rest.starts_with('{')) {
    words.emplace_back(rest);  // the tool's whole input
    rest = {};
  } else if (!rest.empty()) {
    words.push_back(TakeTypedWord(rest));
  }
  const bool has_option = std::ranges::any_of(
      std::span(words).subspan(2), [](const std::string& word) { return word.starts_with('-'); });
  if (has_option || words[2].empty() || !rest.empty()) return {};
  return words;
}

std::string UsageAnswer(const AnswerOptions& options) {
  if (options.name == "doctor") {
    return "/ringfence:doctor takes no arguments. In a terminal, it has options: ringfence doctor "
           "--help";
  }
  return "Name a path, a host, or a tool and its argument, without options: "
         "/ringfence:explain Read /etc/hosts. In a terminal, it has options: ringfence explain "
         "--help";
}

std::string OutputOf(const AnswerOptions& options, std::vector<std::string> words) {
  const Result<std::string> program = OwnProgramReal();
  if (!program) return program.error().text();
  const Result<Finished> finished = Run({.program = *program,
                                         .arguments = std::move(words),
                                         .environment = OwnEnvironment(),
                                         .limit = kAnswerTime});
  if (!finished) {
    return "ringfence " + options.name + " gave no answer: " + finished.error().text() +
           ". Run it in a terminal: " + InTerminal(options, "ringfence " + options.name);
  }
  return finished->out + finished->err;
}

std::string AnswerText(const AnswerOptions& options) {
  if (options.name == "allow") return AllowAnswer(options);
  const bool is_known = options.name == "explain" || options.name == "doctor";
  const auto words = is_known ? AnsweringWords(options) : std::nullopt;
  return words ? OutputOf(options, *words) : UsageAnswer(options);
}

Outcome RunAnswer(AnswerOptions options) {
  options.text = WithoutBlanks(options.text);
  if (!options.project.empty() && ::chdir(options.project.c_str()) != 0) {
    return SystemError("chdir(" + options.project + ")");
  }
  const std::string text(WithoutBlanks(PrintableLines(AnswerText(options))));
  // The client shows the reason to the user and forgets the prompt: the model gets neither.
  PrintJson(OrderedJson{{"decision", "block"}, {"reason", CutText(text, kMostAnswer)}});
  return 0;
}

}  // namespace

void AddAnswer(Command& app, Action& chosen) {
  const auto options = std::make_shared<AnswerOptions>();
  Command command = AddCommand(app, "answer", "Answer a command of the plugin", "");
  command.Hide();
  command.AddOption("name NAME", options->name, "explain, allow or doctor").Required();
  command.AddOption("project DIR", options->project, "The project");
  command.AddOption("text TEXT", options->text, "What was typed after the name");
  command.OnGiven([options, &chosen] { chosen = [options] { return RunAnswer(*options); }; });
}

}  // namespace ringfence
