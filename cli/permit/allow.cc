#include <unistd.h>

#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "agents/claude/setup/agent_guard.h"
#include "base/text.h"
#include "cli/command_line/options.h"
#include "cli/common/ask.h"
#include "cli/common/client_refusals.h"
#include "cli/common/console.h"
#include "cli/common/grant_target.h"
#include "cli/permit/policy_change.h"
#include "cli/permit/policy_edit.h"
#include "cli/setup/starter_policy.h"
#include "policy/files/cached_files.h"
#include "policy/files/real_files.h"
#include "policy/rules/domain.h"
#include "policy/rules/own_loopback.h"
#include "policy/rules/protected.h"

namespace ringfence {
namespace {

constexpr const char* kAllowExamples =
    "  ringfence allow ~/src/shared-lib --read   reading, not writing\n"
    "  ringfence allow ../data                   reading and writing\n"
    "  ringfence allow /srv/data --ask           only after the user approves\n"
    "  ringfence allow registry.npmjs.org        a host, on the ports 80 and 443\n"
    "  ringfence allow github.com:22             a host, on another port\n"
    "  ringfence allow 'mcp__github__*'          the tools of an MCP server\n"
    "  ringfence allow ../data --session         only in the session that was refused\n\n"
    "The entry goes into the policy that decides: the project's own if it is trusted (which\n"
    "renews the trust), otherwise the user's. Comments and layout are kept. ringfence revoke is\n"
    "the inverse.";

std::string CauseText(const Cause& cause) {
  return cause.what + ": " + cause.why + (cause.place ? " (" + PlaceLabel(*cause.place) + ")" : "");
}

class Allowance {
 public:
  explicit Allowance(const ChangeOptions& options) : options_(options), change_(options) {}

  Outcome Run() {
    if (Status s = RefuseUnattended("allow"); !s) return Outcome::No(s.error());
    if (Status s = change_.Open(); !s) return s.error();
    if (Status s = change_.FindTarget().MoveTo(target_); !s) return s.error();
    const auto before = EvaluateTarget(change_.grant(), change_.context());
    if (!before) return before.error();
    is_asked_about_ = *before && (*before)->verdict == Verdict::kAsk;
    if (Status s = LeavePermittedReads(); !s) return s.error();
    target_.adds_network = LacksNetwork();
    const bool is_permitted = *before && (*before)->verdict == Wanted();
    if (is_permitted && !target_.adds_network) return Nothing("is permitted already");
    const Result<PolicyEdit> edit = AddTarget(grant_, change_.context().sources, target_, Text());
    if (!edit) return edit.error();
    if (edit->lists.empty()) {
      if (std::optional<Outcome> no = CheckResult()) return *no;
      return Nothing("is already allowed");
    }
    if (std::optional<Outcome> no = AskAboutNetwork()) return *no;
    if (std::optional<Outcome> no = AskAboutWide()) return *no;
    if (Status s = change_.Write(target_, *edit); !s) return s.error();
    if (std::optional<Outcome> no = CheckResult()) return *no;
    if (Status s = change_.Commit(); !s) return s.error();
    return Added(*edit);
  }

 private:
  Verdict Wanted() const { return options_.ask ? Verdict::kAsk : Verdict::kPermit; }

  // The hook refuses no host then, and no command in a sandbox reaches one.
  bool LacksNetwork() const {
    return change_.grant().kind == TargetKind::kHost && !target_.is_session &&
           !HasNetwork(change_.context());
  }

  // Adds nothing about reading if reading is permitted already.
  Status LeavePermittedReads() {
    grant_ = change_.grant();
    if (grant_.kind != TargetKind::kPath || !grant_.also_write) return Unit{};
    GrantTarget read = grant_;
    read.also_write = false;
    const auto evaluated = EvaluateTarget(read, change_.context());
    if (!evaluated) return evaluated.error();
    grant_.also_read = !*evaluated || (*evaluated)->verdict != Verdict::kPermit;
    return Unit{};
  }

  std::string Text() const {
    if (target_.text) return *target_.text;
    return target_.is_session ? "{\n  \"version\": 1\n}\n" : StarterPolicy({});
  }

  // Asks before a grant that is so wide that it may be a typing mistake.
  std::optional<Outcome> AskAboutWide() const {
    const std::string wide = WideText(change_.grant(), change_.context().places, change_.where());
    if (wide.empty()) return {};
    return Ask("This opens " + wide + ", except what rules deny.", "Allow it?",
               UsageError(Quote(change_.what()), "this would open " + wide,
                          "name less, or add --yes if you mean it; nothing was changed"));
  }

  // Asks before the first list of hosts, which also refuses all other hosts.
  std::optional<Outcome> AskAboutNetwork() const {
    if (!target_.adds_network) return {};
    const std::string state =
        "the policy has no \"network\": the hook refuses no host, and commands in a sandbox reach "
        "none. With one, every host that it does not list is refused";
    const std::string section = "\"network\": {\"allow\": [\"@agent-hosts\", " +
                                Quote(LowerAscii(change_.grant().text)) + "]}";
    return Ask(state + ". This adds " + section + " to " + target_.shown + ".", "Add it?",
               UsageError(Quote(change_.what()), state,
                          "to add " + section + " to " + target_.shown +
                              ", add --yes; nothing was changed" + OfSandboxes()));
  }

  std::optional<Outcome> Ask(const std::string& what, const std::string& question,
                             const Error& unasked) const {
    if (options_.yes) return {};
    const Terminal terminal;
    if (options_.json || !terminal.can_ask()) return Outcome::No(unasked);
    Console().Line(what);
    if (terminal.Ask(question) == UserReply::kYes) return {};
    Console().Line("Nothing was changed.");
    return Outcome(1);
  }

  // Of an entry for the loopback: what to name for the commands in a sandbox; "" for others.
  std::string OfSandboxes() const {
    const std::string entry = LowerAscii(change_.grant().text);
    const Result<HostRule> rule = ParseHostRule(entry);
    if (change_.grant().kind != TargetKind::kHost || !rule || !IsOwnLoopback(*rule)) return "";
    const std::string port = rule->port == 0 ? "PORT" : std::to_string(rule->port);
    return std::string(
               "; it counts for the agent's own tools only, and commands in a sandbox "
               "reach this machine by: ringfence allow ") +
           std::string(kHostLoopback) + ":" + port;
  }

  // Keeps the entry only if it has an effect; otherwise reports the rule that prevents it.
  std::optional<Outcome> CheckResult() {
    const auto after = EvaluateTarget(change_.grant(), change_.context());
    if (!after) return Outcome(after.error());
    if (!*after || (*after)->verdict <= Wanted()) return {};
    const TargetDecision& decision = **after;
    const bool is_denied = decision.verdict == Verdict::kDeny;
    return Outcome::No(
        ConfigError(Quote(change_.what()),
                    std::string(is_denied ? "allowing it does not lift this denial: "
                                          : "allowing it does not remove this question: ") +
                        (decision.cause ? CauseText(*decision.cause) : ""),
                    Hint(decision)));
  }

  // Returns "" if there is nothing to suggest.
  std::string Hint(const TargetDecision& decision) const {
    const std::string instead = InsteadOf(decision);
    return instead.empty() ? "" : instead + "nothing was changed";
  }

  std::string InsteadOf(const TargetDecision& decision) const {
    const bool asks_now =
        decision.verdict == Verdict::kAsk && change_.grant().kind == TargetKind::kPath;
    if (asks_now && !is_asked_about_) {
      return std::string("to allow it with that question, ") +
             (target_.is_session ? "leave --session out and " : "") + "add --ask; ";
    }
    if (!decision.cause || !decision.cause->place) return InsteadOfProtected();
    const std::string advice = AdviceOnBuiltIn(decision, change_.grant(), change_.ShownUsers());
    return advice.empty() ? "change that rule instead; " : advice;
  }

  // Suggests what a policy can permit: reading protected files, and writing next to them.
  std::string InsteadOfProtected() const {
    const GrantTarget& grant = change_.grant();
    if (grant.path.empty() || !grant.also_write) return "";
    GrantTarget read = grant;
    read.also_write = false;
    const auto evaluated = EvaluateTarget(read, change_.context());
    if (!evaluated || !*evaluated || (*evaluated)->verdict > Wanted()) return "";
    const RealFiles disk;
    const CachedFiles files(disk);
    const auto protection =
        ProtectedPaths(change_.context().places, files).RefusesName(Path::Clean(grant.path));
    const bool is_above = protection && protection->is_above;
    return std::string(is_above ? "name what you need in it, or " : "") +
           "for reading alone, add --read; ";
  }

  Outcome Nothing(const std::string& why) {
    const Path& project = change_.context().places.root;
    if (options_.project.empty() && project.text() != std::filesystem::current_path()) {
      change_.Note("this holds in the project " + Quote(project.text()) +
                   "; if the client started in another directory, name it: --project DIR");
    }
    NoteClient();
    return change_.Tell(
        Quote(change_.what()) + " " + why + "; nothing was changed" + OfSandboxes() + ".",
        JsonOf("", {}), change_.notes());
  }

  Outcome Added(const PolicyEdit& edit) {
    if (target_.is_session) change_.Note("it applies only to session " + change_.session());
    NoteMissing();
    NoteNetwork();
    NoteQuestion();
    NoteClient();
    if (const auto init = target_.is_session ? std::nullopt : change_.InitThat(true)) {
      change_.Note("commands in the client's sandbox have a list of their own; " + *init +
                   " carries the entry over");
    }
    const std::string& entry = edit.entries.front();
    return change_.Tell("Added " + Quote(entry) + " to " + PolicyChange::ListsText(target_, edit),
                        JsonOf(entry, edit.lists), change_.notes());
  }

  OrderedJson JsonOf(const std::string& entry, const std::vector<std::string>& lists) const {
    return {{"policy", target_.path}, {"entry", entry}, {"lists", lists}};
  }

  void NoteMissing() {
    const GrantTarget& grant = change_.grant();
    const bool may_be_made = grant.also_write && !grant.as_question && !grant.is_pattern;
    if (grant.path.empty() || !may_be_made || change_.what().ends_with('/')) return;
    if (::access(grant.path.c_str(), F_OK) == 0 || errno != ENOENT) return;
    change_.Note(
        "it does not exist: ringfence run creates a directory of that name; if it is to be a file, "
        "create the file first");
  }

  void NoteNetwork() {
    if (target_.adds_network)
      change_.Note("every host that this list does not name is refused now");
    if (const std::string text = OfSandboxes(); !text.empty()) change_.Note(text.substr(2));
    const GrantTarget& grant = change_.grant();
    const std::string entry = LowerAscii(grant.text);
    const Result<HostRule> rule = ParseHostRule(entry);
    if (grant.kind == TargetKind::kHost && rule && rule->host == kHostLoopback) {
      change_.Note(
          "an unauthenticated debugger or Docker at that port is a way out of the sandbox");
    }
  }

  void NoteQuestion() {
    if (!grant_.as_question || grant_.kind != TargetKind::kPath) return;
    const char* may_not = !grant_.also_write ? "may not read it"
                          : grant_.also_read ? "may neither read nor write it"
                                             : "may not write it";
    change_.Note(std::string("the sandbox cannot ask, so commands in ringfence run ") + may_not);
  }

  // The client's own settings may refuse what the policy now permits.
  void NoteClient() {
    const Result<ClientRefusals> client = ClientRefusals::Read(change_.where());
    if (!client) {
      return change_.Note("the client's settings cannot be read: " + client.error().text());
    }
    if (const auto refusal = client->OfTarget(change_.grant())) {
      change_.Note("the client itself still refuses it: " + refusal->text() + "; to lift that, " +
                   refusal->fix);
    }
  }

  const ChangeOptions& options_;
  PolicyChange change_;
  GrantTarget grant_;  // what to add for change_.grant()
  ChangeTarget target_;
  bool is_asked_about_ = false;  // before the change
};

}  // namespace

void AddAllow(Command& app, Action& chosen) {
  Command command = AddCommand(app, "allow", "Allow a path, host or tool", kAllowExamples);
  const auto options = std::make_shared<ChangeOptions>();
  AddChangeOptions(command, *options);
  command.AddFlag("--read", options->read, "A path for reading only");
  command.AddFlag("--ask", options->ask, "The user is asked each time");
  command.AddFlag("--yes", options->yes,
                  "Skip the questions about broad permissions (a home directory, /usr, /) and a "
                  "first host");
  command.OnGiven([&chosen, options] { chosen = [options] { return Allowance(*options).Run(); }; });
}

}  // namespace ringfence
