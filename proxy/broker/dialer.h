// Connects to the first of several addresses that answers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "policy/rules/address.h"

namespace ringfence {

// Tries the addresses in order; begins with the next one if the last has not answered for a quarter
// of a second (RFC 8305). All addresses have been checked before: none is looked up again.
class Dialer : public std::enable_shared_from_this<Dialer> {
 public:
  struct Outcome {
    UniqueFd socket;  // nonblocking; invalid if no address answered
    Address address{};
    std::string error;  // of the last attempt
  };
  using Handler = std::function<void(Outcome)>;

  // Calls `handler` once, on the io_context's thread, maybe before it returns, and after at most 10
  // seconds.
  static void Dial(boost::asio::io_context& io, std::vector<Address> addresses, uint16_t port,
                   Handler handler);

 private:
  struct Attempt {
    boost::asio::ip::tcp::socket socket;
    Address address;
  };
  Dialer(boost::asio::io_context& io, std::vector<Address> addresses, uint16_t port,
         Handler handler);
  void TryNext();
  // Returns true if the attempt goes on.
  bool Try(const Address& address);
  void Await(std::list<Attempt>::iterator attempt);
  void Take(std::list<Attempt>::iterator attempt);
  // Ends the dialer with a connected socket, or notes the error (an errno value).
  void Settle(UniqueFd socket, const Address& address, int code);
  void Finish(Outcome outcome);

  boost::asio::io_context& io_;
  std::vector<Address> addresses_;
  Handler handler_;
  uint16_t port_;
  size_t next_ = 0;
  std::list<Attempt> attempts_;
  boost::asio::steady_timer stagger_;
  boost::asio::steady_timer deadline_;
  std::string error_;
  bool finished_ = false;
};

}  // namespace ringfence
