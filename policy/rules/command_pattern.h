// Patterns for commands, such as "npm install *": words against words, never the text of a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ringfence {

// Spaces separate the words of a pattern. Each is a glob for one word of the command (MatchName());
// a last word "*" after others stands for any number of words, including none. A first word without
// a slash matches only a program that was given without one: "npm" is not "./npm".
bool MatchCommand(std::string_view pattern, std::span<const std::string> words);

}  // namespace ringfence
