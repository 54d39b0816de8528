// Evaluates single arguments of a tool call: as a path, as a file: URL, as a URL of a host.
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

  // From now on, records in `trace` how each argument is evaluated. `trace` outlives this.
  void Record(Trace& trace) { trace_ = &trace; }

  // Returns `argument "path" of mcp__fs__read_file`, for messages.
  std::string NameOf(const InputField& field) const;

  // True if the value is a string that may be a path; otherwise denies the call. `wanted` says what
  // it must be.
  bool IsUsable(const InputField& field, std::string_view wanted = "a string");

  void EvaluatePath(const InputField& field, std::string_view text, Access access,
                    std::string_view verb);

  // Evaluates a path for an MCP server, which may expand "~" or take it for a name.
  void EvaluateServerPath(const InputField& field, std::string_view text, Access access);

  // Evaluates file:///etc/passwd as the path /etc/passwd. Denies URLs of other hosts.
  void EvaluateFileUrl(const InputField& field, Access access);

  // Evaluates a web URL, or a URL of another scheme, whose meaning is up to the server.
  void EvaluateOtherUrl(const InputField& field, Access access, TextKind kind);

  // Evaluates the URL as a relative path, for programs that do not know URLs.
  void EvaluateUrlAsPath(const InputField& field, Access access);

  // Evaluates "example.com/x", "example.com:443" or "[::1]", which are URLs to programs that add
  // the scheme. Evaluates each host of a comma-separated list.
  NameDecision EvaluateBareHost(std::string_view text) const;

  // Evaluates the host of a URL such as "ssh://host/x". Ignores a server's own scheme, such as
  // "team://x".
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

// Returns the local path that a file: URL names; nothing if it does not name one.
std::optional<std::string> PathOfFileUrl(std::string_view url);

}  // namespace ringfence
