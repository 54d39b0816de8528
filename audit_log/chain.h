// Follows the digests from line to line of an audit log. Pure: lines in, faults out.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace ringfence {

enum class ChainLineKind {
  kWhole,
  kUnlocked,  // written while somebody held the log's lock
  kTorn,      // of a writer that was killed, or of somebody else; the next whole line covers it
};

struct ChainStep {
  ChainLineKind kind = ChainLineKind::kWhole;
  std::string digest;  // of the line
  std::string fault;   // what is wrong here or just before; "": nothing
};

class ChainFollower {
 public:
  // `line` is without its newline. `is_cut`: there was more of it than anybody keeps.
  ChainStep Follow(std::string_view line, bool is_cut = false);

  // Nothing was written before the first line; false: there was something, which is gone.
  bool begins_at_start() const { return begins_at_start_; }

 private:
  // How it was behind some line: what a line that is written then has as its chain.
  struct State {
    std::string digest;
    bool was_unlocked = false;
  };

  bool Follows(std::string_view chain, bool is_unlocked) const;
  std::string FaultOf(std::string_view chain, const ChainStep& step) const;
  void FollowTorn(std::string_view line, bool is_cut);
  void Push(State state);

  std::deque<State> recent_;
  std::string since_whole_;  // the last whole line, and what was torn behind it
  bool is_first_ = true;
  bool begins_at_start_ = true;
};

}  // namespace ringfence
