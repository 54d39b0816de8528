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
constexpr size_t kMaxRecent = 64;     // of which an agent's model may hear
constexpr size_t kMaxTold = 4;        // at a time

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
  NoteRecent({true, target, Printable(inside)});
  Note({.target = target, .sentence = Printable(sentence)});
}

void HostReports::Failed(const std::string& target, const std::string& sentence) {
  NoteRecent({false, target, Printable(sentence)});
  Note({.target = target, .sentence = Printable(sentence), .is_failure = true});
}

void HostReports::NoteRecent(UnreachedHost host) {
  Recent recent{.host = std::move(host), .last = Nanoseconds(CLOCK_MONOTONIC)};
  const auto earlier = std::ranges::find(
      recent_, recent.host.target, [](const Recent& one) -> auto& { return one.host.target; });
  if (earlier != recent_.end()) {
    recent.is_told = earlier->is_told;
    recent_.erase(earlier);
  }
  recent_.push_back(std::move(recent));
  if (recent_.size() > kMaxRecent) recent_.pop_front();
}

void HostReports::Reached(const std::string& target) {
  std::erase_if(recent_, [&](const Recent& recent) { return recent.host.target == target; });
  // Otherwise a host that comes and goes would have a line each time.
  std::erase_if(entries_, [&](const Entry& entry) {
    return entry.target == target && (!entry.is_reported || IsService(entry));
  });
}

void HostReports::Note(Entry entry) {
  auto known = std::ranges::find(entries_, entry.target, &Entry::target);
  if (known == entries_.end()) {
    if (entries_.size() >= kMaxCounted && !IsService(entry)) return;
    entries_.push_back(std::move(entry));
    known = entries_.end() - 1;
  }
  if (known->count++ > 0) return;
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

bool HostReports::IsWithoutNeed(const UnreachedHost& host) const {
  const auto known = std::ranges::find(entries_, host.target, &Entry::target);
  return known != entries_.end() && IsWithoutNeed(*known);
}

std::vector<UnreachedHost> HostReports::Since(int64_t begin, bool only_new) {
  std::vector<UnreachedHost> hosts;
  size_t more = 0;
  for (auto at = recent_.rbegin(); at != recent_.rend() && at->last >= begin; ++at) {
    if ((only_new && at->is_told) || IsWithoutNeed(at->host)) continue;
    if (hosts.size() < kMaxTold) {
      hosts.push_back(at->host);
      at->is_told = true;
    } else {
      ++more;
    }
  }
  if (more > 0) {
    hosts.push_back(
        {false, "",
         "at least " + std::to_string(more) + " more hosts were refused or not reached"});
  }
  if (!lost_.empty() && !only_new) hosts.push_back({false, "", lost_});
  return hosts;
}

std::string HostReports::WhyRefused(std::string_view target) const {
  for (const Recent& recent : recent_) {
    if (recent.host.target == target && recent.host.is_refused) return recent.host.sentence;
  }
  return "";
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
