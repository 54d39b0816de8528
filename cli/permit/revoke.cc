#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "agents/claude/setup/agent_guard.h"
#include "base/contains.h"
#include "base/text.h"
#include "cli/command_line/options.h"
#include "cli/common/console.h"
#include "cli/common/grant_target.h"
#include "cli/permit/policy_change.h"
#include "cli/permit/policy_edit.h"
#include "policy/rules/domain.h"
#include "proxy/link/messages.h"

namespace ringfence {
namespace {

constexpr const char* kRevokeExamples =
    "  ringfence revoke ~/src/shared-lib          reading and writing\n"
    "  ringfence revoke ../data --read            from what may be read but not written\n"
    "  ringfence revoke registry.npmjs.org        a host\n"
    "  ringfence revoke 'mcp__github__*'          the tools of an MCP server\n"
    "  ringfence revoke ../data --session         what was permitted for one session\n\n"
    "The inverse of ringfence allow. Entries that a person wrote are found as well; comments and\n"
    "layout stay, and a project's policy that was trusted is trusted again. An entry of the\n"
    "default read list that was also allowed for writing stays readable, unless --read is\n"
    "given. Reports any other entry that still permits the path.";

class Revocation {
 public:
  explicit Revocation(const ChangeOptions& options) : change_(options) {}

  Outcome Run() {
    if (Status s = RefuseUnattended("revoke"); !s) return Outcome::No(s.error());
    if (Status s = change_.Open(); !s) return s.error();
    if (Status s = FindEntry(); !s) return s.error();
    if (removal_.entries.empty()) return Nothing();
    if (Status s = change_.Write(target_, removal_); !s) return s.error();
    Result<std::vector<std::string>> still = StillPermitted();
    if (!still) return still.error();
    if (Status s = change_.Commit(); !s) return s.error();
    return Removed(*still);
  }

 private:
  // Searches the policy that `allow` would change, then the user's own.
  Status FindEntry() {
    if (Status s = change_.FindTarget().MoveTo(target_); !s) return s.error();
    if (Status s = RemoveFrom(target_); !s) return s.error();
    if (!removal_.entries.empty() || target_.root.empty()) return Unit{};
    Result<ChangeTarget> users = change_.UsersTarget();
    if (!users) return users.error();
    if (Status s = RemoveFrom(*users); !s) return s.error();
    if (!removal_.entries.empty()) target_ = std::move(*users);
    return Unit{};
  }

  Status RemoveFrom(const ChangeTarget& target) {
    if (!target.text) return Unit{};
    if (Status s = RemoveTarget(change_.grant(), change_.context().sources, target, *target.text)
                       .MoveTo(removal_);
        !s)
      return s.error();
    return Unit{};
  }

  // Returns the rule that permits it, `"~/src" (policy.json:6 /read/allow)`, or why it needs none.
  std::string PermittedBy(const TargetDecision& decision) {
    for (const RuleUse& rule : decision.rules) {
      const bool permits =
          rule.place.pointer.ends_with("/allow") || rule.place.pointer.ends_with("/ask");
      if (!permits) continue;
      const bool is_built_in = rule.place.file == change_.context().sources.built_in->shown;
      is_built_in_ |= is_built_in && rule.place.pointer.ends_with("/allow");
      return (is_built_in ? "the built-in list, by " : "") + Quote(rule.written) + " (" +
             PlaceLabel(rule.place) + ")";
    }
    if (change_.grant().kind == TargetKind::kPath) return "the policy";
    if (change_.grant().kind == TargetKind::kHost) {
      return HasNetwork(change_.context()) ? "\"unlisted\" of the policy's \"network\" section"
                                           : "default: the policy has no \"network\" section";
    }
    return "default: no list of the policy names the tools that are allowed. To refuse it, add "
           "it to \"tools\": {\"deny\": [...]}";
  }

  Result<std::vector<std::string>> StillPermitted() {
    std::vector<std::string> still;
    GrantTarget grant = change_.grant();
    grant.also_write = false;
    const bool is_path = grant.kind == TargetKind::kPath;
    const auto read = EvaluateTarget(grant, change_.context());
    if (!read) return read.error();
    is_unknown_ = !*read;
    if (*read && (*read)->verdict != Verdict::kDeny) {
      still.push_back(
          (is_path ? "reading it is still permitted by " : "it is still permitted by ") +
          PermittedBy(**read));
    }
    if (!is_path || still.empty()) return still;
    grant.also_write = true;
    const auto both = EvaluateTarget(grant, change_.context());
    if (!both) return both.error();
    if (*both && (*both)->verdict != Verdict::kDeny) {
      TargetDecision write = **both;
      write.rules.erase(write.rules.begin(),
                        write.rules.begin() + static_cast<long>((*read)->rules.size()));
      still.push_back("writing it is still permitted by " + PermittedBy(write));
    }
    return still;
  }

  // True if the target is the project itself, which "." in a list permits for every project.
  bool IsProject() const {
    return change_.grant().path == change_.context().places.root_real.text();
  }

  std::string HintOnRule() const {
    if (is_built_in_) {
      return "a list of your own in " + target_.shown + " counts in place of the built-in one";
    }
    return std::string(IsProject() ? "that rule is about every project: " : "") +
           "change that rule if you mean it";
  }

  Outcome Nothing() {
    const Result<std::vector<std::string>> still = StillPermitted();
    if (!still) return still.error();
    const auto sessions = change_.StillInSessions();
    if (!still->empty() || !sessions.empty()) {
      std::string what =
          IsProject() ? "is the project itself" : "has no entry of its own in " + target_.shown;
      std::string hint = still->empty() ? "" : HintOnRule() + "; ";
      for (const std::string& one : *still) what += "; " + one;
      for (const auto& one : sessions) {
        what += "; " + one.what;
        hint += one.command + " takes that back; ";
      }
      return Outcome::No(ConfigError(Quote(change_.what()), what, hint + "nothing was changed"));
    }
    return Tell(Quote(change_.what()) + " has no entry in " + target_.shown +
                    "; nothing was changed." + OtherPorts(),
                {});
  }

  // Says which entries for the host name a port, if the user named none.
  std::string OtherPorts() const {
    const std::string host = LowerAscii(change_.grant().text);
    const Result<Policy> policy = change_.context().PolicyFor();
    if (change_.grant().kind != TargetKind::kHost || !policy || !policy->network) return "";
    const Result<HostRule> wanted = ParseHostRule(host);
    if (!wanted) return "";
    std::string entries;
    for (const HostList& list : policy->network->lists) {
      for (const HostRule& rule : list.allow) {
        if (rule.port == 0 || !CoversName(rule, *wanted)) continue;
        entries += (entries.empty() ? "" : ", ") + Quote(rule.written);
      }
    }
    return entries.empty() ? "" : " The policy lists " + entries + ".";
  }

  Outcome Removed(const std::vector<std::string>& still) {
    // Now no request of a running sandbox goes by the old policy any more.
    std::this_thread::sleep_for(2 * kReliedOn);
    for (const std::string& one : still) change_.Note(one);
    for (const auto& one : change_.StillInSessions()) {
      change_.Note(one.what + "; " + one.command + " takes that back");
    }
    if (is_unknown_ && HasRemovedQuestion()) change_.Note(NoteOnQuestion());
    if (const auto init = change_.InitThat(false)) {
      change_.Note("commands in the client's sandbox keep it until " + *init +
                   " takes it out of their list");
    }
    if (change_.what() == "@known-tools" && Contains(removal_.lists, "tools.allow")) {
      change_.Note("the client's own tools are refused now, but those that the list still names");
    }
    if (removal_.is_still_read) {
      change_.Note("by default it may be read; ringfence revoke --read takes that away");
    }
    std::string entries;
    for (const std::string& entry : removal_.entries) {
      entries += (entries.empty() ? "" : ", ") + Quote(entry);
    }
    return Tell("Removed " + entries + " from " + PolicyChange::ListsText(target_, removal_),
                change_.notes());
  }

  Outcome Tell(const std::string& done, const std::vector<std::string>& notes) const {
    return change_.Tell(
        done, {{"policy", target_.path}, {"entries", removal_.entries}, {"lists", removal_.lists}},
        notes);
  }

  std::string NoteOnQuestion() const {
    std::string remaining =
        RemainingQuestion(change_.what(), change_.context(), change_.ShownUsers());
    if (!remaining.empty()) return remaining;
    return "tools no longer ask about " + Quote(change_.what()) +
           ": what the policy allows there is permitted without a question";
  }

  bool HasRemovedQuestion() const {
    return std::ranges::any_of(removal_.lists,
                               [](const std::string& list) { return list.ends_with(".ask"); });
  }

  PolicyChange change_;
  ChangeTarget target_;
  PolicyEdit removal_;
  bool is_built_in_ = false;  // a rule of the built-in policy still permits it
  bool is_unknown_ = false;   // a set or a pattern that EvaluateTarget() cannot evaluate
};

}  // namespace

void AddRevoke(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "revoke", "Revoke the permission of one path, host or tool", kRevokeExamples);
  const auto options = std::make_shared<ChangeOptions>();
  AddChangeOptions(command, *options);
  options->finds_entry = true;
  command.AddFlag("--read", options->read, "Only from the read lists");
  command.AddFlag("--ask", options->ask, "Only from the ask lists");
  command.OnGiven(
      [&chosen, options] { chosen = [options] { return Revocation(*options).Run(); }; });
}

}  // namespace ringfence
