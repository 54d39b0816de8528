// Wraps a command so that the client runs it confined (docs/client-bash.md): the unchanged command
// after a line that starts `ringfence enter` and leaves the client's shell. The line names the
// registration and the caller of the hook's decision, so that the same policy confines the command.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/event.h"
#include "policy/places.h"

namespace ringfence {

// Follows the words of `ringfence enter`: however that ends, the shell exits and never reaches the
// command itself.
inline constexpr std::string_view kWrapEnd = "; \\builtin exit\n";

// Returns the program that the line starts: `ringfence` in the hook's directory, which is resolved
// so that no link can change it. Returns an error if a shell would need quotes for the path.
Result<std::string> WrapProgram(const Registration& registration);

// Returns the line for the event's command. It needs no quoting; a name that would need it is an
// error.
Result<std::string> WrapLine(const Registration& registration, const Event& event);

// Returns the words after `ringfence enter` in that line.
std::vector<std::string> WrapWords(const Registration& registration, const Event& event);

// Parses those words back into the arguments of WrapWords().
Status ReadWrapWords(std::span<char* const> words, Registration& registration, Event& event);

// True if a command that ran had that line, under any permission mode: the user may have changed
// the mode since.
bool HadLine(std::string_view command, std::string_view line);

// Returns tool_input as received, with `line` before the command.
std::string WrappedInput(const RawInput& input, std::string_view line);

}  // namespace ringfence
