// Runs several threads on numbered pieces. Work that depends on the order is done in the order of
// the numbers, so that the result is the same for any number of threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <vector>

#include "base/joined_threads.h"

namespace ringfence {

// Lets one thread after another pass, in the order of their numbers.
class Turns {
 public:
  // Waits for the turn of `number`. Returns false if a thread called Stop().
  bool Await(size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || next_ == number; });
    return !stopped_;
  }
  void Pass() {
    const std::scoped_lock lock(mutex_);
    ++next_;
    changed_.notify_all();
  }
  void Stop() {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t next_ = 0;
  bool stopped_ = false;
};

// State that the threads of a run share.
struct InOrder {
  std::mutex taking;
  Turns settling;
  Turns delivering;

  void Stop() {
    settling.Stop();
    delivering.Stop();
  }
};

// Works until there are no more pieces. Returns false if a thread stopped the run.
template <typename Job>
bool WorkInOrder(Job& job, InOrder& order) {
  for (;;) {
    {
      const std::scoped_lock lock(order.taking);
      if (!job.Take()) return true;
    }
    job.Prepare();
    if (!order.settling.Await(job.number())) return false;
    job.Settle();
    order.settling.Pass();
    job.Finish();
    if (!order.delivering.Await(job.number()) || !job.Deliver()) return false;
    order.delivering.Pass();
  }
}

// Runs each of `jobs` in a thread of its own, which takes pieces and does as much as it can in
// parallel:
//   bool Take();      takes the next piece, one thread at a time; false if there is none
//   size_t number();  of the piece
//   void Prepare();   in parallel
//   void Settle();    in order
//   void Finish();    in parallel
//   bool Deliver();   in order; returns false to stop the run
// Rethrows an exception from any of them.
template <typename Jobs>
void RunInOrder(Jobs& jobs) {
  InOrder order;
  std::vector<std::exception_ptr> failures(jobs.size());
  const auto guarded = [&](size_t i) {
    try {
      if (WorkInOrder(jobs[i], order)) return;
    } catch (...) {
      failures[i] = std::current_exception();
    }
    order.Stop();
  };
  JoinedThreads threads(jobs.size());
  try {
    for (size_t i = 1; i < jobs.size(); ++i) threads.Start(guarded, i);
  } catch (const std::system_error&) {  // no more threads; the others do the work
  }
  guarded(0);
  threads.Join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace ringfence
