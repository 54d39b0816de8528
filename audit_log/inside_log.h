// InsideLog takes audit lines from hooks inside a sandbox, whose agent may be hostile, and writes
// them to the log outside. Drops text that is not an audit line or comes too fast. Marks each line
// that it writes: "inside" is the time of receipt; everything else is the sender's claim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/path.h"
#include "policy/policy.h"

namespace ringfence {

// Limits the bytes per second and per burst.
class ByteBudget {
 public:
  bool Take(size_t bytes, int64_t unix_nanoseconds);

 private:
  static constexpr int64_t kMost = 4 << 20;
  static constexpr int64_t kEachSecond = 64 << 10;
  int64_t left_ = kMost;
  int64_t last_ = 0;
};

class InsideLog {
 public:
  InsideLog(Path file, AuditRules rules) : file_(std::move(file)), rules_(rules) {}

  bool Take(std::string_view text, int64_t unix_nanoseconds);

 private:
  Path file_;
  AuditRules rules_;
  ByteBudget budget_;
};

}  // namespace ringfence
