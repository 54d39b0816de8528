#include "cli/common/ask.h"

#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>

#include "base/not_copied.h"
#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr int kAttempts = 3;
constexpr size_t kLongestAnswer = 64;  // longer text is not a valid answer

volatile std::sig_atomic_t interrupted = 0;  // the signal that has ended the question; or 0

void Interrupt(int signal) { interrupted = signal; }

// Makes Ctrl-C set `interrupted` instead of ending the program, and signals that the caller holds
// back (HeldSignals) as well. They are delivered only while ReadLine() waits, so that they cannot
// arrive between the check of the flag and the wait.
class CatchInterrupt : NotCopied {
 public:
  CatchInterrupt() {
    interrupted = 0;
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    ::sigprocmask(SIG_BLOCK, &interrupt, &mask_before_);
    while_waiting_ = mask_before_;
    for (Caught& caught : caught_) {
      caught.is_active = caught.signal == SIGINT || sigismember(&mask_before_, caught.signal) == 1;
      if (!caught.is_active) continue;
      struct sigaction action {};
      action.sa_handler = Interrupt;
      sigemptyset(&action.sa_mask);
      ::sigaction(caught.signal, &action, &caught.before);
      sigdelset(&while_waiting_, caught.signal);
    }
  }
  ~CatchInterrupt() {
    for (const Caught& caught : caught_) {
      if (caught.is_active) ::sigaction(caught.signal, &caught.before, nullptr);
    }
    // The caller finds one that it holds back.
    if (interrupted != 0 && interrupted != SIGINT) ::raise(interrupted);
    ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }

  const sigset_t& while_waiting() const { return while_waiting_; }

 private:
  struct Caught {
    int signal;
    bool is_active = false;
    struct sigaction before {};
  };
  std::array<Caught, 3> caught_{{{SIGINT}, {SIGTERM}, {SIGHUP}}};
  sigset_t mask_before_{};
  sigset_t while_waiting_{};
};

// Reads a line, without its newline. Returns nullopt at the end of the input, after a signal that
// CatchInterrupt catches, and on an error.
std::optional<std::string> ReadLine(int fd, const sigset_t& mask) {
  std::string line;
  for (;;) {
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(fd, &readable);
    const int ready = ::pselect(fd + 1, &readable, nullptr, nullptr, nullptr, &mask);
    if (interrupted != 0) return {};
    if (ready < 0 && errno == EINTR) continue;
    char byte = 0;
    if (ready < 0 || ::read(fd, &byte, 1) != 1) return {};
    if (byte == '\n') return line;
    if (line.size() <= kLongestAnswer) line += byte;
  }
}

// The answer in a line, in lower case.
std::string WordIn(std::string_view line) {
  while (line.ends_with(' ')) line.remove_suffix(1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  return LowerAscii(line);
}

std::optional<UserReply> ReplyOf(std::string_view word, UserReply if_empty) {
  if (word.empty()) return if_empty;
  if (word == "y" || word == "yes") return UserReply::kYes;
  if (word == "n" || word == "no") return UserReply::kNo;
  return {};
}

}  // namespace

Terminal::Terminal() : Terminal(STDIN_FILENO, STDOUT_FILENO) {}

bool Terminal::can_ask() const {
  return input_ >= 0 && input_ < FD_SETSIZE && ::isatty(input_) == 1 && ::isatty(output_) == 1;
}

template <typename Read>
auto Terminal::AskUntil(const std::string& prompt, std::string_view advice, Read read) const
    -> decltype(read(std::string())) {
  if (!can_ask()) return {};
  std::fflush(stdout);  // shows the text that the question is about
  const CatchInterrupt interrupt;
  ::tcflush(input_, TCIFLUSH);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string text = (attempt == 0 ? "" : std::string(advice)) + prompt;
    if (!WriteAll(output_, text)) return {};
    const std::optional<std::string> line = ReadLine(input_, interrupt.while_waiting());
    if (!line) {
      (void)WriteAll(output_, "\n");
      return {};
    }
    if (const auto answer = read(WordIn(*line))) return answer;
  }
  return {};
}

UserReply Terminal::Ask(std::string_view question, UserReply if_empty) const {
  interrupted = 0;
  const std::string prompt =
      std::string(question) + (if_empty == UserReply::kYes ? " [Y/n] " : " [y/N] ");
  const std::optional<UserReply> reply =
      AskUntil(prompt, "Please answer y or n. ",
               [if_empty](const std::string& word) { return ReplyOf(word, if_empty); });
  if (reply) return *reply;
  return interrupted != 0 ? UserReply::kInterrupted : UserReply::kNo;
}

std::optional<char> Terminal::Choose(std::string_view question,
                                     std::span<const Choice> choices) const {
  std::string prompt(question);
  std::string keys;
  for (const Choice& choice : choices) {
    const size_t at = choice.word.find(choice.key);
    prompt += " " + std::string(choice.word.substr(0, at)) + "[" + choice.key + "]" +
              std::string(choice.word.substr(at + 1));
    if (!keys.empty()) keys += &choice == &choices.back() ? " or " : ", ";
    keys += choice.key;
  }
  return AskUntil(prompt + " ", "Please answer " + keys + ". ",
                  [choices](const std::string& answer) -> std::optional<char> {
                    for (const Choice& choice : choices) {
                      const bool is_meant =
                          answer == choice.word || answer == std::string(1, choice.key);
                      if (is_meant) return choice.key;
                    }
                    return {};
                  });
}

}  // namespace ringfence
