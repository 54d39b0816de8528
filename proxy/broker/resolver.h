// Looks names up with the host's resolver (getaddrinfo(3)), on threads of its own, so that a
// stalled lookup holds up no other. Names below one domain, as of "*.example.org", use half of the
// threads at most: whoever owns their servers can let all of them stall.
#pragma once

#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/not_copied.h"
#include "policy/rules/address.h"

namespace ringfence {

class Resolver : NotCopied {
 public:
  // Addresses in the order in which they should be tried; none, with the reason, if there are none.
  struct Found {
    std::vector<Address> addresses;
    std::string error;
    bool is_lasting = true;  // false if this machine had no descriptor or no memory left
  };
  using Handler = std::function<void(const Found&)>;

  using Function = std::function<Found(const std::string& name)>;

  explicit Resolver(boost::asio::io_context& io);
  // With another lookup, for tests.
  Resolver(boost::asio::io_context& io, Function look_up) : io_(io), look_up_(std::move(look_up)) {}
  ~Resolver();

  static constexpr size_t kMaxThreads = 128;
  static constexpr size_t kMaxOfDomain = kMaxThreads / 2;

  // Returns the answer of a recent lookup, or null. Valid until the next call.
  const Found* Known(const std::string& name);
  // Calls `handler` on the io_context's thread, maybe before it returns. `name` is canonical. Has
  // no time limit: a caller that gives up ignores the call. Equal lookups that overlap are made
  // once, and an answer is used again for a few seconds, as programs do themselves.
  void Resolve(const std::string& name, Handler handler);

  // True while a lookup runs: then the destructor waits for its end.
  bool is_busy() const;

 private:
  struct Entry {
    Found found;
    int64_t known_at = 0;  // nanoseconds, CLOCK_MONOTONIC; 0 while the lookup runs
    std::vector<Handler> waiting;
  };
  void Take(const std::string& name, Found found);
  void DropOld();
  // The threads: they are started as they are needed.
  void AddThread();
  void Work();
  std::deque<std::string>::iterator NextName();

  boost::asio::io_context& io_;
  Function look_up_;
  std::unordered_map<std::string, Entry> entries_;
  std::mutex mutex_;  // guards what follows, but for threads_
  std::condition_variable wake_;
  std::deque<std::string> wanted_;                      // names
  std::map<std::string, size_t, std::less<>> running_;  // lookups of a domain
  size_t idle_ = 0;                                     // threads
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ringfence
