#include "sandbox/environment.h"

#include <algorithm>

#include "base/text.h"
#include "policy/rules/pattern.h"
#include "policy/rules/word_list.h"
#include "proxy/link/messages.h"

namespace ringfence {
namespace {

// Variables that programs need to start and to talk to the user; none holds a secret.
constexpr WordList kPassed(
    "PATH\nHOME\nUSER\nLOGNAME\nSHELL\nPWD\nOLDPWD\nSHLVL\nLANG\nLANGUAGE\nLC_*\nTZ\nTERM\n"
    "COLORTERM\nTERM_*\nTERMINFO\nCOLUMNS\nLINES\nNO_COLOR\nFORCE_COLOR\nCLICOLOR\n"
    "CLICOLOR_FORCE\nEDITOR\nVISUAL\nPAGER\nLESS\nCI\nCC\nCXX\nCFLAGS\nCXXFLAGS\nLDFLAGS\n"
    "MAKEFLAGS\nPKG_CONFIG_PATH\nCMAKE_*\nJAVA_HOME\nGOPATH\nGOROOT\nGOFLAGS\nRUSTUP_HOME\n"
    "RUSTUP_TOOLCHAIN\nPYENV_ROOT\nNVM_DIR\nNODE_ENV\nNODE_OPTIONS\nPYTHONPATH\nVIRTUAL_ENV\n"
    "CONDA_PREFIX\nGIT_AUTHOR_*\nGIT_COMMITTER_*\nGIT_EDITOR\nGIT_PAGER\nSOURCE_DATE_EPOCH\n");

// Variables for an agent besides its own: the route to its service and its terminal's capabilities.
// Keys of other services and sockets of the host are left out.
constexpr WordList kPassedToAgent(
    "OTEL_*\nNODE_EXTRA_CA_CERTS\nSSL_CERT_FILE\nSSL_CERT_DIR\nXDG_CONFIG_HOME\n"
    "XDG_DATA_HOME\nXDG_STATE_HOME\nVTE_VERSION\nXTERM_VERSION\nKONSOLE_VERSION\n"
    "KITTY_WINDOW_ID\nITERM_SESSION_ID\nWT_SESSION\nINK_SCREEN_READER\n");

// Variables that lead an agent to a proxy of the host. In any other network it does not exist.
constexpr WordList kHostProxies(
    "HTTP_PROXY\nHTTPS_PROXY\nALL_PROXY\nNO_PROXY\nhttp_proxy\nhttps_proxy\nall_proxy\n"
    "no_proxy\n");

constexpr const char* kNamesOfProxy[] = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
                                         "http_proxy", "https_proxy", "all_proxy"};
constexpr std::string_view kNodeUsesProxy = "NODE_USE_ENV_PROXY=1";

std::string_view VariableName(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

bool Sets(std::string_view variable, std::string_view name) {
  return variable.starts_with(name) && variable.substr(name.size()).starts_with('=');
}

bool IsListed(std::string_view name, const auto& patterns) {
  for (const std::string_view pattern : patterns) {
    if (MatchName(pattern, name)) return true;
  }
  return false;
}

bool IsPassed(std::string_view name, const EnvironmentRequest& request) {
  const AgentVariables& variables = request.agent.variables;
  if (IsListed(name, kHostProxies)) return request.is_agent && request.uses_host_network;
  const bool is_for_agent = IsListed(name, kPassedToAgent) || IsListed(name, variables.own);
  if (request.is_agent && is_for_agent) return true;
  if (!request.rules.env) return IsListed(name, kPassed) || IsListed(name, variables.commands);
  return IsListed(name, *request.rules.env);
}

// True for a variable of SetProxyVariables(), which a sandbox around this one has set.
bool LeadsToOuterProxy(std::string_view variable) {
  const std::string_view name = VariableName(variable);
  const std::string begin = "http://" + std::string(kProxyUser) + ":";
  return variable.size() > name.size() && IsListed(name, kHostProxies) &&
         variable.substr(name.size() + 1).starts_with(begin) &&
         variable.find("@127.0.0.1:") != std::string_view::npos;
}

bool IsOfOuterProxy(std::string_view variable, const std::vector<std::string>& all) {
  if (variable == kNodeUsesProxy) return std::ranges::any_of(all, LeadsToOuterProxy);
  return LeadsToOuterProxy(variable);
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

std::vector<std::string> ProgramCandidates(const std::string& program, std::string_view path) {
  if (program.find('/') != program.npos) return {program};
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  std::vector<std::string> candidates;
  while (!path.empty()) {
    const std::string_view folder = TakeUntil(path, ':');
    if (folder.starts_with('/')) candidates.push_back(std::string(folder) + "/" + program);
  }
  return candidates;
}

void SetVariable(std::vector<std::string>& environment, const std::string& variable) {
  const std::string_view name = VariableName(variable);
  std::erase_if(environment, [name](const std::string& other) { return Sets(other, name); });
  environment.push_back(variable);
}

void SetProxyVariables(std::vector<std::string>& environment, uint16_t port,
                       std::string_view credential) {
  const std::string proxy = "http://" + std::string(kProxyUser) + ":" + std::string(credential) +
                            "@127.0.0.1:" + std::to_string(port);
  for (const char* name : kNamesOfProxy) SetVariable(environment, std::string(name) + "=" + proxy);
  SetVariable(environment, std::string(kNodeUsesProxy));
}

std::vector<std::string> ProxyVariableNames() {
  std::vector<std::string> names(std::begin(kNamesOfProxy), std::end(kNamesOfProxy));
  names.emplace_back(VariableName(kNodeUsesProxy));
  return names;
}

bool IsUsualVariable(std::string_view variable) {
  return IsListed(VariableName(variable), kPassed);
}

std::vector<std::string> PlanEnvironment(const EnvironmentRequest& request) {
  std::vector<std::string> planned;
  const auto set = [&planned](std::string_view name, std::string_view value) {
    SetVariable(planned, std::string(name) + "=" + std::string(value));
  };
  for (const std::string& variable : request.caller) {
    const std::string_view name = VariableName(variable);
    const bool is_kept = request.is_nested && IsOfOuterProxy(variable, request.caller);
    if (!is_kept && !IsPassed(name, request)) continue;
    planned.push_back(name == "MAKEFLAGS" ? WithoutJobServer(variable) : variable);
  }
  for (const std::string_view name : {"TMPDIR", "TEMP", "TMP"}) {
    if (!request.tmp.empty()) set(name, request.tmp);
  }
  for (const std::string& variable : request.caches) SetVariable(planned, variable);
  const AgentVariables& variables = request.agent.variables;
  if (request.is_agent && !request.tmp.empty()) set(variables.tmp, request.tmp);
  if (request.is_agent && request.user == 0) set(variables.confined, "1");
  if (request.is_agent) set(variables.no_updates, "1");
  if (!request.runtime.empty()) set("XDG_RUNTIME_DIR", request.runtime);
  // git would copy sample hooks into a new repository, and hooks are refused.
  set("GIT_TEMPLATE_DIR", "");
  set("RINGFENCE_SANDBOX", request.marker);
  return planned;
}

}  // namespace ringfence
