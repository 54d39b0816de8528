// The command line of `ringfence`. Each command is one file with one function (AddInit, ...) that
// declares its options and sets `chosen` to its action; options.cc lists the commands.
#pragma once

#include <functional>
#include <string>

#include "agents/claude/setup/settings_files.h"
#include "base/outcome.h"
#include "cli/command_line/command.h"

namespace ringfence {

using Action = std::function<Outcome()>;

int RunCommandLine(int argc, char** argv);

// Declares all commands in `app`, or only the command `only`.
void DeclareCommandLine(CLI::App& app, Action& chosen, std::string_view only = "");

// The option for the words after "--" in a command that also takes words before it.
constexpr const char* kCommandOption = "command";

// --home, --json
void AddCommonOptions(Command& command, Registration& given, bool& json);

// --user, --project, --local, --managed; at most one of them.
struct LayerOptions {
  bool project = false;
  bool local = false;
  bool managed = false;
  bool user = false;

  bool is_given() const { return project || local || managed || user; }
  SettingsLayer layer() const;
};
void AddLayerOptions(Command& command, LayerOptions& layers);

}  // namespace ringfence
