// Finds what the client's own settings refuse, whatever the policy permits: the fence around its
// working directories, and its deny rules. Does not predict how the client treats a Bash command.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "agents/claude/setup/settings_record.h"
#include "base/result.h"
#include "cli/common/grant_target.h"
#include "policy/decision.h"
#include "policy/event.h"

namespace ringfence {

struct ClientRefusal {
  std::string what;  // "permissions.blockReadsOutsideWorkingDirectories is true"
  std::string file;  // that says so, for messages
  // "run: ringfence init"; works in running sessions too, if possible. "" if the policy would still
  // refuse the call.
  std::string fix;

  std::string text() const { return what + " in " + file; }
};

class ClientRefusals {
 public:
  // Reads the settings files that the client reads when it starts in `where.project_dir`.
  static Result<ClientRefusals> Read(const Registration& where);
  ClientRefusals(const std::vector<SettingsFile>& files, const Registration& where,
                 const std::vector<SettingsRecord>& records);

  std::optional<ClientRefusal> OfTool(std::string_view tool) const;
  // For the client's file tools.
  std::optional<ClientRefusal> OfPath(const Path& path, Access access) const;

  std::optional<ClientRefusal> OfCall(const Event& event, const Trace& trace) const;
  std::optional<ClientRefusal> OfTarget(const GrantTarget& grant) const;

  // Explains the effect of the fence on a tool that runs commands.
  std::optional<std::string> NoteOn(const Event& event) const;

  // The fence, if one is set. Running sessions keep a fence that was removed (measured on 2.1.330).
  std::optional<ClientRefusal> Fence(Access access) const;

 private:
  struct Rule {
    std::string text;  // "Read(~/.ssh)"
    std::string tool;  // "Read"
    std::string argument;
    bool is_ours = false;
  };
  struct Source {
    SettingsLayer layer = SettingsLayer::kUser;
    std::string file;                     // for messages
    std::string init;                     // the command that registers the hook there again
    std::vector<std::string> fences;      // pointers of kClientFence that are true
    std::vector<std::string> our_fences;  // those of them that init set
    std::vector<Rule> deny;
  };

  void Add(const SettingsFile& file, const SettingsRecord& record);
  bool Matches(const Source& source, const Rule& rule, const Path& path) const;

  Registration where_;
  std::vector<Path> working_;
  std::vector<Source> sources_;
};

}  // namespace ringfence
