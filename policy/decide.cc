#include "policy/decide.h"

#include <algorithm>

#include "base/case_fold.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/call_verdict.h"
#include "policy/domain.h"
#include "policy/judge_path.h"
#include "policy/judge_search.h"
#include "policy/judge_tool.h"
#include "policy/pattern.h"
#include "policy/text_kind.h"
#include "policy/tools.h"

namespace ringfence {
namespace {

// Goes through one call's arguments.
class CallJudge {
 public:
  CallJudge(const Event& event, const Surroundings& around, Trace* trace)
      : event_(event),
        policy_(around.policy),
        trace_(trace),
        paths_(around.policy, around.places, event, around.files),
        search_(event, paths_, verdict_),
        tool_(FindTool(event.tool_name)) {
    if (trace != nullptr) paths_.Record(*trace);
  }

  Decision Run() {
    JudgeFlags();
    TakeName(JudgeTool(event_.tool_name, policy_, trace_));
    JudgeShell();
    if (verdict_.is_denied()) return std::move(verdict_).Finish(false);
    if (tool_ != nullptr) {
      for (const ToolField& field : tool_->fields) JudgeField(field);
    }
    if (IsMcpTool(event_.tool_name)) JudgeMcpFields();
    if (event_.tool_name == "EnterWorktree" && event_.input.empty()) JudgeWorktrees("");
    JudgeUnexpected();
    RefuseUnanswerable();
    const bool say_allow = verdict_.verdict() == Verdict::kPermit && MaySayAllow();
    return std::move(verdict_).Finish(say_allow);
  }

 private:
  void JudgeFlags() {
    for (const InputField& field : event_.input) {
      if (!IsSandboxFlag(field.key) || field.kind == JsonKind::kFalse) continue;
      const bool is_plain = field.key == "dangerouslyDisableSandbox" && field.depth == 1;
      const bool asks =
          policy_.unsandboxed == Unsandboxed::kAsk && is_plain && field.kind == JsonKind::kTrue;
      Cause cause{"tool " + Quote(event_.tool_name) + " without the sandbox",
                  "\"dangerouslyDisableSandbox\" is set", policy_.unsandboxed_place,
                  "Run the command without that flag."};
      verdict_.Take(asks ? Verdict::kAsk : Verdict::kDeny, std::move(cause));
    }
  }

  // Its commands cannot be wrapped, so they would run outside of the sandbox.
  void JudgeShell() {
    if (!policy_.wrap_bash || event_.tool_name != "PowerShell") return;
    verdict_.Deny("tool " + Quote(event_.tool_name),
                  "the policy has commands wrapped, and this shell's cannot be (bash.wrap)",
                  "Use Bash.");
  }

  std::vector<const InputField*> FieldsAt(std::string_view pointer) const {
    std::vector<const InputField*> found;
    for (const InputField& field : event_.input) {
      if (PointerCovers(pointer, field.pointer)) found.push_back(&field);
    }
    return found;
  }

  std::string Argument(const InputField& field) const {
    return "argument " + Quote(field.pointer.substr(1)) + " of " + event_.tool_name;
  }

  // A string that may be a path; false when it was refused.
  bool IsUsable(const InputField& field) {
    if (field.kind != JsonKind::kString) {
      verdict_.Deny(Argument(field), "it must be a string");
    } else if (field.cut) {
      verdict_.Deny(Argument(field), "it is longer than a path can be");
    } else if (field.has_nul) {
      verdict_.Deny(Argument(field), "it holds NUL");
    } else if (field.has_lone_surrogate) {
      verdict_.Deny(Argument(field), "it holds half of a character");
    } else {
      return true;
    }
    return false;
  }

  void JudgePath(const InputField& field, std::string_view text, Access access,
                 std::string_view verb) {
    verdict_.Take(paths_.Judge(text, access, verb, field.pointer), access);
  }

  void JudgeField(const ToolField& spec) {
    const std::vector<const InputField*> fields = FieldsAt(spec.pointer);
    if (fields.empty()) {
      if (spec.required) {
        verdict_.Deny("call of " + event_.tool_name, "it has no " + Quote(spec.pointer.substr(1)));
      }
      if (spec.role == FieldRole::kSearchFolder) search_.JudgeFolder(nullptr);
      return;
    }
    for (const InputField* field : fields) {
      const bool is_list = field->kind == JsonKind::kArray && field->pointer == spec.pointer &&
                           spec.pointer.ends_with('s');
      if (spec.role == FieldRole::kIsolation) {
        if (field->text == "worktree") JudgeWorktrees("");
      } else if (!is_list && IsUsable(*field)) {
        JudgeValue(spec.role, *field);
      }
    }
  }

  void JudgeValue(FieldRole role, const InputField& field) {
    switch (role) {
      case FieldRole::kRead:
        return JudgePath(field, field.text, Access::kRead, ReadVerb(event_.tool_name));
      case FieldRole::kWrite:
        return JudgePath(field, field.text, Access::kWrite, "write to");
      case FieldRole::kReadWrite:
        JudgePath(field, field.text, Access::kWrite, "write to");
        return JudgePath(field, field.text, Access::kRead, "read of");
      case FieldRole::kSearchFolder:
        return search_.JudgeFolder(&field);
      case FieldRole::kSearchFilter:
        if (field.text.empty()) return;  // as the client reads it
        return search_.JudgePattern(field);
      case FieldRole::kSearchPattern:
        return search_.JudgePattern(field);
      case FieldRole::kUrl:
        return TakeName(JudgeUrl(field.text, policy_, trace_));
      case FieldRole::kResourceUri:
        return JudgeResource(field);
      case FieldRole::kWorktreeName:
        return JudgeWorktree(field);
      case FieldRole::kMcpServer:
        return TakeName(JudgeMcpServer(field.text, policy_, trace_));
      case FieldRole::kIsolation:
        return;  // judged whatever its type is
    }
  }

  void TakeName(NameJudgement judgement) {
    verdict_.Take(judgement.verdict, std::move(judgement.cause));
  }

  // file:///etc/passwd is the path /etc/passwd. Other hosts than this one are not understood.
  void JudgeFileUrl(const InputField& field, Access access) {
    const Result<Url> url = ParseUrl(field.text);
    std::string path;
    const bool local = url && (url->host.empty() || url->host == "localhost");
    if (!local || !url->path.starts_with('/') ||
        !DecodePercent(url->path.substr(0, url->path.find_first_of("?#")), &path)) {
      return verdict_.Deny("file URL " + Quote(field.text),
                           "it cannot be read as the path of a local file");
    }
    JudgePath(field, path, access, access == Access::kRead ? "read of" : "write to");
  }

  // A web URL, or one of another scheme that is the server's own business.
  void JudgeOtherUrl(const InputField& field, Access access, TextKind kind) {
    if (kind == TextKind::kWebUrl) TakeName(JudgeUrl(field.text, policy_, trace_));
    if (!paths_.MayBePath(field.text)) return;
    JudgePath(field, "./" + field.text, access, access == Access::kRead ? "read of" : "write to");
  }

  // A text without a scheme is a path to most.
  void JudgeResource(const InputField& field) {
    const TextKind kind = KindOfText(field.text);
    switch (kind) {
      case TextKind::kFileUrl:
        return JudgeFileUrl(field, Access::kRead);
      case TextKind::kWebUrl:
      case TextKind::kOtherUrl:
        return JudgeOtherUrl(field, Access::kRead, kind);
      case TextKind::kPath:
      case TextKind::kUnclear:
        return JudgePath(field, field.text, Access::kRead, "read of");
    }
  }

  // The client makes one folder name of "feature/x": "feature+x".
  void JudgeWorktree(const InputField& field) {
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
    std::replace(folder.begin() + 1, folder.end(), '/', '+');
    JudgeWorktrees(folder);
  }

  // Where the client puts worktrees: in the main repository of the current folder, which may lie
  // outside the project, and a link there would put one somewhere else again.
  void JudgeWorktrees(const std::string& name) {
    for (const Path& repository : paths_.WorktreeRepositories()) {
      const std::string folder = repository.text() + "/.claude/worktrees" + name;
      JudgePath({.pointer = "/name", .key = "name", .text = folder}, folder, Access::kWrite,
                "worktree in");
    }
  }

  // An MCP tool: the fields that the policy names, and the usual names unless it named them all.
  void JudgeMcpFields() {
    bool has_entry = false;
    for (const McpFields& entry : policy_.mcp) {
      if (!MatchName(entry.tool, event_.tool_name)) continue;
      has_entry |= !entry.adds_only;
      for (const std::string_view pointer : entry.read) JudgeMapped(pointer, Access::kRead);
      for (const std::string_view pointer : entry.write) JudgeMapped(pointer, Access::kWrite);
    }
    if (has_entry) return;
    for (const InputField& field : event_.input) JudgeUsual(field);
  }

  void JudgeMapped(std::string_view pointer, Access access) {
    for (const InputField* field : FieldsAt(pointer)) {
      if (field->kind == JsonKind::kArray) continue;
      if (!IsUsable(*field)) continue;
      if (KindOfText(field->text) == TextKind::kFileUrl) {
        JudgeFileUrl(*field, access);
      } else {
        JudgePath(*field, field->text, access, access == Access::kRead ? "read of" : "write to");
      }
    }
  }

  // An argument that is called as paths usually are, judged as a write.
  void JudgeUsual(const InputField& field) {
    const UsualName usual = UsualNameOf(field.key);
    // The elements of a list may be objects, whose members come with names of their own.
    const bool is_element = !field.pointer.ends_with("/" + field.key);
    const bool is_container =
        field.kind == JsonKind::kArray ||
        (field.kind == JsonKind::kObject && usual == UsualName::kPaths && is_element);
    if (usual == UsualName::kNone || is_container) return;
    const bool was_denied = verdict_.is_denied();
    const bool usable = IsUsable(field);
    if (usable) JudgeGuessed(field, usual);
    const bool denies = !was_denied && verdict_.is_denied();
    if (!denies || !IsMcpTool(event_.tool_name)) return;
    // Where a right to write would help, saying what the argument is helps more.
    if (usable && verdict_.remedy().empty()) return;
    verdict_.SetRemedy(
        "Its name says that it is a path to write to. If it is none, or is only read, the user can "
        "name this tool's paths under \"mcp\" in the policy.");
  }

  void JudgeGuessed(const InputField& field, UsualName usual) {
    const TextKind kind = KindOfText(field.text);
    switch (kind) {
      case TextKind::kFileUrl:
        return JudgeFileUrl(field, Access::kWrite);
      case TextKind::kWebUrl:
        return JudgeOtherUrl(field, Access::kWrite, kind);
      case TextKind::kOtherUrl:
        if (usual == UsualName::kUrl) return JudgeOtherUrl(field, Access::kWrite, kind);
        break;
      case TextKind::kPath:
        if (usual == UsualName::kUrl) JudgeBareHost(field);
        break;
      case TextKind::kUnclear:
        break;
    }
    JudgePath(field, field.text, Access::kWrite, "write to");
  }

  // "example.com/x" becomes a URL in some browsers.
  void JudgeBareHost(const InputField& field) {
    std::string_view rest = field.text;
    const std::string_view host = TakeComponent(rest);
    const bool is_host = field.text[0] != '/' && host.find('.') != std::string_view::npos &&
                         host.find_first_not_of('.') == 0;
    if (is_host && policy_.network) TakeName(JudgeUrl("https://" + field.text, policy_, trace_));
  }

  // A path that a known tool has no argument for: no honest client sends it.
  void JudgeUnexpected() {
    if (IsMcpTool(event_.tool_name)) return;
    // What runs code has arguments of its own kind deeper down.
    const bool is_about_files = tool_ == nullptr || (!tool_->fields.empty() && !tool_->runs_code);
    for (const InputField& field : event_.input) {
      if (UsualNameOf(field.key) == UsualName::kNone) continue;
      if (field.depth != 1 && !is_about_files) continue;
      if (field.key == "cwd" && field.pointer == "/cwd" && tool_ == nullptr) continue;
      const bool expected =
          tool_ != nullptr && std::ranges::any_of(tool_->fields, [&](const ToolField& spec) {
            return PointerCovers(spec.pointer, field.pointer);
          });
      if (!expected) JudgeUsual(field);
    }
  }

  // The client ignores a hook's question about some writes when it was told to ask nothing
  // (measured on 2.1.330): the write runs. Where nobody can answer, a question is a denial.
  void RefuseUnanswerable() {
    if (verdict_.verdict() != Verdict::kAsk || !verdict_.asks_about_write()) return;
    if (event_.permission_mode != "bypassPermissions") return;
    verdict_.RefuseQuestion(
        "The policy asks the user about it, and this session was started to ask nothing.");
  }

  bool MaySayAllow() const {
    if (policy_.permitted != Permitted::kAllow || IsMcpTool(event_.tool_name)) return false;
    return tool_ != nullptr && !tool_->runs_code;
  }

  const Event& event_;
  const Policy& policy_;
  Trace* trace_;
  PathJudge paths_;
  CallVerdict verdict_;
  SearchJudge search_;
  const KnownTool* tool_;
};

}  // namespace

Decision Decide(const Event& event, const Surroundings& around, Trace* trace) {
  Decision decision = CallJudge(event, around, trace).Run();
  decision.failure = around.files.failure();
  return decision;
}

Decision DecidePath(const Event& event, std::string_view text, Access access,
                    const Surroundings& around) {
  const PathJudge judge(around.policy, around.places, event, around.files);
  Judgement judgement =
      judge.Judge(text, access, access == Access::kRead ? "read of" : "write to", "");
  Decision decision{.verdict = judgement.verdict, .cause = std::move(judgement.cause), .paths = {}};
  for (const Path& end : judgement.ends) decision.paths.push_back(end.text());
  decision.failure = around.files.failure();
  return decision;
}

}  // namespace ringfence
