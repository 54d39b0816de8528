// The launcher's access to ringfence-proxy: enters the network of the session, or has one created,
// and tells the user which hosts were refused.
#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "proxy/link/control.h"
#include "run/report.h"
#include "run/request.h"
#include "sandbox/backend.h"

namespace ringfence {

class ProxyAccess final : public NetworkAccess {
 public:
  ProxyAccess(const RunRequest& request, const RunReport& report)
      : request_(request), report_(report) {}

  Result<NetworkEntry> Enter(const SandboxPlan& plan) override;
  int notices() const override { return connection_.get(); }
  void Hear() override;

  // Called once the command has ended: reports the refused hosts that have not been reported yet.
  // An agent's screen is left alone until then.
  void ReportRest();

 private:
  // Hears all that the proxy has said before this question, and its answer.
  void HearRest();

  struct Refused {
    std::string host;  // with its port
    std::string sentence;
    bool is_reported = false;
  };
  void Note(const std::string& host, const std::string& sentence);

  Result<NetworkEntry> OpenPort(SessionRequest session);

  const RunRequest& request_;
  const RunReport& report_;
  // To the proxy, for as long as the sandbox lives; invalid if it is not used.
  UniqueFd connection_;
  // In place of a network's holder, for a sandbox that reaches the proxy by a port of the host.
  UniqueFd port_holder_;
  std::vector<Refused> refused_;
};

}  // namespace ringfence
