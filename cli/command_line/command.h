// What a command's options are declared with. CLI11, which parses them, takes seconds to compile:
// only command.cc, options.cc and what walks over all commands see it.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ringfence {

// One of a command's options; lives as long as that.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  // What its value is called in --help.
  Option& Type(const char* name);
  Option& OneOf(std::initializer_list<const char*> values);
  Option& Between(int least, int most);
  Option& NotEmpty();  // of a list: a single value never is
  Option& Required();
  // Each value of a list has the option's name before it.
  Option& OneEach();
  // Only together with the option of that name; never together with that one.
  Option& Needs(const char* name);
  Option& Excludes(const Option& other);

  // After parsing.
  bool is_given() const;
  std::vector<std::string> values() const;

 private:
  CLI::Option* option_;
};

// A command, or the program itself, whose commands those are. A handle: copies are the same one.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  CLI::App& app() const { return *app_; }

  // A name without dashes is that of a positional argument. Variables are written while parsing and
  // keep what they had where the option is not given.
  Option AddOption(const std::string& name, std::string& value, const std::string& what);
  Option AddOption(const std::string& name, std::vector<std::string>& values,
                   const std::string& what);
  Option AddOption(const std::string& name, size_t& value, const std::string& what);
  Option AddFlag(const std::string& name, bool& value, const std::string& what);
  void AddFlag(const std::string& name, std::function<void()> given, const std::string& what);

  // Other words of --help for an option that it has.
  void Describe(const char* option, const std::string& what);
  // Whatever follows the first positional argument belongs to that.
  void EndWithPositionals();
  // It does something without one of its own commands as well.
  void MayHaveCommand();
  bool has_command() const;  // after parsing

  // When all options are known: for RefuseUsage().
  void OnParsed(std::function<void()> parsed);
  void OnGiven(std::function<void()> given);

 private:
  CLI::App* app_;
};

// A command with its examples, one to a line, below its help.
Command AddCommand(Command& app, const std::string& name, const std::string& what,
                   const std::string& examples);

// While parsing: options that do not go together.
[[noreturn]] void RefuseUsage(const std::string& what);

}  // namespace ringfence
