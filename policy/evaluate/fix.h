// What a reason suggests: sentences for Cause::remedy. A command in them exists, lifts the refusal
// when it is run as it is written, and can be pasted into a shell.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/files/resolve.h"
#include "policy/places.h"
#include "policy/policy.h"
#include "policy/rules/sets.h"

namespace ringfence {

// A word for the shell: quoted where it must be; "" for text that no message should repeat (very
// long, invisible, with the backquote that ends a command), and for text that begins with "-",
// which a command takes for an option.
std::string ShellWord(std::string_view text);

// Everything on the machine, or one user, keeps files in it: "/", "/etc", "/tmp", a home and its
// well-known folders, and whatever holds the home or the project.
bool IsSharedFolder(const Path& path, const Places& places);

// No other call will use the name: it has a random part.
bool LooksTemporary(std::string_view name);

// How to permit something that `missing`, a list of the policy, lacks; nothing where no list is to
// blame. `words` follow "ringfence allow", quoted for the shell; with "" there is no such command.
std::string AllowFix(const Policy& policy, const std::optional<RulePlace>& missing,
                     const std::string& words);

// True if `ringfence allow` can change this list. Others are changed by hand.
bool AllowChanges(const RulePlace& list);

// `words` for AllowFix(), with `--as tool` or `--as host` where the name alone does not say it.
std::string ToolWords(std::string_view tool, const Agent& agent);
std::string HostWords(std::string_view host);

// What to do about a question that the client does not put to the user in this permission mode
// (measured on 2.1.330 and 2.1.331, see docs/hook-protocol.md); "" where the user is asked.
std::string QuestionFix(std::string_view permission_mode, Access access);

// A path that no list of what is allowed covers.
struct PathRefusal {
  const Walked& walked;
  Access access;
  const RulePlace& missing;  // the list
  bool asks = false;         // allowing it alone would leave a question
  std::string_view permission_mode;
  bool in_sandbox = false;  // as in Event
};
std::string PathFix(const PathRefusal& refusal, const Policy& policy, const Places& places);

}  // namespace ringfence
