#include "cli/permit/session_choice.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/joined.h"
#include "base/text.h"
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

Result<std::vector<std::string>> RefusedIn(const GrantTarget& grant, const Context& policies) {
  const Result<Policy> policy = policies.PolicyFor();
  if (!policy) return policy.error();
  const std::optional<Path> log = OwnPath(policy->audit.file, policies.places);
  if (!log) return UsageError("--session", "the home directory is unknown", "give --home DIR");
  return RefusedSessions(*log, grant);
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

}  // namespace

Result<std::string> ChooseSession(const ChangeOptions& options, const std::string& what,
                                  const GrantTarget& grant, Context& policies) {
  const bool revokes = options.finds_entry;
  const Result<std::vector<std::string>> sessions =
      revokes ? WithEntry(what, grant, policies) : RefusedIn(grant, policies);
  if (!sessions) return sessions.error();
  if (sessions->size() == 1) return sessions->front();
  const std::string commands = Joined(*sessions, "; ", [&](const std::string& session) {
    return CommandFor(session, options, what);
  });
  if (revokes) {
    return UsageError("--session", "more than one session has an entry for " + Quote(what),
                      "name one; the newest first: " + commands);
  }
  return UsageError("--session",
                    "more than one session was refused " + Quote(what) + " in the last day",
                    "name one; the last refused first: " + commands);
}

}  // namespace ringfence
