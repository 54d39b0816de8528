// What `ringfence allow` and `ringfence revoke` have in common: which policies are in force, what
// was named, which file is changed, and how it is written and trusted again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/claude/setup/sandbox_lists.h"
#include "cli/command_line/options.h"
#include "cli/common/file_transaction.h"
#include "cli/common/policies.h"
#include "cli/permit/grant_target.h"

namespace ringfence {

struct ChangeOptions {
  Registration given;
  bool json = false;
  std::string what;
  std::string kind;  // --as
  std::string project;
  std::string policy;
  bool read = false;
  bool ask = false;
  bool session = false;
  bool finds_entry = false;  // a name that says nothing is what an entry of that name is
  std::string session_id;

  bool is_for_session() const { return session || !session_id.empty(); }
};
// The options that both have. `session` is what --session means to the command.
void AddChangeOptions(Command& command, ChangeOptions& options, const char* session);

// The file that is changed.
struct ChangeTarget {
  std::string path;
  std::optional<std::string> text;  // of the file, if there is one
  std::string root;                 // of the trusted project whose own policy it is, else ""
};

class PolicyChange {
 public:
  explicit PolicyChange(const ChangeOptions& options) : options_(options), what_(options.what) {}

  // The policies in force, and what was named.
  Status Open();
  // The session's file, --policy FILE, the project's own policy where it is trusted, or the user's.
  Result<ChangeTarget> FindTarget();
  // The user's own policy, whatever the project has.
  Result<ChangeTarget> UsersTarget() const;

  // Writes `text` into the target, which was read before; a project's policy is trusted again.
  // Until Commit() it is put back.
  Status Write(const ChangeTarget& target, const std::string& text, const std::string& entry);
  Status Commit() { return transaction_.Commit(); }
  Status ReadAgain();

  // `ringfence init` was run, so the client's sandbox has lists of its own, and by the change it
  // would add to them, or take away what they hold. Neither where ringfence wraps the commands, for
  // which init switches that sandbox off.
  bool InitWouldAdd() const;
  bool InitWouldRemove() const;
  std::string InitCommand() const;  // that updates them

  const GrantTarget& grant() const { return grant_; }
  const Context& policies() const { return *policies_; }
  const Registration& where() const { return where_; }
  const std::string& what() const { return what_; }
  const std::string& session() const { return session_; }
  // Each session that may what is denied to others, and the command that takes it back.
  struct StillInSession {
    std::string what;
    std::string command;
  };
  std::vector<StillInSession> StillInSessions();
  std::string Shown(const ChangeTarget& target) const { return ShownPath(target.path, where_); }
  std::string ShownUsers() const;  // the user's own policy
  // How the argument was understood, and which policies do not count.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  Status FindPlaces();
  Status FindPolicies();
  Status ReadRegistration();
  Result<TargetKind> ReadKind();
  std::optional<Error> ServerNamed() const;
  std::optional<TargetKind> KindOfEntry() const;
  Status ReadTarget();
  Result<ChangeTarget> SessionTarget();
  Status AddGrants();
  bool HasRecords() const;
  static Result<ChangeTarget> TargetAt(const std::string& path, std::string root);

  const ChangeOptions& options_;
  std::string what_;  // what was named; of a URL its host
  Registration where_;
  std::string folder_;  // relative paths begin here
  std::string policy_option_;
  std::string profile_;
  std::string root_;  // registered with --root
  BorrowedProject borrowed_;
  std::optional<Context> policies_;
  std::vector<SandboxEntry> sandbox_before_;  // the change
  GrantTarget grant_;
  std::string session_;
  std::vector<std::string> notes_;
  FileTransaction transaction_;
};

// "file:line /read/allow" and why, for people.
std::string CauseText(const Cause& cause);

}  // namespace ringfence
