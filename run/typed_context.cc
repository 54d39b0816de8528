#include "run/typed_context.h"

#include <unistd.h>

#include <cerrno>

#include "agents/claude/agent.h"
#include "base/environment.h"
#include "base/program.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr const char* kNameIt = "go to the project, or name it: --root DIR";

Status CheckNamedPolicy(const std::string& path) {
  if (path.empty() || ::access(path.c_str(), F_OK) == 0 || errno != ENOENT) return Unit{};
  return UsageError("", Quote(path) + " does not exist", "name a policy file that exists");
}

// The user has not set a variable, so the error refers to what was typed.
Error AsTyped(Error error, bool is_here) {
  if (error.about == Error::About::kRoot) {
    error.hint = "name an existing directory that is a project";
  } else if (error.about == Error::About::kProjectDir) {
    error.where = is_here ? "the current directory" : "the project";
    if (is_here) error.hint = kNameIt;
  }
  return error;
}

// Completes the options with what the process knows.
Result<Registration> Completed(Registration typed) {
  if (typed.root.empty() && typed.project_dir.empty()) {
    // The client would be started in the current directory, which the hook may refuse.
    typed.project_dir = CurrentDirectory();
    if (typed.project_dir.empty()) return NoCurrentDirectory(kNameIt);
  }
  if (!typed.root.empty()) typed.root = Absolute(typed.root);
  if (!typed.policy.empty()) typed.policy = Absolute(typed.policy);
  if (typed.home.empty()) typed.home_variable = Variable("HOME");
  typed.agent = &ClaudeCode();
  if (typed.config_dir.empty()) typed.config_dir = Variable(typed.agent->variables.settings);
  if (typed.program.empty()) {
    Result<std::string> program_real = OwnProgramReal();
    if (!program_real) return program_real.error();
    typed.program = OwnProgram();
    typed.program_real = std::move(*program_real);
  }
  typed.user = ::geteuid();
  return typed;
}

}  // namespace

Result<Places> FindTypedPlaces(Registration typed, const FileView& files) {
  const Result<Registration> completed = Completed(std::move(typed));
  if (!completed) return completed.error();
  return FindPlaces(*completed, files);
}

Result<Context> FindTypedContext(Registration typed, const FileView& files) {
  if (Status s = CheckNamedPolicy(typed.policy); !s) return s.error();
  const bool is_here = typed.root.empty() && typed.project_dir.empty();
  const Result<Registration> completed = Completed(std::move(typed));
  if (!completed) return completed.error();
  Result<Context> context = FindContext(*completed, files);
  if (!context) return AsTyped(context.error(), is_here);
  return context;
}

}  // namespace ringfence
