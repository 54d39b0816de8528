// A system without a back end: commands run unconfined if the policy permits it, or not at all.
#include "sandbox/backend.h"

#include <sys/utsname.h>
#include <unistd.h>

namespace ringfence {
namespace {

std::string SystemName() {
  utsname name{};
  return ::uname(&name) == 0 ? std::string(name.sysname) + " " + name.release : "this system";
}

}  // namespace

Result<bool> ReachOwnFiles() { return false; }

HostFacts ProbeHost(const SandboxRules&) {
  HostFacts facts;
  facts.system = HostSystem::kOther;
  facts.kernel = SystemName();
  facts.user = ::geteuid();
  facts.group = ::getegid();
  facts.lacks = {Feature::kNamespaces, Feature::kProc, Feature::kLandlock, Feature::kSupervisor,
                 Feature::kDelegation};
  return facts;
}

HostFacts ProbeHostForReport(const SandboxRules& rules) { return ProbeHost(rules); }

Result<Ended> RunConfined(const SandboxPlan&, const RunWatch&) {
  const Error error{Error::Kind::kSystem, SystemName(),
                    "has neither namespaces and Landlock (Linux) nor Seatbelt (macOS), and nothing "
                    "else here confines a command",
                    ""};
  return Ended{.failure = SetupFailure{"sandbox", error, {}}};
}

}  // namespace ringfence
