#include "sandbox/environment.h"

#include <algorithm>

#include "base/text.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

// Variables that programs need to start and to talk to the user; none holds a secret.
constexpr std::string_view kPassed =
    "PATH HOME USER LOGNAME SHELL PWD OLDPWD SHLVL LANG LANGUAGE LC_* TZ TERM COLORTERM "
    "TERM_* TERMINFO COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE EDITOR "
    "VISUAL PAGER LESS CI CC CXX CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS PKG_CONFIG_PATH CMAKE_* "
    "JAVA_HOME GOPATH GOROOT GOFLAGS RUSTUP_HOME RUSTUP_TOOLCHAIN PYENV_ROOT NVM_DIR "
    "NODE_ENV NODE_OPTIONS PYTHONPATH VIRTUAL_ENV CONDA_PREFIX GIT_AUTHOR_* "
    "GIT_COMMITTER_* GIT_EDITOR GIT_PAGER CLAUDECODE CLAUDE_PROJECT_DIR "
    "CLAUDE_CODE_SESSION_ID CLAUDE_CODE_ENTRYPOINT SOURCE_DATE_EPOCH";

// Variables for the agent: its service and the route to it, its state, its terminal's capabilities.
// Keys of other services and sockets of the host are left out.
constexpr std::string_view kPassedToAgent =
    "ANTHROPIC_* CLAUDE_* DISABLE_* ENABLE_* MCP_* MAX_* BASH_*_TIMEOUT_MS "
    "BASH_MAX_OUTPUT_LENGTH API_TIMEOUT_MS SLASH_COMMAND_TOOL_CHAR_BUDGET "
    "USE_BUILTIN_RIPGREP DO_NOT_TRACK OTEL_* AWS_REGION CLOUD_ML_REGION VERTEX_REGION_* "
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy "
    "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR XDG_CONFIG_HOME XDG_DATA_HOME "
    "XDG_STATE_HOME VTE_VERSION XTERM_VERSION KONSOLE_VERSION KITTY_WINDOW_ID "
    "ITERM_SESSION_ID WT_SESSION INK_SCREEN_READER";

std::string_view VariableName(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

bool Sets(std::string_view variable, std::string_view name) {
  return variable.starts_with(name) && variable.substr(name.size()).starts_with('=');
}

bool IsListed(std::string_view name, std::string_view patterns) {
  while (!patterns.empty()) {
    if (MatchName(TakeUntil(patterns, ' '), name)) return true;
  }
  return false;
}

bool IsPassed(std::string_view name, const EnvironmentRequest& request) {
  if (request.is_agent && IsListed(name, kPassedToAgent)) return true;
  if (!request.rules.env) return IsListed(name, kPassed);
  return std::ranges::any_of(*request.rules.env,
                             [&](std::string_view pattern) { return MatchName(pattern, name); });
}

// Removes the references to the descriptors and FIFOs of the surrounding make(1), none of which are
// passed on: an inner make would complain and run one job. With "-j8" it starts its own job server.
std::string WithoutJobServer(std::string_view variable) {
  constexpr std::string_view kOfServer[] = {
      "--jobserver-auth=", "--jobserver-fds=", "--sync-mutex="};
  const size_t variables = std::min(variable.find(" -- "), variable.size());
  std::string_view words = variable.substr(0, variables);
  std::string kept;
  while (!words.empty()) {
    const std::string_view word = TakeUntil(words, ' ');
    const auto begins = [word](std::string_view option) { return word.starts_with(option); };
    if (std::ranges::none_of(kOfServer, begins)) kept += std::string(word) + " ";
  }
  if (!kept.empty()) kept.pop_back();
  return kept + std::string(variable.substr(variables));
}

}  // namespace

std::string_view EnvironmentValue(std::span<const std::string> environment, std::string_view name) {
  for (const std::string_view variable : environment) {
    if (Sets(variable, name)) return variable.substr(name.size() + 1);
  }
  return "";
}

void SetVariable(std::vector<std::string>& environment, const std::string& variable) {
  const std::string_view name = VariableName(variable);
  std::erase_if(environment, [name](const std::string& other) { return Sets(other, name); });
  environment.push_back(variable);
}

std::vector<std::string> PlanEnvironment(const EnvironmentRequest& request) {
  std::vector<std::string> planned;
  const auto set = [&planned](std::string_view name, std::string_view value) {
    SetVariable(planned, std::string(name) + "=" + std::string(value));
  };
  for (const std::string& variable : request.caller) {
    const std::string_view name = VariableName(variable);
    if (!IsPassed(name, request)) continue;
    planned.push_back(name == "MAKEFLAGS" ? WithoutJobServer(variable) : variable);
  }
  for (const std::string_view name : {"TMPDIR", "TEMP", "TMP"}) {
    if (!request.tmp.empty()) set(name, request.tmp);
  }
  for (const std::string& variable : request.caches) SetVariable(planned, variable);
  // The client creates its temporary files in /tmp regardless of TMPDIR, and as root it refuses to
  // run without prompts unless told that it is in a sandbox.
  if (request.is_agent && !request.tmp.empty()) set("CLAUDE_CODE_TMPDIR", request.tmp);
  if (request.is_agent && request.user == 0) set("IS_SANDBOX", "1");
  if (!request.runtime.empty()) set("XDG_RUNTIME_DIR", request.runtime);
  // git would copy sample hooks into a new repository, and hooks are refused.
  set("GIT_TEMPLATE_DIR", "");
  set("RINGFENCE_SANDBOX", request.marker);
  return planned;
}

}  // namespace ringfence
