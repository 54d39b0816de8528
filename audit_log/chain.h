// Checks the chain of digests through the lines of an audit log. Pure: lines in, faults out.
#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace ringfence {

enum class ChainLineKind {
  kWhole,
  kUnlocked,  // written while another process held the log's lock
  kTorn,      // from a killed writer or a foreign program; the next whole line covers it
};

struct ChainStep {
  ChainLineKind kind = ChainLineKind::kWhole;
  std::string digest;  // of the line
  std::string fault;   // the fault in this line or just before it; "" if none
};

class ChainFollower {
 public:
  // `line` has no newline. `is_cut` is true if the line was longer than the part that is kept.
  ChainStep Follow(std::string_view line, bool is_cut = false);

  // True if nothing was written before the first line; otherwise the lines before it are gone.
  bool begins_at_start() const { return begins_at_start_; }

 private:
  // State after a line: the chain value that the next line must carry.
  struct State {
    std::string digest;
    bool was_unlocked = false;
  };

  bool Follows(std::string_view chain, bool is_unlocked) const;
  std::string FaultOf(std::string_view chain, const ChainStep& step) const;
  void FollowTorn(std::string_view line, bool is_cut);
  void Push(State state);

  std::deque<State> recent_;
  std::string since_whole_;  // the last whole line and the torn text after it
  bool is_first_ = true;
  bool begins_at_start_ = true;
};

}  // namespace ringfence
