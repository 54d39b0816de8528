// PipeRelay: pipes of the sandbox's own in place of those that the launcher was started with.
// Whoever holds one end of a pipe can open the other by /proc/self/fd, and so take what others
// write into it or write to whoever reads it.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

class PipeRelay {
 public:
  // Before the sandbox is cloned: one pipe for each pipe among the standard streams; output and
  // errors that go into the same one share theirs.
  Status Make();
  // In the sandbox's first process: takes them as its standard streams.
  Status BecomeStreams();
  // In the launcher, after the clone.
  void Begin();

  // For poll(2), and its answer. Never waits.
  static constexpr size_t kPolled = 6;
  void PreparePoll(std::span<pollfd, kPolled> polled) const;
  void Serve(std::span<const pollfd, kPolled> polled);

  // The command has ended. True while output is left, which Serve() passes on.
  bool HasOutput() const;
  // Whoever reads an output outside has to go on first.
  bool WaitsForReader() const;
  // What the command has not read stays in the pipe outside for those who read on.
  void EndInput();

 private:
  // `outer` is a standard stream of the launcher's, `inner` its end of the sandbox's pipe.
  struct Output {
    int outer = -1;
    std::pair<dev_t, ino_t> pipe;  // outside
    UniqueFd inner;
    UniqueFd theirs;
    bool is_shared = false;  // by output and errors
    bool is_full = false;    // the pipe outside
    bool is_open() const { return inner.valid(); }
  };
  enum class Moved : uint8_t { kSome, kTargetIsFull, kNothingLeft };
  static Moved Move(int from, int to);

  Status MakeInput();
  Status MakeOutput(int outer);
  static void PassOutput(Output& output);
  void PassInput(short outer, short inner);
  void ShowInput();
  void PassBulk();
  void DropFromOuter(size_t size);

  // The pipe inside holds a single buffer: it can be written again once that was read, so what was
  // read is known. Until then the bytes stay in the pipe outside as well (tee(2)).
  UniqueFd input_;
  UniqueFd their_input_;
  size_t unread_ = 0;  // bytes that are in both pipes
  size_t passed_ = 0;
  // After much input it is moved in larger pieces. Then up to a whole pipe may be taken that the
  // command does not read.
  bool is_bulk_ = false;
  bool is_input_full_ = false;  // of bulk
  std::array<Output, 2> outputs_;
};

}  // namespace ringfence
