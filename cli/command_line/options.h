// The command line of `ringfence`. A command is one file with one function that declares its
// options (AddInit, ...) and says in `chosen` what to do when the command is given; options.cc
// lists them.
#pragma once

#include <functional>
#include <string>

#include "agents/claude/setup/settings_files.h"
#include "base/outcome.h"
#include "cli/command_line/command.h"

namespace ringfence {

using Action = std::function<Outcome()>;

int RunCommandLine(int argc, char** argv);

// Fills `app` with every command, or with `only` one.
void DeclareCommandLine(CLI::App& app, Action& chosen, std::string_view only = "");

// The words behind "--", where a command takes others in front of it.
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
