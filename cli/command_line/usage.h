// Errors for a wrong command line: those of CLI11 in plain words, and "did you mean" for unknown
// words.
#pragma once

#include <string>

#include "base/result.h"

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI

namespace ringfence {

// "ringfence log verify"
std::string FullName(const CLI::App& app);

// Returns the values that the option lists, "sandbox,rx,rwx"; "" if it takes any.
std::string ValuesOf(const CLI::Option& option);

// Returns the error for a `word` that is not a command of `app`.
Error UnknownCommand(const CLI::App& app, const std::string& word);

// Returns the error for a command line that `app` could not parse.
Error CommandLineError(const CLI::App& app, const CLI::ParseError& error);

}  // namespace ringfence
