// The common part of `ringfence allow` and `ringfence revoke`: finds the policies in force, the
// target and the file to change; writes the file and trusts it again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/claude/setup/client_sandbox.h"
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
  bool finds_entry = false;  // takes the kind of an unclear name from a policy's entry
  std::string session_id;

  bool is_for_session() const { return session || !session_id.empty(); }
};
// Declares the common options. `session` is the help text of --session.
void AddChangeOptions(Command& command, ChangeOptions& options, const char* session);

// The file to change.
struct ChangeTarget {
  std::string path;
  std::optional<std::string> text;  // of the file, if it exists
  std::string root;                 // of the trusted project that the policy belongs to, or ""
};

class PolicyChange {
 public:
  explicit PolicyChange(const ChangeOptions& options) : options_(options), what_(options.what) {}

  // Reads the policies in force and the user's target.
  Status Open();
  // Returns the session's file, --policy FILE, the project's own policy if it is trusted, or the
  // user's.
  Result<ChangeTarget> FindTarget();
  // Returns the user's own policy, even if the project has one.
  Result<ChangeTarget> UsersTarget() const;

  // Writes `text` into the target, which was read before, and trusts a project's policy again.
  // Without Commit() the destructor restores the old text.
  Status Write(const ChangeTarget& target, const std::string& text, const std::string& entry);
  Status Commit() { return transaction_.Commit(); }
  Status ReadAgain();

  // True if the user has run `ringfence init`, which filled the lists of the client's sandbox, and
  // after the change it would add entries to them or remove some. Both are false if ringfence wraps
  // the commands, for which init switches that sandbox off.
  bool InitWouldAdd() const;
  bool InitWouldRemove() const;
  std::string InitCommand() const;  // the command that updates them

  const GrantTarget& grant() const { return grant_; }
  const Context& policies() const { return *policies_; }
  const Registration& where() const { return where_; }
  const std::string& what() const { return what_; }
  const std::string& session() const { return session_; }
  // A session that may do what is denied to others, and the command that revokes it.
  struct StillInSession {
    std::string what;
    std::string command;
  };
  std::vector<StillInSession> StillInSessions();
  std::string Shown(const ChangeTarget& target) const { return ShownPath(target.path, where_); }
  std::string ShownUsers() const;  // the user's own policy
  // Notes about how the argument was understood, and which policies are not in force.
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
  std::string what_;  // the user's argument, or the host of a URL
  Registration where_;
  std::string folder_;  // the base of relative paths
  std::string policy_option_;
  std::string profile_;
  std::string root_;  // from --root of the registration
  BorrowedProject borrowed_;
  std::optional<Context> policies_;
  std::vector<SandboxEntry> sandbox_before_;  // before the change
  GrantTarget grant_;
  std::string session_;
  std::vector<std::string> notes_;
  FileTransaction transaction_;
};

// Returns the cause with its reason and the place of the rule, for messages.
std::string CauseText(const Cause& cause);

}  // namespace ringfence
