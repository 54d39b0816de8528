// The common part of `ringfence allow` and `ringfence revoke`: finds the policies in force, the
// target and the file to change; writes the file and trusts it again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/claude/setup/client_sandbox.h"
#include "cli/command_line/options.h"
#include "cli/common/file_transaction.h"
#include "cli/common/grant_target.h"
#include "cli/common/policies.h"
#include "cli/permit/policy_edit.h"

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
  bool yes = false;  // grants what is wide without a question
  bool session = false;
  bool finds_entry = false;  // takes the kind of an unclear name from a policy's entry
  std::string session_id;

  bool is_for_session() const { return session || !session_id.empty(); }
};
// Declares the common options.
void AddChangeOptions(Command& command, ChangeOptions& options);

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

  // Writes the changed text into the target, which was read before, and trusts a project's policy
  // again; then reads the policies in force. Without Commit() the destructor restores the old text.
  Status Write(const ChangeTarget& target, const PolicyEdit& edit);
  Status Commit() { return transaction_.Commit(); }

  // Prints the result and the notes: `done` or, with --json, `json` with the notes.
  Outcome Tell(const std::string& done, OrderedJson json,
               const std::vector<std::string>& notes) const;
  // Returns "read.allow and write.allow of policy.json, trusted again.", for the changed lists.
  static std::string ListsText(const ChangeTarget& target, const PolicyEdit& edit);

  // If the user has run `ringfence init`, which filled the lists of the client's sandbox, and after
  // the change it would add entries to them (or else remove some), returns the command that does.
  // Returns nothing if ringfence wraps the commands, for which init switches that sandbox off.
  std::optional<std::string> InitThat(bool adds) const;

  const GrantTarget& grant() const { return grant_; }
  const Context& context() const { return *context_; }
  const Registration& where() const { return where_; }
  const std::string& what() const { return what_; }
  const std::string& session() const { return session_; }
  // A session that may do what is denied to others, and the command that revokes it.
  struct StillInSession {
    std::string what;
    std::string command;
  };
  std::vector<StillInSession> StillInSessions();
  std::string ShownUsers() const;  // the user's own policy
  // The first notes are about how the argument was understood, and which policies are not in force.
  const std::vector<std::string>& notes() const { return notes_; }
  void Note(std::string note) { notes_.push_back(std::move(note)); }

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
  Result<ChangeTarget> TargetAt(const std::string& path, std::string root) const;
  Status ReadAgain();

  const ChangeOptions& options_;
  std::string what_;  // the user's argument, or the host of a URL
  Registration where_;
  std::string folder_;  // the base of relative paths
  std::string policy_option_;
  std::string profile_;
  std::string root_;  // from --root of the registration
  BorrowedProject borrowed_;
  std::optional<Context> context_;
  std::vector<SandboxEntry> sandbox_before_;  // before the change
  GrantTarget grant_;
  std::string session_;
  std::vector<std::string> notes_;
  FileTransaction transaction_;
};

}  // namespace ringfence
