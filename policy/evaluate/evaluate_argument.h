// Single arguments of a tool call: as a path, as a file: URL, as a URL of a host.
#pragma once

#include <string>
#include <string_view>

#include "policy/evaluate/call_verdict.h"
#include "policy/evaluate/evaluate_path.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/evaluate/text_kind.h"
#include "policy/event.h"

namespace ringfence {

class ArgumentEvaluator {
 public:
  ArgumentEvaluator(const Event& event, const Policy& policy, const PathEvaluator& paths,
                    CallVerdict& verdict)
      : event_(event), policy_(policy), paths_(paths), verdict_(verdict) {}

  // From now on it is told how each argument was evaluated. `trace` outlives this.
  void Record(Trace& trace) { trace_ = &trace; }

  // `argument "path" of mcp__fs__read_file`, for messages.
  std::string NameOf(const InputField& field) const;

  // A string that may be a path; false when it was refused. `wanted` is what it must be.
  bool IsUsable(const InputField& field, std::string_view wanted = "a string");

  void EvaluatePath(const InputField& field, std::string_view text, Access access,
                    std::string_view verb);

  // For an MCP server, which may expand "~" or take it for a name.
  void EvaluateServerPath(const InputField& field, std::string_view text, Access access);

  // file:///etc/passwd is the path /etc/passwd. Other hosts than this one are not understood.
  void EvaluateFileUrl(const InputField& field, Access access);

  // A web URL, or one of another scheme that is the server's own business.
  void EvaluateOtherUrl(const InputField& field, Access access, TextKind kind);

  // The same text to a program that knows no URLs: a relative path.
  void EvaluateUrlAsPath(const InputField& field, Access access);

  // "example.com/x", "example.com:443", "[::1]": a URL to programs that add the scheme. Of several
  // hosts between commas each is evaluated.
  NameDecision EvaluateBareHost(std::string_view text) const;

  // "ssh://host/x": a way to a host. "team://x" is the server's own name.
  void EvaluateOtherScheme(std::string_view url);

  void TakeName(NameDecision decision);

  const PathEvaluator& paths() const { return paths_; }
  CallVerdict& verdict() { return verdict_; }
  const Policy& policy() const { return policy_; }
  Trace* trace() const { return trace_; }

 private:
  NameDecision EvaluateOneHost(std::string_view text) const;

  const Event& event_;
  const Policy& policy_;
  const PathEvaluator& paths_;
  CallVerdict& verdict_;
  Trace* trace_ = nullptr;
};

std::string_view VerbOf(Access access);  // "read of", "write to"

// The path of a file: URL that a program here would open; nothing when it cannot be read as one.
std::optional<std::string> PathOfFileUrl(std::string_view url);

}  // namespace ringfence
