// Threads that are joined at the end of the scope, as by std::jthread, which not every library has.
#pragma once

#include <thread>
#include <utility>
#include <vector>

#include "base/not_copied.h"

namespace ringfence {

class JoinedThreads : NotCopied {
 public:
  // Starts at most `most` threads.
  explicit JoinedThreads(size_t most) { threads_.reserve(most); }
  ~JoinedThreads() { Join(); }

  // Throws std::system_error if the system allows no more threads.
  template <typename... Arguments>
  void Start(Arguments&&... arguments) {
    threads_.emplace_back(std::forward<Arguments>(arguments)...);
  }

  void Join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace ringfence
