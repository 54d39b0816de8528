// The hosts that a command did not get to, and what its user is told about them.
//
// The user of an ordinary command is told at once. An agent's screen is left alone until the agent
// has ended, unless it cannot reach its own service: it retries for minutes in silence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hook/unreached_hosts.h"
#include "run/agent_service.h"
#include "run/report.h"
#include "run/request.h"

namespace ringfence {

class HostReports {
 public:
  HostReports(const RunRequest& request, const RunReport& report)
      : request_(request),
        report_(report),
        service_(ServiceOf(request.command, *request.policy.agent)) {}

  // The sandbox is about to start.
  void Begin(const SandboxPlan& plan);

  // `target` is a host with its port; `sentence` is for the user, `inside` for an agent's model.
  void Refused(const std::string& target, const std::string& sentence, const std::string& inside);
  void Failed(const std::string& target, const std::string& sentence);
  void Reached(const std::string& target);  // after one of these

  // The command has ended.
  void ReportRest();

  // What the model of an agent is told after a failure: those since `begin` (CLOCK_MONOTONIC), but
  // not those that the agent itself asks for without need.
  std::vector<UnreachedHost> Since(int64_t begin) const;
  bool WasRefused(std::string_view target) const;

  // True if the agent did not reach its own service, which is why it failed.
  bool lacks_service() const;

 private:
  struct Entry {
    std::string target;
    std::string sentence;
    std::string inside;
    int64_t last = 0;         // time in nanoseconds, CLOCK_MONOTONIC
    bool is_failure = false;  // permitted, but not reached; otherwise refused
    size_t count = 0;
    bool is_reported = false;
  };
  void Note(Entry entry);
  void Report(Entry& entry);
  bool IsService(const Entry& entry) const;
  bool IsWithoutNeed(const Entry& entry) const;

  const RunRequest& request_;
  const RunReport& report_;
  const AgentService service_;
  std::vector<Entry> entries_;
  size_t lines_ = 0;  // about hosts that are not the agent's own service
};

}  // namespace ringfence
