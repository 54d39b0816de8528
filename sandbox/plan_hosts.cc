#include "sandbox/plan_hosts.h"

#include "base/text.h"
#include "policy/rules/domain.h"

namespace ringfence {
namespace {

void NoteOpening(const HostRule& rule, std::vector<std::string>& weaker) {
  const std::string written =
      "network.allow: " + (rule.place.quotable ? Quote(rule.written) : "an entry");
  if (rule.any) {
    weaker.push_back(written + " opens every host, also to data that should stay here");
  } else if (rule.subdomains && rule.host.find('.') == std::string_view::npos) {
    weaker.push_back(written + " opens every host below " + Quote("." + std::string(rule.host)));
  } else if (rule.host == kHostLoopback) {
    weaker.push_back(written +
                     " opens a port of this machine: an unauthenticated debugger or Docker's port "
                     "there is a way out");
  }
}

}  // namespace

void NoteHostNetwork(const NetworkRules& network, std::vector<std::string>& weaker) {
  weaker.emplace_back(
      "the host's network: every host, and every service of this machine that listens on a port or "
      "an abstract socket, can be reached (network.unlisted is \"allow\")");
  if (!network.deny.empty()) weaker.emplace_back("network.deny: only the hook enforces it");
}

void NoteOpenings(const NetworkRules& network, std::vector<std::string>& weaker) {
  for (const HostList& list : network.lists) {
    for (const HostRule& rule : list.allow) NoteOpening(rule, weaker);
  }
  if (!network.upstream) return;
  const std::string port = std::to_string(network.upstream->port);
  weaker.push_back("network.upstream: " + Quote(network.upstream->host + ":" + port) +
                   " looks names up and connects, so a listed name may lead to any address that it "
                   "reaches: nothing here checks that");
}

void NoteTakenPorts(std::vector<std::string>& weaker) {
  weaker.emplace_back(
      "the kernel has no veth devices, so the egress proxy listens in the sandbox's own network: "
      "ports such as 80 and 443 are taken there");
}

}  // namespace ringfence
