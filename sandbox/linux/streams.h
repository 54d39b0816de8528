// The standard streams that a command starts with. They were opened outside, through the host's
// mounts: with such a descriptor, the owner of a file could change it whatever the sandbox's own
// mounts say.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// An open file and the mount through which it was opened (statx(2), STATX_MNT_ID).
struct OpenedFile {
  uint32_t device_major = 0, device_minor = 0;
  uint64_t inode = 0;
  uint64_t mount = 0;
  bool is_pipe = false;

  bool operator==(const OpenedFile&) const = default;
};
Result<OpenedFile> LookAtOpened(int fd);

// Returns the standard streams of this process except pipes, which were made for the sandbox
// (PipeRelay).
Result<std::vector<OpenedFile>> FindStreams();

// Refuses streams that give access to more than one file: directories, and descriptors that were
// opened with O_PATH.
Status CheckStreams();

// poll(2) accepts no more descriptors than the limit, and building a view needs many. Fails if the
// limit is too low.
Status CheckOpenFiles();

// PipeRelay: gives the sandbox its own pipes in place of those that the launcher was started with.
// A process that holds one end of a pipe can open the other through /proc/self/fd, and so take what
// others write to it or write to its reader.
class PipeRelay {
 public:
  // Called before the sandbox is cloned. Creates one pipe for each pipe among the standard streams;
  // stdout and stderr share one if they share the outer pipe.
  Status Make();
  // Called in the sandbox's first process. Makes the pipes its standard streams.
  Status BecomeStreams();
  // Called in the launcher after the clone. Closes the sandbox's ends.
  void Begin();

  // PreparePoll() fills in the events for poll(2), Serve() handles its result. Neither waits.
  static constexpr size_t kPolled = 6;
  void PreparePoll(std::span<pollfd, kPolled> polled) const;
  void Serve(std::span<const pollfd, kPolled> polled);

  // Passes on the rest of the command's output, however slow the reader is. All writers have ended,
  // so an empty pipe is finished. Stops if a signal that ends a command arrives at `signals`
  // (signalfd(2)), or if the other end of the socket `hangup` is closed. Input that the command has
  // not read stays in the outer pipe, for later readers.
  void Drain(const UniqueFd& signals, int hangup);

 private:
  bool HasOutput() const;
  bool WaitsForReader() const;  // a reader of the outer pipes must make room first
  void EndInput();

  // `outer` is one of the launcher's standard streams, `inner` the launcher's end of the sandbox's
  // pipe.
  struct Output {
    int outer = -1;
    std::pair<dev_t, ino_t> pipe;  // identifies the outer pipe
    UniqueFd inner;
    UniqueFd theirs;
    bool is_shared = false;  // by stdout and stderr
    bool is_full = false;    // the outer pipe
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

  // The inner pipe holds a single buffer: once it is writable again, the command has read that
  // buffer. Until then the bytes stay in the outer pipe as well (tee(2)).
  UniqueFd input_;
  UniqueFd their_input_;
  size_t unread_ = 0;  // bytes in both pipes
  size_t passed_ = 0;
  // After kMuchInput bytes, input moves in larger pieces. Up to one full pipe of it can then be
  // taken from the outer pipe without being read by the command.
  bool is_bulk_ = false;
  bool is_input_full_ = false;  // in bulk mode
  std::array<Output, 2> outputs_;
};

}  // namespace ringfence
