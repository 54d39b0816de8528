// The form in which the client runs a command confined (docs/client-bash.md): the command as it is,
// behind a line that starts `ringfence enter` and leaves the client's shell. The line says by which
// registration and for which caller the hook decided, so that the same policy confines the command.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/event.h"
#include "policy/places.h"

namespace ringfence {

// What stands behind the words of `ringfence enter`: whatever that ends in, the shell ends, and
// never comes to the command itself.
inline constexpr std::string_view kWrapEnd = "; \\builtin exit\n";

// The program that the line starts: `ringfence` beside the hook, by the name that no link can
// change. An error where a shell would need quotes for it.
Result<std::string> WrapProgram(const Registration& registration);

// The line for the event's command. It needs no quoting, so an error says where a name would.
Result<std::string> WrapLine(const Registration& registration, const Event& event);

// The words behind `ringfence enter`, back into what WrapLine() was made from.
Status ReadWrapWords(std::span<char* const> words, Registration& registration, Event& event);

// Whether a command that ran had that line, under whatever permission mode: the user may have
// changed that since.
bool HadLine(std::string_view command, std::string_view line);

// tool_input as it came, with `line` before the command.
std::string WrappedInput(const RawInput& input, std::string_view line);

}  // namespace ringfence
