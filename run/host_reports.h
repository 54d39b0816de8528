// The hosts that a command did not get to, and what its user is told about them.
//
// The user of an ordinary command is told at once. An agent's screen is left alone until the agent
// has ended, unless it cannot reach its own service: it retries for minutes in silence.
#pragma once

#include <cstdint>
#include <deque>
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

  // The proxy has ended, so that no host can be reached any more.
  void Lost(const std::string& sentence) { lost_ = sentence; }

  // For the model of an agent after a call: the latest hosts since `begin` (CLOCK_MONOTONIC), but
  // not those that the agent itself asks for without need. `only_new`: nor those that an earlier
  // answer had.
  std::vector<UnreachedHost> Since(int64_t begin, bool only_new);

  // The sentence about a host that was refused lately; "" if it was not.
  std::string WhyRefused(std::string_view target) const;

  // True if the agent did not reach its own service, which is why it failed.
  bool lacks_service() const;

 private:
  struct Entry {
    std::string target;
    std::string sentence;
    bool is_failure = false;  // permitted, but not reached; otherwise refused
    size_t count = 0;
    bool is_reported = false;
  };
  struct Recent {
    UnreachedHost host;
    int64_t last = 0;  // time in nanoseconds, CLOCK_MONOTONIC
    bool is_told = false;
  };
  void Note(Entry entry);
  void NoteRecent(UnreachedHost host);
  bool IsWithoutNeed(const UnreachedHost& host) const;
  void Report(Entry& entry);
  bool IsService(const Entry& entry) const;
  bool IsWithoutNeed(const Entry& entry) const;

  const RunRequest& request_;
  const RunReport& report_;
  const AgentService service_;
  std::vector<Entry> entries_;
  std::deque<Recent> recent_;  // the latest at the end; a flood of hosts drives out only the oldest
  std::string lost_;
  size_t lines_ = 0;  // about hosts that are not the agent's own service
};

}  // namespace ringfence
