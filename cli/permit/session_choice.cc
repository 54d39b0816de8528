#include "cli/permit/session_choice.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/joined.h"
#include "base/text.h"
#include "cli/permit/refused_sessions.h"
#include "cli/permit/session_grants.h"
#include "policy/evaluate/fix.h"
#include "policy/load/layers.h"

namespace ringfence {
namespace {

Result<std::vector<std::string>> WithEntry(const std::string& what, const GrantTarget& grant,
                                           Context& policies) {
  std::vector<std::string> sessions = SessionsWithEntry(grant, policies);
  if (!sessions.empty()) return sessions;
  return UsageError("--session", "no session has an entry for " + Quote(what),
                    "leave --session out for an entry of a policy; nothing was changed");
}

Result<RefusedSessions> RefusedIn(const Path& audit_file, const GrantTarget& grant,
                                  const std::string& home) {
  Result<RefusedSessions> refused = FindRefusedSessions(audit_file, grant, home);
  if (!refused || !refused->ids.empty()) return refused;
  const std::string log = "the audit log " + audit_file.text();
  if (refused->has_ended) {
    return UsageError("--session", "the agent that was refused " + Quote(grant.text) + " has ended",
                      "leave --session out to permit it to all, or let an agent that runs ask for "
                      "it again");
  }
  if (!refused->is_whole_day) {
    return UsageError("--session",
                      log + " is too long to search: its last " +
                          std::to_string(RefusedSessions::kMostBytes >> 20) +
                          " MiB have no denial of " + Quote(grant.text) + " in a session",
                      "name the session: --session-id ID");
  }
  if (refused->has_other) {
    return UsageError(
        "--session", "the denials of " + Quote(grant.text) + " in " + log + " belong to no session",
        "leave --session out, or give the command a session: ringfence run "
        "--session ID; then: ringfence allow --session-id ID");
  }
  return UsageError("--session", log + " has no denial of " + Quote(grant.text) + " in a session",
                    "leave --session out if the command had none, or name it: --session-id ID");
}

Result<Path> AuditFile(const Context& policies) {
  const Result<Policy> policy = policies.PolicyFor();
  if (!policy) return policy.error();
  const std::optional<Path> log = OwnPath(policy->audit.file, policies.places);
  if (!log) return UsageError("--session", "the home directory is unknown", "give --home DIR");
  return *log;
}

// The user's command again, for one session.
std::string CommandFor(const std::string& session, const ChangeOptions& options,
                       const std::string& what) {
  std::string command = options.finds_entry ? "ringfence revoke" : "ringfence allow";
  const auto add = [&command](const char* option, const std::string& value) {
    if (!value.empty()) command += option + ShellWord(value);
  };
  add(" --session-id ", session);
  add(" --as ", options.kind);
  add(" --project ", options.project);
  add(" --policy ", options.policy);
  if (options.read) command += " --read";
  return command + " " + ShellWord(what);
}

std::string CommandsFor(const std::vector<std::string>& sessions, const ChangeOptions& options,
                        const std::string& what) {
  return Joined(sessions, "; ",
                [&](const std::string& session) { return CommandFor(session, options, what); });
}

Result<std::string> SessionToRevoke(const ChangeOptions& options, const std::string& what,
                                    const GrantTarget& grant, Context& policies) {
  const Result<std::vector<std::string>> sessions = WithEntry(what, grant, policies);
  if (!sessions) return sessions.error();
  if (sessions->size() == 1) return sessions->front();
  return UsageError("--session", "more than one session has an entry for " + Quote(what),
                    "name one; the newest first: " + CommandsFor(*sessions, options, what));
}

}  // namespace

Result<std::string> ChooseSession(const ChangeOptions& options, const std::string& what,
                                  const GrantTarget& grant, Context& policies) {
  if (options.finds_entry) return SessionToRevoke(options, what, grant, policies);
  const Result<Path> log = AuditFile(policies);
  if (!log) return log.error();
  const std::vector<Path>& homes = policies.places.homes;
  const Result<RefusedSessions> refused =
      RefusedIn(*log, grant, homes.empty() ? "" : homes.front().text());
  if (!refused) return refused.error();
  const std::vector<std::string>& sessions = refused->ids;
  const std::string commands =
      "name one; the last refused first: " + CommandsFor(sessions, options, what);
  if (sessions.size() > 1) {
    return UsageError("--session",
                      "more than one session was refused " + Quote(what) + " in the last day",
                      commands);
  }
  if (refused->last_had_none) {
    return UsageError("--session",
                      "the command that was last refused " + Quote(what) + " had no session",
                      "leave --session out to permit it to all, or name a session: " +
                          CommandsFor(sessions, options, what));
  }
  if (!refused->is_whole_day) {
    return UsageError("--session",
                      "the audit log of the last day is too long to search for all sessions that "
                      "were refused " +
                          Quote(what),
                      commands);
  }
  return sessions.front();
}

}  // namespace ringfence
