#include "cli/command_line/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <utility>

#include "base/contains.h"
#include "base/text.h"

namespace ringfence {
namespace {

template <typename T>
CLI::Option& Added(CLI::App& app, const std::string& name, T& value, const std::string& what) {
  const size_t end = name.find(' ');
  CLI::Option& option = *app.add_option(name.substr(0, end), value, what);
  if (end != std::string::npos) option.type_name(name.substr(end + 1));
  return option;
}

}  // namespace

Option& Option::OneOf(const std::vector<std::string_view>& words) {
  std::string list;
  std::string sentence;
  for (const std::string_view& word : words) {
    list.append(list.empty() ? "" : ",").append(word);
    if (!sentence.empty()) sentence += &word == &words.back() ? " or " : ", ";
    sentence += word;
  }
  // --help and the completion scripts show the validator's description.
  option_->check(CLI::Validator(
      [words, sentence](const std::string& value) {
        if (Contains(words, value)) return std::string();
        return "must be " + sentence + ", not " + Quote(value) + DidYouMean(Nearest(value, words));
      },
      "{" + list + "}"));
  return *this;
}

Option& Option::Between(int least, int most) {
  option_->check(CLI::Validator(
      [least, most](const std::string& text) {
        int value = 0;
        const char* const end = text.data() + text.size();
        const auto [at, error] = std::from_chars(text.data(), end, value);
        const bool is_number = error == std::errc() && at == end;
        if (is_number && value >= least && value <= most) return std::string();
        return "must be a number from " + std::to_string(least) + " to " + std::to_string(most) +
               ", not " + Quote(text);
      },
      "[" + std::to_string(least) + " - " + std::to_string(most) + "]"));
  return *this;
}

Option& Option::NotEmpty() {
  option_->check(
      [](const std::string& value) { return std::string(value.empty() ? "is empty" : ""); });
  return *this;
}

Option& Option::Required() {
  option_->required();
  return *this;
}

Option& Option::OneEach() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::Needs(const char* name) {
  option_->needs(name);
  return *this;
}

Option& Option::Excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

bool Option::is_given() const { return option_->count() > 0; }

std::vector<std::string> Option::values() const { return option_->results(); }

// Rejects an empty value, such as an unset "$PROFILE": it does not mean that the option is left
// out.
Option Command::AddOption(const std::string& name, std::string& value, const std::string& what) {
  CLI::Option& option = Added(*app_, name, value, what);
  return option.nonpositional() ? Option(option).NotEmpty() : Option(option);
}

Option Command::AddOption(const std::string& name, std::vector<std::string>& values,
                          const std::string& what) {
  return Option(Added(*app_, name, values, what));
}

Option Command::AddOption(const std::string& name, size_t& value, const std::string& what) {
  return Option(Added(*app_, name, value, what));
}

Option Command::AddFlag(const std::string& name, bool& value, const std::string& what) {
  return Option(*app_->add_flag(name, value, what));
}

void Command::AddFlag(const std::string& name, std::function<void()> given,
                      const std::string& what) {
  app_->add_flag_callback(name, std::move(given), what);
}

void Command::Describe(const char* option, const std::string& what) {
  app_->get_option(option)->description(what);
}

void Command::Hide() { app_->group(""); }

void Command::EndWithPositionals() { app_->positionals_at_end(); }

void Command::MayHaveCommand() { app_->require_subcommand(0, 1); }

bool Command::has_command() const { return !std::as_const(*app_).get_subcommands().empty(); }

std::string Command::first_given() const {
  const std::vector<const CLI::Option*> options = std::as_const(*app_).get_options();
  const auto given = std::ranges::find_if(options, [](const auto* o) { return o->count() > 0; });
  return given == options.end() ? "" : (*given)->get_name();
}

void Command::OnParsed(std::function<void()> parsed) {
  app_->parse_complete_callback(std::move(parsed));
}

void Command::OnGiven(std::function<void()> given) { app_->callback(std::move(given)); }

Command AddCommand(Command& app, const std::string& name, const std::string& what,
                   const std::string& examples) {
  CLI::App& command = *app.app().add_subcommand(name, what);
  command.footer("Examples:\n" + examples);
  command.fallthrough(false);
  return Command(command);
}

std::vector<const CLI::App*> ShownCommands(const CLI::App& app) {
  std::vector<const CLI::App*> commands = app.get_subcommands({});
  std::erase_if(commands, [](const CLI::App* command) { return command->get_group().empty(); });
  return commands;
}

void RefuseUsage(const std::string& what) { throw CLI::ValidationError(what); }

}  // namespace ringfence
