#include "run/host_reports.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/contains.h"
#include "base/syscall.h"
#include "base/text.h"
#include "policy/agent.h"
#include "run/messages.h"

namespace ringfence {
namespace {

constexpr size_t kMaxLines = 20;      // for hosts, besides the agent's own service
constexpr size_t kMaxCounted = 1000;  // that are counted

std::string_view HostOf(std::string_view target) { return target.substr(0, target.rfind(':')); }

// True if the agent has its user interface: a terminal, and no option that does without it.
bool HasInterface(const SandboxCommand& command) {
  const auto prints = [](std::string_view word) { return word == "-p" || word == "--print"; };
  return ::isatty(STDOUT_FILENO) == 1 && std::ranges::none_of(command.argv, prints);
}

}  // namespace

void HostReports::Begin(const SandboxPlan& plan) {
  const std::string why = WhyServiceIsShut(service_, request_, plan);
  if (!why.empty()) Refused(service_.target(), why, why);
}

void HostReports::Refused(const std::string& target, const std::string& sentence,
                          const std::string& inside) {
  Note({.target = target, .sentence = Printable(sentence), .inside = Printable(inside)});
}

void HostReports::Failed(const std::string& target, const std::string& sentence) {
  const std::string text = Printable(sentence);
  Note({.target = target, .sentence = text, .inside = text, .is_failure = true});
}

void HostReports::Reached(const std::string& target) {
  // Otherwise a host that comes and goes would have a line each time.
  std::erase_if(entries_, [&](const Entry& entry) {
    return entry.target == target && (!entry.is_reported || IsService(entry));
  });
}

void HostReports::Note(Entry entry) {
  auto known = std::ranges::find(entries_, entry.target, &Entry::target);
  if (known == entries_.end()) {
    if (entries_.size() >= kMaxCounted && !IsService(entry)) return;
    entries_.emplace_back();
    known = entries_.end() - 1;
  }
  entry.last = Nanoseconds(CLOCK_MONOTONIC);
  entry.count = known->count + 1;
  entry.is_reported = known->is_reported;
  *known = std::move(entry);
  if (known->count > 1) return;
  if (!request_.command.is_agent || IsService(*known)) Report(*known);
}

void HostReports::Report(Entry& entry) {
  if (!IsService(entry) && lines_ == kMaxLines) return;
  if (!IsService(entry)) ++lines_;
  entry.is_reported = true;
  if (IsService(entry)) {
    return report_.Warn(std::string(request_.policy.agent->name) +
                        " cannot reach its service: " + entry.sentence);
  }
  if (entry.is_failure) return report_.Warn(entry.sentence);
  report_.HostRefused(entry.target, entry.sentence);
}

bool HostReports::IsService(const Entry& entry) const {
  return !service_.host.empty() && entry.target == service_.target();
}

bool HostReports::lacks_service() const {
  return std::ranges::any_of(entries_, [this](const Entry& entry) { return IsService(entry); });
}

// An agent asks for hosts of which its user need not know. What its commands need is reported,
// unless it is one of the hosts that only the agent itself asks for.
bool HostReports::IsWithoutNeed(const Entry& entry) const {
  if (!request_.command.is_agent) return false;
  const Agent& agent = *request_.policy.agent;
  const std::string_view host = HostOf(entry.target);
  if (agent.background_hosts.Contains(host)) return true;
  if (entry.is_failure && agent.hosts.Contains(host)) return !IsService(entry);
  return agent.interface_hosts.Contains(host) && entry.count == 1 && HasInterface(request_.command);
}

std::vector<UnreachedHost> HostReports::Since(int64_t begin) const {
  std::vector<UnreachedHost> hosts;
  for (const Entry& entry : entries_) {
    if (entry.last < begin || IsWithoutNeed(entry)) continue;
    if (hosts.size() == kMaxUnreached) break;
    hosts.push_back({!entry.is_failure, entry.target, entry.inside});
  }
  return hosts;
}

bool HostReports::WasRefused(std::string_view target) const {
  const auto known = std::ranges::find(entries_, target, &Entry::target);
  return known != entries_.end() && !known->is_failure;
}

void HostReports::ReportRest() {
  // What was written over the agent's screen may be lost.
  const bool repeats = ::isatty(STDERR_FILENO) == 1;
  for (Entry& entry : entries_) {
    if (IsService(entry) && repeats) entry.is_reported = false;
  }
  for (Entry& entry : entries_) {
    if (!entry.is_reported && !IsWithoutNeed(entry)) Report(entry);
  }
  const auto is_left_out = [this](const Entry& entry) {
    return !entry.is_reported && !IsWithoutNeed(entry);
  };
  const auto more = std::ranges::count_if(entries_, is_left_out);
  if (more == 0) return;
  report_.Warn((entries_.size() < kMaxCounted ? "" : "at least ") + std::to_string(more) +
               (more == 1 ? " more host was" : " more hosts were") +
               " refused or not reached; the log has them all");
}

}  // namespace ringfence
