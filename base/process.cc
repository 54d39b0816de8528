#include "base/process.h"

#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include "base/not_copied.h"
#include "base/program.h"
#include "base/socket_pair.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

using Clock = std::chrono::steady_clock;

// Writing to a program that has exited fails with EPIPE instead of raising SIGPIPE, which would end
// this process.
#ifdef __APPLE__
constexpr int kInputFlags = MSG_DONTWAIT;
#else
constexpr int kInputFlags = MSG_DONTWAIT | MSG_NOSIGNAL;
#endif

class SpawnActions : NotCopied {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  void Duplicate(int from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from, to); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class Running : NotCopied {
 public:
  explicit Running(const ProgramCall& call) : call_(call), end_(Clock::now() + call.limit) {}
  ~Running() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  Status Start() {
    std::array<UniqueFd, 3> theirs;
    for (size_t i = 0; i < ours_.size(); ++i) {
      // Uses socket pairs, like the client.
      Result<SocketPair> pair = MakeSocketPair(SOCK_STREAM);
      if (!pair) return pair.error();
      ours_[i] = std::move(pair->own);
      theirs[i] = std::move(pair->other);
    }
    SpawnActions actions;
    for (size_t i = 0; i < theirs.size(); ++i) {
      actions.Duplicate(theirs[i].get(), static_cast<int>(i));
    }
    std::vector<std::string> arguments{call_.program};
    arguments.insert(arguments.end(), call_.arguments.begin(), call_.arguments.end());
    std::vector<std::string> environment = call_.environment;
    const int failed =
        ::posix_spawn(&pid_, call_.program.c_str(), actions.get(), nullptr,
                      ArgumentPointers(arguments).data(), ArgumentPointers(environment).data());
    if (failed == 0) return Unit{};
    pid_ = -1;
    return SystemError("start " + call_.program, failed);
  }

  Result<Finished> Finish() {
    while (ours_[1].valid() || ours_[2].valid()) {
      if (Status s = Turn(); !s) return s.error();
    }
    int status = 0;
    while (::waitpid(pid_, &status, WNOHANG) == 0) {
      if (Clock::now() >= end_) return TooLong();
      ::poll(nullptr, 0, 2);
    }
    pid_ = -1;
    finished_.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return std::move(finished_);
  }

 private:
  Error TooLong() const {
    return Error{Error::Kind::kSystem, call_.program,
                 "did not answer within " + std::to_string(call_.limit.count()) + " ms", ""};
  }

  // Waits until a descriptor is ready, then writes or reads.
  Status Turn() {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
    if (left.count() <= 0) return TooLong();
    std::array<pollfd, 3> polled{
        {{ours_[0].get(), POLLOUT, 0}, {ours_[1].get(), POLLIN, 0}, {ours_[2].get(), POLLIN, 0}}};
    if (::poll(polled.data(), polled.size(), static_cast<int>(left.count())) < 0) {
      if (errno == EINTR) return Unit{};
      return SystemError("poll");
    }
    if (polled[0].revents != 0) Feed();
    if (polled[1].revents != 0) Hear(ours_[1], finished_.out);
    if (call_.hear && !finished_.out.empty()) call_.hear(std::exchange(finished_.out, {}));
    if (polled[2].revents != 0) Hear(ours_[2], finished_.err);
    if (std::max(finished_.out.size(), finished_.err.size()) <= kMostHeard) return Unit{};
    return Error{Error::Kind::kSystem, call_.program, "produced more than 4 MiB of output", ""};
  }

  // It is not an error if the program does not read its input.
  void Feed() {
    std::string_view rest = call_.input;
    rest.remove_prefix(fed_);
    const ssize_t put = ::send(ours_[0].get(), rest.data(), rest.size(), kInputFlags);
    if (put > 0) fed_ += static_cast<size_t>(put);
    const bool again = put < 0 && (errno == EAGAIN || errno == EINTR);
    if (fed_ == call_.input.size() || (put < 0 && !again)) ours_[0] = UniqueFd();
  }

  static void Hear(UniqueFd& fd, std::string& text) {
    std::array<char, 4096> buffer{};
    const ssize_t got = ::recv(fd.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0) {
      text.append(buffer.data(), static_cast<size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      fd = UniqueFd();
    }
  }

  const ProgramCall& call_;
  Clock::time_point end_;
  pid_t pid_ = -1;
  std::array<UniqueFd, 3> ours_;
  size_t fed_ = 0;
  Finished finished_;
};

}  // namespace

Result<Finished> Run(const ProgramCall& call) {
  Running running(call);
  if (Status s = running.Start(); !s) return s.error();
  return running.Finish();
}

}  // namespace ringfence
