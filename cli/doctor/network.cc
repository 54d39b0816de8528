#include "base/environment.h"
#include "base/path.h"
#include "base/process.h"
#include "base/program.h"
#include "base/text.h"
#include "cli/doctor/rows.h"
#include "policy/rules/domain.h"
#include "policy/sandbox_network.h"
#include "proxy/link/control.h"
#include "sandbox/backend.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

// The proxy that programs outside of the sandbox use.
struct HostProxy {
  std::string variable;
  std::string url;  // "http://host:port"; "" if it is of another kind
  bool has_password = false;
};

HostProxy FindHostProxy() {
  constexpr std::string_view kScheme = "http://";
  HostProxy found;
  std::string value;
  for (const char* name :
       {"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"}) {
    value = Variable(name);
    found.variable = name;
    if (!value.empty()) break;
  }
  if (value.empty()) return {};
  if (value.find("://") == std::string::npos) value.insert(0, kScheme);
  if (value.ends_with('/')) value.pop_back();
  const size_t at = value.find('@');
  found.has_password = at != std::string::npos;
  if (found.has_password && value.starts_with(kScheme)) {
    value.erase(kScheme.size(), at + 1 - kScheme.size());
  }
  const Result<HostPort> proxy = ParseProxyUrl(value);
  if (proxy) found.url = std::string(kScheme) + proxy->host + ":" + std::to_string(proxy->port);
  return found;
}

// A sandbox hides the directory, and its commands use the network of that sandbox.
Status CheckAccess(const Patient& patient) {
  const bool is_inside = !Variable("RINGFENCE_SANDBOX").empty();
  if (is_inside || patient.context->places.homes_real.empty()) return Unit{};
  return CheckProxyAccess(ProxyFolder(patient.context->places));
}

// Starts the egress proxy's program, which needs libraries that may be missing.
void LookAtProxy(const Patient& patient, DoctorRows& rows) {
  const std::string program =
      Path::Clean(patient.ringfence).Parent().Child("ringfence-proxy").text();
  const Result<Finished> done = Run({.program = program, .arguments = {"--help"}});
  std::string why;
  std::string fix = "install ringfence again";
  if (done && done->exit_status == 0) {
    const Status access = CheckAccess(patient);
    if (access) return rows.push_back({Health::kGood, "proxy", Quote(program) + " can run", ""});
    why = access.error().where + ": " + access.error().what;
    fix = access.error().hint;
  } else if (done) {
    why = done->err.substr(0, done->err.find('\n'));
    if (why.find("`GLIBC_") != std::string::npos) fix = kNeedsGlibc;
  } else {
    const Error error = ProgramNotStarted(program, done.error().code);
    why = error.text();
    fix = error.hint;
  }
  const bool is_listed = SandboxNetwork(*patient.policy, false).has_value();
  rows.push_back({is_listed ? Health::kMissing : Health::kWeak, "proxy",
                  "the egress proxy cannot run, so " +
                      std::string(is_listed ? "commands with a network do" : "an agent does") +
                      " not start: " + Printable(why),
                  std::move(fix)});
}

void LookAtHostProxy(const Patient& patient, DoctorRows& rows) {
  const std::optional<NetworkRules>& network = patient.policy->network;
  const bool needs_none = network && (network->upstream || IsHostNetwork(*network));
  // In a sandbox, the variables name the egress proxy.
  if (needs_none || !Variable("RINGFENCE_SANDBOX").empty()) return;
  const HostProxy proxy = FindHostProxy();
  if (proxy.variable.empty()) return;
  // Without a list of hosts, an agent reaches its own service.
  const std::string hosts = network ? "" : "\"allow\": [\"@agent-hosts\"], ";
  std::string fix = "if hosts can only be reached through it, write \"network\": {" + hosts +
                    "\"upstream\": \"" + (proxy.url.empty() ? "http://host:port" : proxy.url) +
                    "\"} in the policy";
  if (proxy.has_password || proxy.url.empty()) {
    fix +=
        "; that must be a proxy that speaks HTTP and asks for no password, on this machine if "
        "there is no other";
  }
  rows.push_back({Health::kWeak, "network",
                  proxy.variable +
                      " names a proxy, but sandboxes connect without it: the policy has no "
                      "network.upstream",
                  std::move(fix)});
}

}  // namespace

void LookAtNetwork(const Patient& patient, DoctorRows& rows) {
  if (ProbeHost({}).has_proxy) LookAtProxy(patient, rows);
  LookAtHostProxy(patient, rows);
}

}  // namespace ringfence
