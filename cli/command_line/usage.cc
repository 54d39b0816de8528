#include "cli/command_line/usage.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/command_line/command.h"

namespace ringfence {
namespace {

// Returns the command that was given, or its subcommand.
const CLI::App& GivenCommand(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : GivenCommand(*given.front());
}

Error WrongCommandLine(const CLI::App& app, std::string what) {
  return UsageError("", std::move(what), "see: " + FullName(app) + " --help");
}

std::string SuggestionFor(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return DidYouMean(Nearest(word, views));
}

// Finds an option that accepts `value`: "--format html" for "html"; "" if there is none.
std::string OptionWithValue(const CLI::App& app, const std::string& value) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string list = ValuesOf(*option);
    if (list.empty() || option->get_lnames().empty()) continue;
    if (("," + list + ",").find("," + value + ",") == std::string::npos) continue;
    return "--" + option->get_lnames().front() + " " + value;
  }
  return "";
}

Error UnknownOption(const CLI::App& app, const std::string& written) {
  const std::string word = written.substr(0, written.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  const size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  const std::string value = OptionWithValue(app, word.substr(dashes));
  if (!value.empty()) {
    return WrongCommandLine(app, Quote(word) + " is not an option" + DidYouMean(value));
  }
  // Also suggests names for "-profile" and "--Profile".
  const std::string dashed = word.starts_with("--") || word.size() < 3 ? word : "-" + word;
  return WrongCommandLine(app, Quote(word) + " is not an option" + SuggestionFor(dashed, names));
}

bool IsOption(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

// Reports an unparsed word: the first one if a command is expected, else preferably an option.
std::optional<Error> UnknownWord(const CLI::App& app) {
  std::vector<std::string> words = app.remaining();
  std::erase(words, "--");
  if (words.empty()) return {};
  const bool takes_command = !app.get_subcommands({}).empty();
  if (takes_command && !IsOption(words.front())) return UnknownCommand(app, words.front());
  const auto option = std::ranges::find_if(words, IsOption);
  if (option != words.end()) return UnknownOption(app, *option);
  return WrongCommandLine(app, "unexpected argument " + Quote(words.front()));
}

bool IsA(const CLI::ParseError& error, std::string_view kind) { return error.get_name() == kind; }

// CLI11's messages begin with the option's name.
std::string OptionInMessage(const std::string& message) {
  return message.substr(0, message.find_first_of(": "));
}

std::string InPlainWords(const CLI::ParseError& error) {
  std::string message = error.what();
  const auto has = [&message](std::string_view part) {
    return message.find(part) != std::string::npos;
  };
  if (IsA(error, "ArgumentMismatch")) {
    if (has("flag override")) return OptionInMessage(message) + " takes no value";
    if (has("At Most")) return OptionInMessage(message) + " is given twice";
    if (message.ends_with(" missing")) return OptionInMessage(message) + " needs a value";
  }
  if (IsA(error, "ConversionError")) {
    constexpr std::string_view kNumber = "Could not convert: ";
    if (!message.starts_with(kNumber)) return OptionInMessage(message) + " takes no value";
    const std::string rest = message.substr(kNumber.size());
    const size_t equals = std::min(rest.find(" = "), rest.size());
    return rest.substr(0, equals) + " must be a number, not " +
           Quote(rest.substr(std::min(equals + 3, rest.size())));
  }
  if (IsA(error, "ExcludesError")) {
    constexpr std::string_view kWord = " excludes ";
    const size_t at = message.find(kWord);
    if (at == std::string::npos) return message;
    return message.substr(0, at) + " cannot be combined with " + message.substr(at + kWord.size());
  }
  return message;
}

// Reports an option before the command that it belongs to: "ringfence --profile x run".
std::optional<Error> BeforeCommand(const CLI::App& app, const CLI::App& given) {
  if (&app == &given || app.remaining().empty()) return {};
  const std::string word = app.remaining().front();
  if (given.get_option_no_throw(word.substr(0, word.find('='))) == nullptr) return UnknownWord(app);
  return WrongCommandLine(
      given, Quote(word) + " must come after the command: " + FullName(given) + " " + word);
}

}  // namespace

std::string FullName(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : FullName(*parent) + " " + app.get_name();
}

// CLI11's type name has them: "MODE:{sandbox,rx,rwx}".
std::string ValuesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{');
  if (begin == std::string::npos) return "";
  return type.substr(begin + 1, type.find('}', begin) - begin - 1);
}

Error UnknownCommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : ShownCommands(app)) names.push_back(command->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  Error error =
      WrongCommandLine(app, Quote(word) + " is not a command" + SuggestionFor(word, names));
  if (FullName(app) == "ringfence stage" && Nearest(word, views).empty()) {
    error.hint = "to run it in a stage: ringfence stage run -- COMMAND [ARGUMENT...]";
  }
  for (const std::string page : {"ringfence-hook", "ringfence-policy"}) {
    if (word == page || "ringfence-" + word == page)
      error.hint = "it has a manual page: man " + page;
  }
  return error;
}

Error CommandLineError(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& given = GivenCommand(app);
  if (std::optional<Error> unknown = BeforeCommand(app, given)) return *std::move(unknown);
  if (std::optional<Error> unknown = UnknownWord(given)) return *std::move(unknown);
  if (&given == &app && IsA(error, "RequiredError")) {
    return WrongCommandLine(app, "no command given");
  }
  return WrongCommandLine(given, InPlainWords(error));
}

}  // namespace ringfence
