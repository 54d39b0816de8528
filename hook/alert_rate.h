// Rate limit for alerts: the alerts of the last minute, as a small text that is kept in a file
// between hook runs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

class AlertRate {
 public:
  static constexpr size_t kMostEach = 10;  // per minute, inbox and session
  static constexpr size_t kMost = 256;     // per minute in total
  static constexpr size_t kMostText = size_t{64} * 1024;

  // Ignores lines in any other format.
  static AlertRate Read(std::string_view text);
  std::string text() const;

  // Both are digests (AlertDigest): `group` of inbox and session, `alert` of kind and text.
  struct Question {
    std::string group, alert;
    int64_t unix_seconds = 0;
  };
  // True if the alert may be written. `held` is then the number of alerts of its group that were
  // held back since the last one written.
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

// Returns a digest of all parts together: 16 hexadecimal digits.
std::string AlertDigest(std::initializer_list<std::string_view> parts);

}  // namespace ringfence
