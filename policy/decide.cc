#include "policy/decide.h"

#include <algorithm>

#include "base/case_fold.h"
#include "base/json_pointer.h"
#include "base/text.h"
#include "policy/agent.h"
#include "policy/evaluate/call_verdict.h"
#include "policy/evaluate/evaluate_argument.h"
#include "policy/evaluate/evaluate_host.h"
#include "policy/evaluate/evaluate_path.h"
#include "policy/evaluate/evaluate_search.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/evaluate/evaluate_url.h"
#include "policy/evaluate/fix.h"
#include "policy/evaluate/text_kind.h"
#include "policy/mcp/argument_names.h"
#include "policy/mcp/evaluate_mcp.h"
#include "policy/mcp/mcp_name.h"

namespace ringfence {
namespace {

// Evaluates one call, argument by argument.
class CallEvaluator {
 public:
  CallEvaluator(const Event& event, const Surroundings& around, Trace* trace)
      : event_(event), around_(around), trace_(trace) {
    if (trace == nullptr) return;
    paths_.Record(*trace);
    arguments_.Record(*trace);
  }

  Decision Run() {
    EvaluateFlags();
    arguments_.TakeName(EvaluateTool(event_.tool_name, policy_, trace_));
    EvaluateShell();
    Decision& decision = verdict_.decision;
    if (decision.verdict == Verdict::kDeny) return std::move(decision);
    if (tool_.has_value()) {
      for (const ToolField& field : tool_->fields) EvaluateField(field);
    }
    if (IsMcpTool(event_.tool_name)) {
      EvaluateMcp(event_, around_.places, around_.files, arguments_);
    }
    if (event_.input.empty() && MakesWorktree()) EvaluateWorktrees("");
    EvaluateUnexpected();
    RefuseUnanswerable();
    decision.say_allow = decision.verdict == Verdict::kPermit && MaySayAllow();
    return std::move(decision);
  }

 private:
  void EvaluateFlags() {
    for (const InputField& field : event_.input) {
      if (!policy_.agent->IsSandboxFlag(field.key) || field.kind == JsonKind::kFalse) continue;
      const bool is_plain = field.key == policy_.agent->sandbox_flag && field.depth == 1;
      const bool asks =
          policy_.unsandboxed == Unsandboxed::kAsk && is_plain && field.kind == JsonKind::kTrue;
      Cause cause{"tool " + Quote(event_.tool_name) + " without the sandbox",
                  Quote(policy_.agent->sandbox_flag) + " is set", policy_.unsandboxed_place,
                  "Run the command without that flag."};
      verdict_.Take(asks ? Verdict::kAsk : Verdict::kDeny, std::move(cause));
    }
  }

  // Denies a shell or a command that cannot be wrapped: it would run outside the sandbox.
  void EvaluateShell() {
    if (!policy_.wrap_bash || !tool_) return;
    if (tool_->runs_command) return EvaluateCommand();
    if (!tool_->is_shell) return;
    verdict_.Deny(
        "tool " + Quote(event_.tool_name),
        "the policy wraps commands (bash.wrap), and those of this shell cannot be wrapped",
        "Use " + std::string(policy_.agent->shell) + ".");
  }

  void EvaluateCommand() {
    if (!event_.raw_input) return;
    const RawInput& input = *event_.raw_input;
    const bool is_too_long = input.command != 0 && input.text.empty();
    if (!input.is_odd && !is_too_long) return;
    verdict_.Deny("command of " + event_.tool_name,
                  "it cannot be wrapped (bash.wrap): it is " +
                      std::string(input.is_odd ? "not a string" : "too long"),
                  input.is_odd ? "" : "Put it into a file.");
  }

  void EvaluateField(const ToolField& spec) {
    bool is_given = false;
    for (const InputField& field : event_.input) {
      if (!PointerCovers(spec.pointer, field.pointer)) continue;
      is_given = true;
      const bool is_list = field.kind == JsonKind::kArray && field.pointer == spec.pointer &&
                           spec.pointer.ends_with('s');
      if (spec.role == FieldRole::kIsolation) {
        if (field.text == policy_.agent->worktree_isolation) EvaluateWorktrees("");
      } else if (!is_list && !IsOpaque(spec.role, field) &&
                 arguments_.IsUsable(field, TypeOf(spec))) {
        EvaluateValue(spec.role, field);
      }
    }
    if (is_given) return;
    if (spec.required) {
      verdict_.Deny("call of " + event_.tool_name, "it has no " + Quote(spec.pointer.substr(1)));
    }
    if (spec.role == FieldRole::kSearchFolder) search_.EvaluateFolder(nullptr);
  }

  // The type that the client's schema requires, for messages.
  static std::string_view TypeOf(const ToolField& spec) {
    return spec.pointer.ends_with('s') ? "a list of strings" : "a string";
  }

  // True if the value cannot name anything on this host.
  static bool IsOpaque(FieldRole role, const InputField& field) {
    const bool is_attachment =
        role == FieldRole::kAttachment && (field.kind == JsonKind::kObject || field.depth > 2);
    return role == FieldRole::kNoPath || is_attachment;
  }

  void EvaluateValue(FieldRole role, const InputField& field) {
    switch (role) {
      case FieldRole::kRead:
      case FieldRole::kAttachment:
        return arguments_.EvaluatePath(field, field.text, Access::kRead, "read of");
      case FieldRole::kWrite:
        return arguments_.EvaluatePath(field, field.text, Access::kWrite, "write to");
      case FieldRole::kReadWrite:
        arguments_.EvaluatePath(field, field.text, Access::kWrite, "write to");
        return arguments_.EvaluatePath(field, field.text, Access::kRead, "read of");
      case FieldRole::kSearchFolder:
        return search_.EvaluateFolder(&field);
      case FieldRole::kSearchFilter:
        if (field.text.empty()) return;  // the client ignores it
        return search_.EvaluatePattern(role, field);
      case FieldRole::kSearchPattern:
        return search_.EvaluatePattern(role, field);
      case FieldRole::kUrl:
        return arguments_.TakeName(EvaluateUrl(field.text, policy_, trace_));
      case FieldRole::kHosts:
        return arguments_.TakeName(EvaluateHosts(field.text, policy_, trace_));
      case FieldRole::kOtherHost:
        return EvaluateOtherHost(field);
      case FieldRole::kNoPath:
        return;
      case FieldRole::kResourceUri:
        return EvaluateResource(field);
      case FieldRole::kWorktreeName:
        return EvaluateWorktree(field);
      case FieldRole::kMcpServer:
        return arguments_.TakeName(EvaluateMcpServer(field.text, policy_, trace_));
      case FieldRole::kIsolation:
        return;  // EvaluateField() handles it, whatever its type
    }
  }

  // Denies a call that runs on another computer, because its paths are on that computer.
  void EvaluateOtherHost(const InputField& field) {
    if (field.text.empty() || field.text == policy_.agent->this_computer) return;
    verdict_.Deny("call of " + event_.tool_name + " on " + Quote(field.text),
                  "it runs on another computer, which this policy does not cover",
                  "Leave out " + Quote(field.key) + ".");
  }

  // Most servers take a text without a scheme as a path.
  void EvaluateResource(const InputField& field) {
    const TextKind kind = KindOfText(field.text);
    if (kind == TextKind::kFileUrl) return arguments_.EvaluateFileUrl(field, Access::kRead);
    if (kind == TextKind::kWebUrl || kind == TextKind::kOtherUrl) {
      return arguments_.EvaluateOtherUrl(field, Access::kRead, kind);
    }
    arguments_.EvaluateServerPath(field, field.text, Access::kRead);
  }

  // The agent turns "feature/x" into one directory name: "feature+x".
  void EvaluateWorktree(const InputField& field) {
    const std::string_view name = field.text;
    const std::string what = "worktree " + Quote(name);
    for (std::string_view rest = name;;) {
      const size_t slash = rest.find('/');
      const std::string_view part = rest.substr(0, slash);
      if (part.empty() || part == "." || part == ".." ||
          part.find('\\') != std::string_view::npos) {
        return verdict_.Deny(what, "each part of its name between slashes must be a plain name");
      }
      if (FoldName(part) == ".git") return verdict_.Deny(what, "its name may not be \".git\"");
      if (slash == std::string_view::npos) break;
      rest.remove_prefix(slash + 1);
    }
    if (const auto why = RefusedText(name)) return verdict_.Deny(what, std::string(*why));
    std::string folder = "/" + std::string(name);
    std::replace(folder.begin() + 1, folder.end(), '/', policy_.agent->worktree_separator);
    EvaluateWorktrees(folder);
  }

  bool MakesWorktree() const {
    return tool_.has_value() && std::ranges::any_of(tool_->fields, [](const ToolField& field) {
             return field.role == FieldRole::kWorktreeName;
           });
  }

  // Evaluates a write to the directory for worktrees. It is in the main repository of the current
  // directory, which may be outside the project, and a link there may lead elsewhere.
  void EvaluateWorktrees(const std::string& name) {
    for (const Path& repository : paths_.WorktreeRepositories()) {
      const std::string folder =
          repository.text() + "/" + std::string(policy_.agent->worktrees) + name;
      arguments_.EvaluatePath({.pointer = "/name", .key = "name", .text = folder}, folder,
                              Access::kWrite, "worktree in");
    }
  }

  // True for a list, and for an object in a list, whose members have names of their own.
  static bool IsContainer(const InputField& field, UsualName usual) {
    if (field.kind == JsonKind::kArray) return true;
    const bool is_element = !field.pointer.ends_with("/" + field.key);
    return field.kind == JsonKind::kObject && usual == UsualName::kPaths && is_element;
  }

  // Evaluates an argument whose name usually denotes a path or a URL, as a write.
  void EvaluateGuessed(const InputField& field, UsualName usual) {
    const TextKind kind = KindOfText(field.text);
    const bool is_named_url = usual == UsualName::kUrl;
    if (kind == TextKind::kFileUrl) return arguments_.EvaluateFileUrl(field, Access::kWrite);
    if (kind == TextKind::kWebUrl || (kind == TextKind::kOtherUrl && is_named_url)) {
      return arguments_.EvaluateOtherUrl(field, Access::kWrite, kind);
    }
    if (kind == TextKind::kPath && is_named_url) {
      arguments_.TakeName(arguments_.EvaluateBareHost(field.text));
    }
    arguments_.EvaluatePath(field, field.text, Access::kWrite, "write to");
  }

  // Evaluates arguments that look like paths but are not declared for the tool. No honest client
  // sends one to a known tool.
  void EvaluateUnexpected() {
    if (IsMcpTool(event_.tool_name) || (tool_.has_value() && tool_->takes_data)) return;
    // A tool that runs code may use the same names for something else in nested arguments.
    const bool is_about_files = !tool_.has_value() || (!tool_->fields.empty() && !tool_->runs_code);
    for (const InputField& field : event_.input) {
      const UsualName usual = UsualNameOf(field.key);
      if (usual == UsualName::kNone || IsContainer(field, usual)) continue;
      if (field.depth != 1 && !is_about_files) continue;
      if (field.key == "cwd" && field.pointer == "/cwd" && !tool_.has_value()) continue;
      const bool expected =
          tool_.has_value() && std::ranges::any_of(tool_->fields, [&](const ToolField& spec) {
            return PointerCovers(spec.pointer, field.pointer);
          });
      if (!expected && arguments_.IsUsable(field)) EvaluateGuessed(field, usual);
    }
  }

  // Denies a question that the agent would not pass on to the user.
  void RefuseUnanswerable() {
    Decision& decision = verdict_.decision;
    if (decision.verdict != Verdict::kAsk) return;
    const Access access = verdict_.asks_about_write ? Access::kWrite : Access::kRead;
    std::string fix = QuestionFix(event_.permission_mode, access, *policy_.agent);
    if (fix.empty()) return;
    decision.verdict = Verdict::kDeny;
    if (decision.cause) decision.cause->remedy = std::move(fix);
  }

  bool MaySayAllow() const {
    if (policy_.permitted != Permitted::kAllow || IsMcpTool(event_.tool_name)) return false;
    return tool_.has_value() && !tool_->runs_code;
  }

  const Event& event_;
  const Surroundings& around_;
  const Policy& policy_ = around_.policy;
  Trace* trace_;
  PathEvaluator paths_{policy_, around_.places, event_, around_.files};
  CallVerdict verdict_;
  ArgumentEvaluator arguments_{event_, policy_, paths_, verdict_};
  const std::optional<KnownTool> tool_ = policy_.agent->tools.Find(event_.tool_name);
  SearchEvaluator search_{event_, tool_, paths_, verdict_};
};

}  // namespace

Decision Decide(const Event& event, const Surroundings& around, Trace* trace) {
  Decision decision = CallEvaluator(event, around, trace).Run();
  decision.failure = around.files.failure();
  return decision;
}

Decision PathDecider::Decide(std::string_view text, Access access) const {
  PathDecision outcome =
      evaluator_.Evaluate(text, access, access == Access::kRead ? "read of" : "write to", "");
  Decision decision{.verdict = outcome.verdict, .cause = std::move(outcome.cause)};
  for (const Path& end : outcome.ends) decision.paths.push_back(end.text());
  decision.failure = files_.failure();
  return decision;
}

Decision DecidePath(const Event& event, std::string_view text, Access access,
                    const Surroundings& around) {
  return PathDecider(event, around).Decide(text, access);
}

}  // namespace ringfence
