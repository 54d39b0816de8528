// The kernel watches no further descriptor, as if the programs of this user had all watches of
// epoll (epoll(7), max_user_watches). Counts for children of this process, too.
#pragma once

namespace ringfence {

constexpr int kEndlessly = 1 << 30;

class FullWatches {
 public:
  // `failures`: how many attempts fail.
  explicit FullWatches(int failures = kEndlessly);
  ~FullWatches();
  FullWatches(const FullWatches&) = delete;
  FullWatches& operator=(const FullWatches&) = delete;

  // The attempts that have failed.
  int Failed() const;
};

}  // namespace ringfence
