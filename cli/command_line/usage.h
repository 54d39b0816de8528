// What is wrong with a command line, in words: the errors of CLI11, and "did you mean" for words
// that it does not know.
#pragma once

#include <string>

#include "base/result.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace ringfence {

// "ringfence log verify"
std::string FullName(const CLI::App& app);

// `word` is not a command of `app`.
Error UnknownCommand(const CLI::App& app, const std::string& word);

// Why `app` could not parse its command line.
Error CommandLineError(const CLI::App& app, const CLI::ParseError& error);

}  // namespace ringfence
