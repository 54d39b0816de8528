#include "sandbox/linux/pausing.h"

#include "sandbox/linux/channel.h"

namespace ringfence {

void Pausing::Begin(const UniqueFd& supervisor) {
  has_begun_ = true;
  Look(supervisor, true);
}

int Pausing::Milliseconds(int wait) const {
  constexpr int kWhilePaused = 50;
  return is_paused_ && (wait < 0 || wait > kWhilePaused) ? kWhilePaused : wait;
}

void Pausing::Look(const UniqueFd& supervisor, bool has_notice) {
  const bool is_due = has_begun_ && pause_ != nullptr && (has_notice || is_paused_);
  if (!is_due || pause_->IsWanted() == is_paused_) return;
  is_paused_ = !is_paused_;
  if (!is_paused_) pause_->Paused(false);
  [[maybe_unused]] const Status sent =
      SendPacket(supervisor, is_paused_ ? Message::kPause : Message::kGoOn, {});
}

void Pausing::HearPaused() {
  if (is_paused_) pause_->Paused(true);
}

}  // namespace ringfence
