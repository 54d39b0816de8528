#include "run/ground.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "agents/claude/agent.h"
#include "base/path.h"
#include "base/program.h"
#include "base/text.h"

namespace ringfence {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string CurrentDirectory() {
  const std::unique_ptr<char, decltype(&std::free)> folder(::getcwd(nullptr, 0), &std::free);
  return folder == nullptr ? "" : folder.get();
}

Error NoCurrentDirectory(std::string hint) {
  return Error{Error::Kind::kUsage, "the current directory",
               "it was removed, or you may not enter it", std::move(hint)};
}

std::string Absolute(const std::string& path) {
  if (path.starts_with('/')) return Path::Clean(path).text();
  const std::string folder = CurrentDirectory();
  return folder.empty() ? path : Path::Clean(folder + "/" + path).text();
}

std::vector<std::string> OwnEnvironment() {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  return all;
}

Status CheckNamedPolicy(const std::string& path) {
  if (path.empty() || ::access(path.c_str(), F_OK) == 0 || errno != ENOENT) return Unit{};
  return Error{Error::Kind::kUsage, "--policy", Quote(path) + " does not exist",
               "name a policy file that exists"};
}

Result<Ground> FindGround(const GroundQuestion& question, const FileView& files) {
  if (Status s = CheckNamedPolicy(question.policy); !s) return s.error();
  Result<std::string> program_real = OwnProgramReal();
  if (!program_real) return program_real.error();
  Registration registration{.agent = &ClaudeCode()};
  // The current folder stands for what the client would say, so the hook may refuse it.
  std::string& root = question.root.empty() ? registration.project_dir : registration.root;
  if (!question.root.empty()) {
    root = Absolute(question.root);
  } else {
    root = question.project.empty() ? CurrentDirectory() : question.project;
  }
  constexpr const char* kWhere = "go to the project, or name it: --root DIR";
  // Both, as the hook is told: what a registered --root means depends on where the client starts.
  if (!question.root.empty()) registration.project_dir = question.project;
  if (root.empty()) {
    return NoCurrentDirectory(kWhere);
  }
  registration.home = question.home;
  if (question.home.empty()) registration.home_variable = Variable("HOME");
  registration.config_dir = Variable("CLAUDE_CONFIG_DIR");
  if (!question.policy.empty()) registration.policy = Absolute(question.policy);
  registration.profile = question.profile;
  registration.program = OwnProgram();
  registration.program_real = std::move(*program_real);
  registration.user = ::geteuid();
  Result<Ground> ground = FindGround(registration, files);
  if (!ground && ground.error().about == Error::About::kRoot) {
    Error error = ground.error();
    error.hint = "name an existing directory that is a project";
    return error;
  }
  const bool is_here = question.root.empty() && question.project.empty();
  if (ground || !is_here || ground.error().about != Error::About::kProjectDir) return ground;
  // Nobody has set a variable here, nor registers a hook.
  Error error = ground.error();
  error.where = "the current directory";
  error.hint = kWhere;
  return error;
}

}  // namespace ringfence
