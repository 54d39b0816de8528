// InsideLog: takes audit lines of hooks that run inside a sandbox, whose agent may be hostile, and
// writes them to the log outside. Whatever is no audit line, or comes too fast, is not written. A
// written line is marked: "inside" is when it was taken, and what else it says is the sender's
// word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/path.h"
#include "policy/policy.h"

namespace ringfence {

// So many bytes a second, and so many at once.
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
