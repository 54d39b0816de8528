// The launcher's access to ringfence-proxy: enters the network of the session, or has one created,
// and hears which hosts the command does not get to.
#pragma once

#include <sys/time.h>

#include <cstdint>
#include <string>

#include "base/message_socket.h"
#include "base/not_copied.h"
#include "base/unique_fd.h"
#include "proxy/link/control.h"
#include "run/host_reports.h"
#include "run/report.h"
#include "run/request.h"
#include "sandbox/backend.h"

namespace ringfence {

class ProxyAccess final : public NetworkAccess, NotCopied {
 public:
  ProxyAccess(const RunRequest& request, const RunReport& report, HostReports& hosts)
      : request_(request), report_(report), hosts_(hosts) {}

  ~ProxyAccess();

  Result<NetworkEntry> Enter(const SandboxPlan& plan) override;
  int notices() const override { return pause_.valid() ? pause_.get() : connection_.get(); }
  void Hear() override;

  // True if the command's hosts are reached through the proxy, so that this object hears of all.
  bool HearsOfHosts() const { return is_connected_; }
  // Hears what the proxy has said until now, if that was not done a moment ago. Does not wait long.
  void CatchUp();

  // Called once the command has ended: hears what the proxy has said until then.
  void HearRest();

 private:
  Status NameOwnSession();
  void MarkAsRunning();
  bool BeginPause();
  bool HearOne();  // returns false if nothing more is to be heard
  void Take(SocketMessage& message);
  void Lost(const std::string& why, const std::string& hint);
  void HearAll(const timeval& patience);

  Result<NetworkEntry> OpenPort(SessionRequest session);

  const RunRequest& request_;
  const RunReport& report_;
  HostReports& hosts_;
  // Names the session of an agent itself, for the log and for `ringfence allow --session`. Its
  // permissions end with it.
  std::string own_session_;
  UniqueFd running_;  // holds AgentLockPath(own_session_)
  // To the proxy, for as long as the sandbox lives; invalid if it is not used.
  UniqueFd connection_;
  bool is_connected_ = false;  // remains true after the proxy has ended
  int64_t caught_up_ = 0;      // time in nanoseconds, CLOCK_MONOTONIC
  // A timer while notices are held back, so that a command's own message about the same failure is
  // whole, and comes first. Programs write it in pieces, and both go to the same standard error.
  UniqueFd pause_;
  // In place of a network's holder, for a sandbox that reaches the proxy by a port of the host.
  UniqueFd port_holder_;
  // That port, kept so that no other program can take it over from a proxy that has ended: the
  // sandbox goes on sending its credential and its requests there.
  UniqueFd listener_;
};

}  // namespace ringfence
