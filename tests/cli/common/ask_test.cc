#include "cli/common/ask.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/syscall.h"
#include "base/unique_fd.h"
#include "cli/common/held_signals.h"

using namespace ringfence;

namespace {

// A terminal and its user.
class FakeTerminal {
 public:
  FakeTerminal() : user_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    REQUIRE(user_.valid());
    REQUIRE(::grantpt(user_.get()) == 0);
    REQUIRE(::unlockpt(user_.get()) == 0);
    program_ = UniqueFd(::open(::ptsname(user_.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    REQUIRE(program_.valid());
  }

  int fd() const { return program_.get(); }

  // Waits until `text` is on the screen.
  bool Sees(const std::string& text) {
    for (int rounds = 0; rounds < 200 && screen_.find(text) == std::string::npos; ++rounds) {
      pollfd output{.fd = user_.get(), .events = POLLIN, .revents = 0};
      if (::poll(&output, 1, 50) <= 0) continue;
      char bytes[256];
      const ssize_t count = ::read(user_.get(), bytes, sizeof bytes);
      if (count <= 0) return false;
      screen_.append(bytes, static_cast<size_t>(count));
    }
    const bool was_seen = screen_.find(text) != std::string::npos;
    screen_.clear();
    return was_seen;
  }

  void Type(const std::string& keys) { CHECK(WriteAll(user_.get(), keys)); }

 private:
  UniqueFd user_;
  UniqueFd program_;
  std::string screen_;
};

UserReply ReplyTo(const std::string& keys, UserReply if_empty = UserReply::kNo) {
  FakeTerminal terminal;
  std::thread user([&] {
    CHECK(terminal.Sees("Go? "));
    terminal.Type(keys);
  });
  const UserReply reply = Terminal(terminal.fd(), terminal.fd()).Ask("Go?", if_empty);
  user.join();
  return reply;
}

TEST_CASE("ask: only a plain yes counts as yes") {
  for (const char* yes : {"y\n", "Y\n", "yes\n", "YES\n", "  yes \n"}) {
    CAPTURE(yes);
    CHECK(ReplyTo(yes) == UserReply::kYes);
  }
  for (const char* no : {"n\n", "No\n", "\n", "  \n", "\x04", "yess\x15\n", "maybe\nyup\nok\n"}) {
    CAPTURE(no);
    CHECK(ReplyTo(no) == UserReply::kNo);
  }
}

std::optional<char> ChosenBy(const std::string& keys) {
  FakeTerminal terminal;
  constexpr Choice kChoices[] = {{'a', "apply"}, {'c', "cancel"}, {'k', "skip it"}};
  std::thread user([&] {
    CHECK(terminal.Sees("Go? [a]pply [c]ancel s[k]ip it "));
    terminal.Type(keys);
  });
  const std::optional<char> choice = Terminal(terminal.fd(), terminal.fd()).Choose("Go?", kChoices);
  user.join();
  return choice;
}

TEST_CASE("ask: a choice is made by a letter or by the whole word") {
  CHECK(ChosenBy("a\n") == 'a');
  CHECK(ChosenBy(" Cancel \n") == 'c');
  CHECK(ChosenBy("skip it\n") == 'k');
  CHECK(ChosenBy("x\nap\nc\n") == 'c');
  for (const char* none : {"\n\n\n", "x\ny\nz\n", "\x04"}) {
    CAPTURE(none);
    CHECK_FALSE(ChosenBy(none).has_value());
  }
}

TEST_CASE("ask: without a terminal nothing is chosen") {
  constexpr Choice kChoices[] = {{'a', "apply"}, {'c', "cancel"}};
  const UniqueFd file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  CHECK_FALSE(Terminal(file.get(), file.get()).Choose("Go?", kChoices).has_value());
}

TEST_CASE("ask: end of input is a no, even after an unfinished word") {
  CHECK(ReplyTo("yes\x04\x04") == UserReply::kNo);
}

TEST_CASE("ask: Enter takes the default, which the question shows") {
  CHECK(ReplyTo("\n", UserReply::kYes) == UserReply::kYes);
  CHECK(ReplyTo("n\n", UserReply::kYes) == UserReply::kNo);
  CHECK(ReplyTo("\x04", UserReply::kYes) == UserReply::kNo);
}

TEST_CASE("ask: a word that is neither is asked about again, three times in all") {
  CHECK(ReplyTo("what\ny\n") == UserReply::kYes);
  CHECK(ReplyTo("what\nwhy\ny\n") == UserReply::kYes);
  CHECK(ReplyTo("what\nwhy\nhm\ny\n") == UserReply::kNo);
  CHECK(ReplyTo(std::string(500, 'y') + "\nno\n") == UserReply::kNo);
}

TEST_CASE("ask: input typed before the question does not answer it") {
  FakeTerminal terminal;
  terminal.Type("y\n");
  CHECK(terminal.Sees("y"));  // the echo: the input is queued
  std::thread user([&] {
    CHECK(terminal.Sees("Go? [y/N] "));
    terminal.Type("\n");
  });
  CHECK(Terminal(terminal.fd(), terminal.fd()).Ask("Go?") == UserReply::kNo);
  user.join();
}

TEST_CASE("ask: Ctrl-C is a no, and leaves the signal handling as it was") {
  FakeTerminal terminal;
  struct sigaction before {};
  ::sigaction(SIGINT, nullptr, &before);
  const pthread_t asking = ::pthread_self();
  std::thread user([&] {
    CHECK(terminal.Sees("Go? [Y/n] "));
    ::pthread_kill(asking, SIGINT);
  });
  CHECK(Terminal(terminal.fd(), terminal.fd()).Ask("Go?", UserReply::kYes) ==
        UserReply::kInterrupted);
  user.join();
  struct sigaction after {};
  ::sigaction(SIGINT, nullptr, &after);
  CHECK((after.sa_handler == before.sa_handler));
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  CHECK(::sigismember(&mask, SIGINT) == 0);
}

TEST_CASE(
    "ask: a signal that the caller holds back ends the question, and does not end the program") {
  for (const int signal : {SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    FakeTerminal terminal;
    const auto before = ::signal(signal, SIG_DFL);  // doctest has a handler
    {
      HeldSignals signals;
      CHECK(signals.Arrived() == 0);
      CHECK(signals.StatusOr(7) == 7);
      const pthread_t asking = ::pthread_self();
      std::thread user([&] {
        CHECK(terminal.Sees("Go? [Y/n] "));
        ::pthread_kill(asking, signal);
      });
      const Terminal asked(terminal.fd(), terminal.fd());
      CHECK(asked.Ask("Go?", UserReply::kYes) == UserReply::kInterrupted);
      user.join();
      CHECK(signals.Arrived() == signal);
      CHECK(signals.StatusOr(7) == 128 + signal);
      // The next question has no answer either.
      CHECK(asked.Ask("Go?", UserReply::kYes) == UserReply::kInterrupted);
    }
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    CHECK(::sigismember(&mask, signal) == 0);
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    CHECK((action.sa_handler == SIG_DFL));
    ::signal(signal, before);
  }
}

TEST_CASE("ask: an ignored signal stays ignored") {
  ::signal(SIGHUP, SIG_IGN);
  {
    HeldSignals signals;
    ::raise(SIGHUP);
    CHECK(signals.Arrived() == 0);
  }
  CHECK((::signal(SIGHUP, SIG_DFL) == SIG_IGN));
}

TEST_CASE("ask: without a terminal on both sides nothing is asked") {
  FakeTerminal terminal;
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd reading(ends[0]);
  const UniqueFd writing(ends[1]);
  CHECK(WriteAll(writing.get(), "y\n"));
  const int pairs[][2] = {{reading.get(), terminal.fd()},
                          {terminal.fd(), writing.get()},
                          {reading.get(), writing.get()},
                          {-1, -1}};
  for (const auto& [input, output] : pairs) {
    const Terminal none(input, output);
    CHECK_FALSE(none.can_ask());
    CHECK(none.Ask("Go?", UserReply::kYes) == UserReply::kNo);
  }
  char bytes[8];
  CHECK(::read(reading.get(), bytes, sizeof bytes) == 2);  // nothing was read, nothing printed
}

}  // namespace
