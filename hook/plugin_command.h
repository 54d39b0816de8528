// The commands of the plugin for Claude Code (/ringfence:explain). The hook answers them, so that
// no model reads them and no shell runs.
#pragma once

#include <string>
#include <vector>

#include "policy/event.h"
#include "policy/places.h"

namespace ringfence {

// True for the plugin's own commands; the client expands all others. Only the name counts: a
// project can define a command of that name, which the client prefers (measured on 2.1.331), and
// the user would take the model's words for the hook's.
bool IsPluginCommand(const SlashCommand& command);

// Returns the program that answers, followed by its arguments. `command` must be the plugin's own.
Result<std::vector<std::string>> AnswerOf(const SlashCommand& command,
                                          const Registration& registration);

// Returns the environment of that program. Takes no PATH from the client, because a project's
// settings can set it.
std::vector<std::string> AnswerEnvironment(const Registration& registration);

}  // namespace ringfence
