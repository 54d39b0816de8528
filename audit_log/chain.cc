#include "audit_log/chain.h"

#include <algorithm>

#include "audit_log/line.h"
#include "base/inside.h"
#include "base/sha256.h"

namespace ringfence {
namespace {

// Number of lines that may be added while one writer is at work.
constexpr size_t kNear = 256;
constexpr size_t kMostKept = size_t{4} * kMaxAuditLine;  // the part that a writer reads

}  // namespace

ChainStep ChainFollower::Follow(std::string_view line, bool is_cut) {
  ChainStep step;
  step.digest = Sha256Hex(line);
  const std::string_view chain = is_cut ? std::string_view() : ChainOf(line);
  if (chain.empty()) {
    step.kind = ChainLineKind::kTorn;
    FollowTorn(line, is_cut);
    return step;
  }
  step.kind = IsUnlocked(line) ? ChainLineKind::kUnlocked : ChainLineKind::kWhole;
  if (is_first_ && since_whole_.empty()) {
    begins_at_start_ = chain == kNoChain;
    Push({std::string(chain), false});
  }
  is_first_ = false;
  step.fault = FaultOf(chain, step);
  since_whole_ = line;
  Push({step.digest, step.kind == ChainLineKind::kUnlocked});
  return step;
}

std::string ChainFollower::FaultOf(std::string_view chain, const ChainStep& step) const {
  const bool is_unlocked = step.kind == ChainLineKind::kUnlocked;
  if (Follows(chain, is_unlocked)) {
    const bool is_double =
        is_unlocked && std::ranges::find(recent_, step.digest, &State::digest) != recent_.end();
    return is_double ? "is a duplicate" : "";
  }
  if (chain == kNoChain) return "begins a new chain: the lines before it were cut off";
  return "does not follow the line before it: one of the two was changed, or lines were removed, "
         "added or moved between them";
}

bool ChainFollower::Follows(std::string_view chain, bool is_unlocked) const {
  for (size_t i = recent_.size(); i > 0; --i) {
    const State& state = recent_[i - 1];
    if (state.digest == chain) return true;
    // Only the holder of the lock, and writers that gave up waiting for it, can write.
    if (!is_unlocked && !state.was_unlocked) return false;
  }
  return false;
}

void ChainFollower::FollowTorn(std::string_view line, bool is_cut) {
  const bool has_more = !is_first_ || !since_whole_.empty();
  if (has_more) since_whole_ += '\n';
  since_whole_ += line;
  if (is_cut || since_whole_.size() > kMostKept) since_whole_.resize(kMostKept);
  // An empty line at the very beginning leaves no trace: a writer treats it as an empty file.
  Push({since_whole_.empty() ? std::string(kNoChain) : Sha256Hex(since_whole_), false});
}

void ChainFollower::Push(State state) {
  recent_.push_back(std::move(state));
  if (recent_.size() > kNear) recent_.pop_front();
}

}  // namespace ringfence
