// The command that a reason suggests, as a shell reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

// Splits and unquotes like a shell; a test fails on text that a shell would expand or take for an
// operator.
std::vector<std::string> ShellWords(std::string_view line);

// The words of the command between backquotes; empty if the reason suggests none.
std::vector<std::string> Suggested(const std::string& reason);

// The last of these words, or "".
std::string SuggestedPath(const std::string& reason);
