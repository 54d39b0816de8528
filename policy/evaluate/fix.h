// Suggestions in reasons: sentences for Cause::remedy. Every command in them exists, lifts the
// refusal if it is run as written, and can be pasted into a shell.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/files/resolve.h"
#include "policy/places.h"
#include "policy/policy.h"
#include "policy/rules/sets.h"

namespace ringfence {

// Returns a word for the shell, quoted if necessary; "" for text that no message should repeat
// (very long, invisible, with the backquote that ends a command), and for text that begins with
// "-", which a command takes for an option.
std::string ShellWord(std::string_view text);

// True for directories in which the whole machine or a user keeps files: "/", "/etc", "/tmp", a
// home and its well-known directories, and every directory that contains the home or the project.
bool IsSharedFolder(const Path& path, const Places& places);

// True if the name looks temporary, for example because of a random part, so no other call will use
// it.
bool LooksTemporary(std::string_view name);

// Returns how to permit what the list `missing` lacks (absent if no list is the cause). `words` are
// the arguments of `ringfence allow`, quoted for the shell; "" if no command can permit it. Before
// the command adds a first list of hosts, it asks: that list refuses all other hosts.
std::string AllowFix(const Policy& policy, const std::optional<RulePlace>& missing,
                     const std::string& words);

// Returns how the user permits a host, in the words of HostWords(), while an agent runs confined:
// the command is typed outside of its sandbox. "" if that permits nothing: the list `missing` is
// not one of the user's own. The command names the session, if it has an id, because other sessions
// may be refused the same host.
std::string AllowInSessionFix(const Policy& policy, const RulePlace& missing,
                              const std::string& words, const std::string& session);

// True if `ringfence allow` can change this list. The user changes other lists by hand.
bool AllowChanges(const RulePlace& list);

// Return `words` for AllowFix(), with `--as tool` or `--as host` if the name alone is ambiguous; ""
// if no entry permits this tool or host alone.
std::string ToolWords(std::string_view tool, const Agent& agent);
std::string HostWords(std::string_view host);

// Returns how to permit a port of host.ringfence, which the list `missing` lacks. `ringfence allow`
// adds it to the user's own policy, if that has a list of hosts; a project's cannot have it.
std::string HostLoopbackFix(const Policy& policy, const std::optional<RulePlace>& missing,
                            uint16_t port);

// Returns the remedy for a question that the agent does not put to the user in this permission
// mode (docs/hook-protocol.md); "" if the user is asked.
std::string QuestionFix(std::string_view permission_mode, Access access, const Agent& agent);

// A path that an allow list does not cover.
struct PathRefusal {
  const Walked& walked;
  Access access;
  const RulePlace& missing;  // the list that does not cover it
  const Agent& agent;
  bool asks = false;  // allowing it would still leave a question
  std::string_view permission_mode;
  bool in_sandbox = false;  // as in Event
};
std::string PathFix(const PathRefusal& refusal, const Policy& policy, const Places& places);

}  // namespace ringfence
