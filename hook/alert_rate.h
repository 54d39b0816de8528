// How often alerts are written: what was written in the last minute, as a small text that is kept
// in a file between two hooks.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

class AlertRate {
 public:
  static constexpr size_t kMostEach = 10;  // a minute, of one inbox and session
  static constexpr size_t kMost = 256;     // a minute, of all together
  static constexpr size_t kMostText = size_t{64} * 1024;

  // What is no line of it is dropped.
  static AlertRate Read(std::string_view text);
  std::string text() const;

  // Both are digests (AlertDigest): of inbox and session, and of what is told beside them.
  struct Question {
    std::string group, alert;
    int64_t unix_seconds = 0;
  };
  // Whether it may be written. `held` is then how many of its group were held back since the last
  // one that was written.
  bool Take(const Question& question, uint64_t* held);

 private:
  struct Written {
    std::string group, alert;
    int64_t at = 0;
  };
  struct Held {
    std::string group;
    uint64_t count = 0;
    int64_t at = 0;
  };
  void Forget(int64_t now);
  bool IsTooOften(const Question& question) const;
  void Hold(const Question& question);
  uint64_t TakeHeld(const std::string& group);
  bool ReadLine(std::string_view line);

  std::vector<Written> written_;
  std::vector<Held> held_;
};

// 16 hexadecimal digits that stand for all of them together.
std::string AlertDigest(std::initializer_list<std::string_view> parts);

}  // namespace ringfence
