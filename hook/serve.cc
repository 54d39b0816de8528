#include "hook/serve.h"

#include "agents/claude/answer.h"
#include "agents/claude/config_change.h"
#include "agents/claude/event_reader.h"
#include "audit_log/append.h"
#include "audit_log/entry.h"
#include "audit_log/line.h"
#include "audit_log/twin.h"
#include "base/launcher.h"
#include "base/syscall.h"
#include "hook/plugin_command.h"
#include "hook/serve_result.h"
#include "hook/session_text.h"
#include "hook/wrap.h"
#include "policy/agent.h"
#include "policy/decide.h"
#include "policy/files/cached_files.h"
#include "policy/files/real_files.h"
#include "policy/load/context.h"
#include "policy/load/layers.h"

namespace ringfence {
namespace {

class Server {
 public:
  Server(const Registration& registration, Output& output)
      : registration_(registration), output_(output), start_(Nanoseconds(CLOCK_MONOTONIC)) {}

  Reply Run(ByteSource& source) {
    Result<Context> context = FindContext(registration_, files_);
    EventFilter filter;
    if (context) {
      for (const PolicySource& s : context->sources.sources) AddNeeds(*s.file, filter);
      filter.files = &files_;
      filter.places = &context->places;
    }
    if (Status s = ReadEvent(source, filter).MoveTo(event_); !s) return Refused(s.error());
    if (event_.kind == EventKind::kNotServed) return {};
    // Needs no policy: /ringfence:doctor explains a broken one.
    if (event_.kind == EventKind::kPromptExpansion) return ServePluginCommand();
    if (!context) return Refused(context.error());
    context_ = std::move(*context);
    if (event_.is_call()) {
      // If this fails, the policy files alone decide.
      [[maybe_unused]] const Result<bool> granted =
          AddSessionGrants(event_.session_id, context_.places, context_.sources);
    }
    Result<Policy> policy = context_.PolicyFor(CallerOf(event_));
    if (!policy) return Refused(policy.error());
    policy_ = std::move(*policy);
    context_.places.audit_file = OwnPath(policy_.audit.file, context_.places);
    return ServeKind();
  }

 private:
  Reply ServeKind() {
    switch (event_.kind) {
      case EventKind::kPreToolUse:
      case EventKind::kPermissionRequest:
        return ServeCall();
      case EventKind::kConfigChange:
        return ServeConfigChange();
      case EventKind::kSessionStart:
      case EventKind::kSubagentStart:
        return ServeStart();
      case EventKind::kPostToolUse:
      case EventKind::kPostToolUseFailure:
        return ServeResult();
      case EventKind::kPromptExpansion:
      case EventKind::kNotServed:
        break;
    }
    return {};
  }

  // Only the plugin has these commands, and registers the event.
  Reply ServePluginCommand() const {
    if (!registration_.is_plugin || !IsPluginCommand(event_.command)) return {};
    Result<std::vector<std::string>> program = AnswerOf(event_.command, registration_);
    if (!program) return Refused(program.error());
    return {.err = "", .status = 0, .program = std::move(*program)};
  }

  Reply Refused(const Error& error) const { return {RefusalLine(error, policy_.say), 2, {}}; }

  Reply Answer(const std::string& out) {
    if (out.empty() || output_.Print(out)) return {};
    return Refused(Error{Error::Kind::kSystem, "stdout", "the answer could not be written", ""});
  }

  Status Log(LoggedVerdict verdict, const Decision* decision, std::string_view why) {
    if (registration_.trial) return Unit{};
    if (!context_.places.audit_file) {
      return Error{Error::Kind::kSystem, "audit log", "the home directory is unknown",
                   "register with --home"};
    }
    const int64_t now = Nanoseconds(CLOCK_REALTIME);
    AuditEntry entry;
    entry.Take(event_);
    if (decision != nullptr) entry.Take(*decision);
    entry.verdict = verdict;
    if (!why.empty()) entry.why = why;
    if (decision != nullptr && decision->cause) {
      entry.server = McpServerOf(event_, *registration_.agent);
    }
    entry.time = AuditTime(now);
    entry.profile = policy_.profile;
    if (registration_.is_plugin) entry.via = kViaPlugin;
    entry.microseconds = (Nanoseconds(CLOCK_MONOTONIC) - start_) / 1000;
    return AppendToAudit(*context_.places.audit_file, policy_.audit, AuditText(entry), now);
  }

  // Prints a denial before it writes the log; any other verdict waits for a required log.
  Reply AnswerAndLog(const std::string& out, const Decision& decision) {
    const LoggedVerdict verdict = LoggedVerdictOf(decision.verdict);
    if (decision.verdict != Verdict::kDeny && policy_.audit.required) {
      if (Status s = Log(verdict, &decision, ""); !s) return Refused(s.error());
      return Answer(out);
    }
    Reply reply = Answer(out);
    if (Status s = Log(verdict, &decision, ""); !s && reply.status == 0) {
      Error error = s.error();
      error.what += "; this decision is not logged (see ringfence doctor)";
      reply.err = RefusalLine(error, "");  // shown to the user; blocks nothing
    }
    return reply;
  }

  Reply ServeCall() {
    Decision decision = Decide(event_, {policy_, context_.places, files_});
    if (decision.failure) {
      // The call is refused even if this cannot be logged.
      [[maybe_unused]] const Status logged =
          Log(LoggedVerdict::kError, nullptr, decision.failure->text());
      return Refused(*decision.failure);
    }
    const std::string input = Wrap(decision);
    return AnswerAndLog(DecisionAnswer(event_, decision, policy_.say, input), decision);
  }

  // Returns tool_input with its command wrapped, or "" if nothing changes. Denies the call if no
  // shell could read the line: that depends on the session and on where ringfence is installed.
  std::string Wrap(Decision& decision) const {
    const bool has_command = event_.raw_input && event_.raw_input->command != 0;
    if (decision.verdict == Verdict::kDeny || !MustBeWrapped() || !has_command) return "";
    const RawInput& input = *event_.raw_input;
    const Result<std::string> line = WrapLine(registration_, event_);
    if (!line) {
      decision = {.verdict = Verdict::kDeny};
      decision.cause = Cause{"command of " + event_.tool_name,
                             "it cannot be wrapped (bash.wrap): " + line.error().text(),
                             {},
                             line.error().hint};
      return "";
    }
    // Skips the prompt only for a command that runs wrapped, and only here.
    decision.say_allow = policy_.permitted == Permitted::kAllow &&
                         event_.kind == EventKind::kPreToolUse &&
                         decision.verdict == Verdict::kPermit;
    if (input.beginning.starts_with(*line)) return "";
    return WrappedInput(input, *line);
  }

  bool MustBeWrapped() const {
    return policy_.wrap_bash && policy_.agent->tools.RunsCommand(event_.tool_name) &&
           !IsLeftToSettings();
  }

  // True if a command that must be wrapped ran unwrapped: after the call, the client reports what
  // really ran.
  bool RanUnwrapped() const {
    if (!MustBeWrapped() || !event_.raw_input || event_.raw_input->command == 0) return false;
    const Result<std::string> line = WrapLine(registration_, event_);
    return !line || !HadLine(event_.raw_input->beginning, *line);
  }

  Reply ServeConfigChange() {
    const Result<std::vector<std::string>> reasons =
        WeakenedSettings(event_, context_.places, {registration_.program, registration_.is_plugin});
    if (!reasons) return Refused(reasons.error());
    Decision decision;
    if (reasons->empty()) return AnswerAndLog("", decision);
    decision.verdict = Verdict::kDeny;
    decision.cause = Cause{"change of the client's settings", reasons->front()};
    Reply reply = AnswerAndLog("", decision);
    reply.err = ReasonText(decision, policy_.say) + "\n";
    reply.status = 2;
    return reply;
  }

  // True if the registration in the settings, which the user approved, tells the model and the user
  // the same, and wraps commands: its options can name another policy, and the client applies only
  // one of two lines. Decisions are never left to it.
  bool IsLeftToSettings() const {
    return registration_.is_plugin && IsRegisteredInSettings(event_, context_.places);
  }

  Reply ServeStart() {
    if (IsLeftToSettings()) return {};
    const std::string text = BoundaryText(policy_, context_, policy_.sandbox.mode, Sandbox());
    return Answer(ContextAnswer(event_.name, text));
  }

  ProgramSandbox Sandbox() const {
    return SandboxOfPrograms(policy_, policy_.sandbox.mode, FindAgentsSandbox());
  }

  Reply ServeResult() {
    Ran ran{.unwrapped = RanUnwrapped(), .sandbox = Sandbox(), .unreached = {}};
    // Also after a success: a command can go on after a refusal, and the client joins its standard
    // error to its output.
    const bool reaches_hosts = policy_.agent->tools.ReachesHosts(event_.tool_name);
    if (ran.sandbox == ProgramSandbox::kAgents && reaches_hosts) {
      ran.unreached = AskForUnreached(event_);
    }
    const ResultNotes told = TellResult(event_, {policy_, context_.places, files_}, ran);
    if (told.model.empty()) return {};
    std::string err;
    if (told.unwrapped) {
      if (Status s = Log(LoggedVerdict::kAlert, &*told.unwrapped, ""); !s)
        err = RefusalLine(s.error(), "");
    }
    if (IsLeftToSettings()) return {.err = std::move(err)};
    Reply reply = Answer(ContextAnswer(event_.name, told.model, told.user));
    if (reply.status != 0 || registration_.trial) return reply;
    const int64_t now = Nanoseconds(CLOCK_REALTIME);
    for (const Error& error : RaiseAlerts(told.alerts, policy_, context_.places, now)) {
      err += RefusalLine(error, "");
    }
    reply.err = std::move(err);
    return reply;
  }

  const Registration& registration_;
  Output& output_;
  int64_t start_;
  RealFiles disk_;
  CachedFiles files_{disk_};
  Event event_;
  Context context_;
  Policy policy_;
};

}  // namespace

Reply Serve(const Registration& registration, ByteSource& source, Output& output) {
  return Server(registration, output).Run(source);
}

}  // namespace ringfence
