// Looks names up with the host's resolver (getaddrinfo(3)), on threads of its own, so that a
// stalled lookup holds up no other.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
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

  explicit Resolver(boost::asio::io_context& io) : io_(io) {}

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

  static constexpr size_t kThreads = 16;
  boost::asio::io_context& io_;
  boost::asio::thread_pool threads_{kThreads};
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace ringfence
