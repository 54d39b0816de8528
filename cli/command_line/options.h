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

// The same, and --root, --policy and --profile. FindTypedContext() takes `given`.
void AddContextOptions(Command& command, Registration& given, bool& json);

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

// The commands of `ringfence`. Each function declares the options of one and says in `chosen` what
// to do when it is given; it is defined in the .cc file of that name.
void AddAllow(Command& app, Action& chosen);  // adds one entry to the policy that decides
void AddAudit(Command& app, Action& chosen);
void AddCheck(Command& app, Action& chosen);
void AddCompletion(Command& app, Action& chosen);
void AddDoctor(Command& app, Action& chosen);
void AddExplain(Command& app, Action& chosen);
void AddHelp(Command& app, Action& chosen);
void AddInit(Command& app, Action& chosen);     // registers the hook in the client's settings
void AddInstall(Command& app, Action& chosen);  // copies the programs to a place that stays
void AddLayout(Command& app, Action& chosen);   // prints a layout of terminals with confined agents
void AddLog(Command& app, Action& chosen);      // also `log verify` and `log send`
void AddManual(Command& app, Action& chosen);
void AddProxy(Command& app, Action& chosen);  // shows the egress proxy's sessions and connections
// `proxy log`: the lines of the log that are about connections.
void AddConnectionLog(Command& proxy, Action& chosen);
void AddAnswer(Command& app, Action& chosen);  // to a command of the plugin; hidden
void AddPrompt(Command& app, Action& chosen);
void AddReplay(Command& app, Action& chosen);
void AddRevoke(Command& app, Action& chosen);       // removes what `allow` added
void AddRun(Command& app, Action& chosen);          // runs a command that the kernel confines
void AddSettings(Command& app, Action& chosen);     // derives the client's settings from a policy
void AddStage(Command& app, Action& chosen);        // works with the changes that stages keep
void AddStagedRun(Command& stage, Action& chosen);  // `stage run`
void AddTrust(Command& app, Action& chosen);        // shows a project's policy and pins it
void AddUninstall(Command& app, Action& chosen);    // removes the hook from the client's settings

}  // namespace ringfence
