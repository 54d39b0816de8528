// Declares the options of commands. CLI11, which parses them, takes seconds to compile, so only
// command.cc, options.cc and the code that walks over all commands include it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ringfence {

// An option of a command; valid as long as the command.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& OneOf(const std::vector<std::string_view>& words);  // views of static text
  Option& Between(int least, int most);
  Option& NotEmpty();  // for lists; a single value is never empty
  Option& Required();
  // Requires the option's name before each value of a list.
  Option& OneEach();
  // Allows the option only together with the option `name`, or never together with `other`.
  Option& Needs(const char* name);
  Option& Excludes(const Option& other);

  // Valid after parsing.
  bool is_given() const;
  std::vector<std::string> values() const;

 private:
  CLI::Option* option_;
};

// A command, or the program itself with its commands. A handle: copies refer to the same command.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  CLI::App& app() const { return *app_; }

  // `name` is the option's name and, after a blank, the name of its value in --help: "--home DIR".
  // A name without dashes declares a positional argument. Parsing writes `value`, and leaves it
  // unchanged if the option is not given.
  Option AddOption(const std::string& name, std::string& value, const std::string& what);
  Option AddOption(const std::string& name, std::vector<std::string>& values,
                   const std::string& what);
  Option AddOption(const std::string& name, size_t& value, const std::string& what);
  Option AddFlag(const std::string& name, bool& value, const std::string& what);
  void AddFlag(const std::string& name, std::function<void()> given, const std::string& what);

  // Changes the --help text of an existing option.
  void Describe(const char* option, const std::string& what);
  // Leaves the command out of help, completion and manual.
  void Hide();
  // Treats all words after the first positional argument as positional.
  void EndWithPositionals();
  // Makes the subcommand optional.
  void MayHaveCommand();
  // Valid after parsing.
  bool has_command() const;
  std::string first_given() const;  // the first of its options that was given, "--since"; or ""

  // Calls `parsed` when all options are known; it may call RefuseUsage().
  void OnParsed(std::function<void()> parsed);
  void OnGiven(std::function<void()> given);

 private:
  CLI::App* app_;
};

// Adds a command with its examples, one per line, below its help.
Command AddCommand(Command& app, const std::string& name, const std::string& what,
                   const std::string& examples);

// The commands of an app that are not hidden.
std::vector<const CLI::App*> ShownCommands(const CLI::App& app);

// Rejects options that exclude each other. For use while parsing.
[[noreturn]] void RefuseUsage(const std::string& what);

}  // namespace ringfence
