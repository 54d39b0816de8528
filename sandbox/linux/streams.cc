#include "sandbox/linux/streams.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string>

#include "base/syscall.h"
#include "sandbox/linux/kernel_abi.h"

namespace ringfence {
namespace {

constexpr std::array kStreamNames = {"standard input", "standard output", "standard error"};

constexpr size_t kMostMoved = size_t{1} << 16;
constexpr size_t kMuchInput = size_t{1} << 20;

Result<struct stat> LookAtStream(int fd) {
  struct stat facts {};
  if (::fstat(fd, &facts) != 0) return SystemError("fstat(stream)");
  return facts;
}

struct Pipe {
  UniqueFd reads, writes;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return SystemError("pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Status TakeAs(const UniqueFd& end, int stream) {
  return CallStatus(!end.valid() || ::dup2(end.get(), stream) >= 0, "dup2(pipe)");
}

// Takes all signals from the descriptor. Returns true if one of them ends a command.
bool TakeEndSignal(const UniqueFd& signals) {
  signalfd_siginfo info{};
  bool ends = false;
  while (::read(signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const int signal = static_cast<int>(info.ssi_signo);
    ends = ends || signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
  }
  return ends;
}

}  // namespace

Result<OpenedFile> LookAtOpened(int fd) {
  FileStatus facts;
  const unsigned wanted = kStatusType | kStatusInode | kStatusMount;
  if (::syscall(SYS_statx, fd, "", AT_EMPTY_PATH, wanted, &facts) != 0) return SystemError("statx");
  return OpenedFile{facts.device_major, facts.device_minor, facts.inode, facts.mount,
                    S_ISFIFO(facts.mode)};
}

Result<std::vector<OpenedFile>> FindStreams() {
  std::vector<OpenedFile> streams;
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    Result<OpenedFile> file = LookAtOpened(fd);
    if (!file) return file.error();
    if (!file->is_pipe) streams.push_back(*file);
  }
  return streams;
}

Status CheckOpenFiles() {
  constexpr rlim_t kLeast = 64;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return SystemError("getrlimit(RLIMIT_NOFILE)");
  if (files.rlim_cur >= kLeast) return Unit{};
  return UsageError("", "the hard limit for open files (ulimit -Hn) is " +
                            std::to_string(files.rlim_cur) + ", and a start needs " +
                            std::to_string(kLeast));
}

Status CheckStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    const std::string name = kStreamNames[static_cast<size_t>(fd)];
    struct stat facts {};
    if (::fstat(fd, &facts) != 0) return SystemError("fstat(" + name + ")");
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0) return SystemError("fcntl(" + name + ")");
    if (!S_ISDIR(facts.st_mode) && (flags & O_PATH) == 0) continue;
    return UsageError(name, "is a directory, from which a command could reach everything around it",
                      "redirect it from or to a file or /dev/null");
  }
  return Unit{};
}

Status PipeRelay::Make() {
  if (Status s = MakeInput(); !s) return s;
  if (Status s = MakeOutput(STDOUT_FILENO); !s) return s;
  return MakeOutput(STDERR_FILENO);
}

Status PipeRelay::MakeInput() {
  const auto facts = LookAtStream(STDIN_FILENO);
  if (!facts) return facts.error();
  if (!S_ISFIFO(facts->st_mode)) return Unit{};
  Result<Pipe> pipe = MakePipe();
  if (!pipe) return pipe.error();
  // The kernel rounds this up to one page, which is one buffer.
  if (::fcntl(pipe->writes.get(), F_SETPIPE_SZ, 1) < 0) return SystemError("fcntl(F_SETPIPE_SZ)");
  input_ = std::move(pipe->writes);
  their_input_ = std::move(pipe->reads);
  return Unit{};
}

Status PipeRelay::MakeOutput(int outer) {
  const auto facts = LookAtStream(outer);
  if (!facts) return facts.error();
  if (!S_ISFIFO(facts->st_mode)) return Unit{};
  const std::pair outer_pipe(facts->st_dev, facts->st_ino);
  Output& before = outputs_[0];
  if (before.is_open() && before.pipe == outer_pipe) {
    before.is_shared = true;
    return Unit{};
  }
  Result<Pipe> pipe = MakePipe();
  if (!pipe) return pipe.error();
  Output& output = outputs_[before.is_open() ? 1 : 0];
  output.outer = outer;
  output.pipe = outer_pipe;
  output.inner = std::move(pipe->reads);
  output.theirs = std::move(pipe->writes);
  return Unit{};
}

Status PipeRelay::BecomeStreams() {
  if (Status s = TakeAs(their_input_, STDIN_FILENO); !s) return s;
  for (const Output& output : outputs_) {
    if (!output.is_open()) continue;
    if (Status s = TakeAs(output.theirs, output.outer); !s) return s;
    if (!output.is_shared) continue;
    if (Status s = TakeAs(output.theirs, STDERR_FILENO); !s) return s;
  }
  return Unit{};
}

void PipeRelay::Begin() {
  their_input_ = UniqueFd();
  bool relays = input_.valid();
  for (Output& output : outputs_) {
    output.theirs = UniqueFd();
    relays = relays || output.is_open();
  }
  // A write must not kill the launcher once a reader has gone.
  if (relays) ::signal(SIGPIPE, SIG_IGN);
}

void PipeRelay::PreparePoll(std::span<pollfd, kPolled> polled) const {
  for (pollfd& one : polled) one = {-1, 0, 0};
  if (input_.valid()) {
    // poll(2) reports a closed end even if no event is requested.
    const bool waits_for_command = unread_ > 0 || is_input_full_;
    polled[0] = {input_.get(), static_cast<short>(waits_for_command ? POLLOUT : 0), 0};
    if (!waits_for_command) polled[1] = {STDIN_FILENO, POLLIN, 0};
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    if (!output.is_open()) continue;
    polled[2 + 2 * i] = {output.is_full ? -1 : output.inner.get(), POLLIN, 0};
    polled[3 + 2 * i] = {output.outer, static_cast<short>(output.is_full ? POLLOUT : 0), 0};
  }
}

void PipeRelay::Serve(std::span<const pollfd, kPolled> polled) {
  if (input_.valid()) PassInput(polled[1].revents, polled[0].revents);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Output& output = outputs_[i];
    const short outer = polled[3 + 2 * i].revents;
    if (!output.is_open()) continue;
    if ((outer & (POLLERR | POLLNVAL)) != 0) {  // its reader has gone
      output.inner = UniqueFd();
    } else if (polled[2 + 2 * i].revents != 0 || (outer & POLLOUT) != 0) {
      PassOutput(output);
    }
  }
}

PipeRelay::Moved PipeRelay::Move(int from, int to) {
  const ssize_t moved =
      ::splice(from, nullptr, to, nullptr, kMostMoved, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (moved > 0 || (moved < 0 && errno == EINTR)) return Moved::kSome;
  return moved < 0 && errno == EAGAIN ? Moved::kTargetIsFull : Moved::kNothingLeft;
}

void PipeRelay::PassOutput(Output& output) {
  const Moved moved = Move(output.inner.get(), output.outer);
  output.is_full = moved == Moved::kTargetIsFull && !output.is_full;
  if (moved == Moved::kNothingLeft) output.inner = UniqueFd();
}

void PipeRelay::PassInput(short outer, short inner) {
  if ((inner & (POLLERR | POLLNVAL)) != 0) return EndInput();  // the command has closed it
  if (is_bulk_) {
    if (outer != 0 || (inner & POLLOUT) != 0) PassBulk();
    return;
  }
  if ((inner & POLLOUT) != 0) {
    DropFromOuter(unread_);
    passed_ += std::exchange(unread_, 0);
  }
  if (outer == 0 || unread_ > 0) return;
  if (passed_ < kMuchInput) return ShowInput();
  is_bulk_ = true;
  [[maybe_unused]] const int size = ::fcntl(input_.get(), F_SETPIPE_SZ, kMostMoved);
  PassBulk();
}

void PipeRelay::ShowInput() {
  const ssize_t shown = ::tee(STDIN_FILENO, input_.get(), kMostMoved, SPLICE_F_NONBLOCK);
  if (shown > 0) {
    unread_ = static_cast<size_t>(shown);
  } else if (shown == 0 || (errno != EAGAIN && errno != EINTR)) {
    input_ = UniqueFd();
  }
}

void PipeRelay::PassBulk() {
  const Moved moved = Move(STDIN_FILENO, input_.get());
  is_input_full_ = moved == Moved::kTargetIsFull && !is_input_full_;
  if (moved == Moved::kNothingLeft) input_ = UniqueFd();
}

void PipeRelay::DropFromOuter(size_t size) {
  std::array<char, 4096> bytes{};
  while (size > 0) {
    pollfd outer{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (::poll(&outer, 1, 0) <= 0) return;  // another reader was quicker
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), std::min(size, bytes.size()));
    if (got <= 0) return;
    size -= static_cast<size_t>(got);
  }
}

void PipeRelay::EndInput() {
  if (!input_.valid()) return;
  int left = 0;
  if (::ioctl(input_.get(), FIONREAD, &left) == 0 && static_cast<size_t>(left) <= unread_) {
    DropFromOuter(unread_ - static_cast<size_t>(left));
  }
  unread_ = 0;
  input_ = UniqueFd();
}

bool PipeRelay::WaitsForReader() const {
  return std::ranges::any_of(outputs_, [](const Output& o) { return o.is_open() && o.is_full; });
}

bool PipeRelay::HasOutput() const { return std::ranges::any_of(outputs_, &Output::is_open); }

void PipeRelay::Drain(const UniqueFd& signals, int hangup) {
  EndInput();
  while (HasOutput()) {
    std::array<pollfd, 2 + kPolled> polled{{{signals.get(), POLLIN, 0}, {hangup, POLLRDHUP, 0}}};
    const auto pipes = std::span(polled).last<kPolled>();
    PreparePoll(pipes);
    const int ready = ::poll(polled.data(), polled.size(), WaitsForReader() ? -1 : 0);
    if (ready == 0) return;
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return;
    Serve(pipes);
    if (polled[1].revents != 0 || (polled[0].revents != 0 && TakeEndSignal(signals))) return;
  }
}

}  // namespace ringfence
