#include "proxy/broker/failure_notices.h"

#include <chrono>

#include "base/text.h"
#include "proxy/link/messages.h"

namespace ringfence {
namespace {

// Lookup and dial may take 10 seconds each. An agent's user is to know within 5.
constexpr std::chrono::seconds kSlow{4};
constexpr size_t kMaxTargets = 256;

// Returns true if the target is new, and there is room for it.
bool AddBounded(std::set<std::string>& targets, const std::string& target) {
  return targets.size() < kMaxTargets && targets.insert(target).second;
}

}  // namespace

FailureNotices::Wait FailureNotices::Await(const std::string& target) {
  if (!is_agent_) return nullptr;
  auto timer = std::make_shared<boost::asio::steady_timer>(io_, kSlow);
  timer->async_wait([this, target](const boost::system::error_code& error) {
    if (error) return;
    Failed(target, "connection to " + Quote(target) + " failed: no answer for " +
                       std::to_string(kSlow.count()) + " seconds");
  });
  return timer;
}

void FailureNotices::Failed(const std::string& target, const std::string& sentence) {
  AddBounded(failed_, target);
  if (parent_.is_busy()) return;
  // Each time: a sandbox that joined the session later has not heard of it. Launchers repeat none.
  parent_.Send(static_cast<char>(BrokerMessage::kFailed), {target, sentence});
}

void FailureNotices::Refused(const std::string& target) { AddBounded(refused_, target); }

void FailureNotices::Reached(const std::string& target) {
  if (parent_.is_busy()) return;  // the next connection reaches it, too
  const bool was_missed = refused_.erase(target) + failed_.erase(target) > 0;
  // The launcher of an agent may have found at the start that the policy shuts its service.
  const bool is_first = is_agent_ && AddBounded(reached_, target);
  if (!was_missed && !is_first) return;
  parent_.Send(static_cast<char>(BrokerMessage::kReached), {target});
}

}  // namespace ringfence
