#include "proxy/broker/failure_notices.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <string>
#include <utility>

#include "base/message_socket.h"
#include "base/socket_pair.h"
#include "proxy/link/messages.h"

using namespace ringfence;

namespace {

// What the parent is told, as letters of BrokerMessage.
struct Told {
  Result<SocketPair> pair = MakeSocketPair(SOCK_SEQPACKET);
  boost::asio::io_context io{1};
  MessageChannel parent{io, std::move(pair->own)};
  FailureNotices notices;

  explicit Told(bool is_agent) : notices(io, parent, is_agent) {}

  std::string Take() {
    std::string letters;
    char first = 0;
    while (::recv(pair->other.get(), &first, 1, MSG_DONTWAIT) > 0) letters += first;
    return letters;
  }
};

}  // namespace

TEST_CASE("failure notices: a host is reached again") {
  Told told(false);
  told.notices.Reached("a.example:443");
  CHECK(told.Take().empty());
  told.notices.Refused("a.example:443");
  told.notices.Reached("b.example:443");
  CHECK(told.Take().empty());
  told.notices.Reached("a.example:443");
  told.notices.Reached("a.example:443");
  CHECK(told.Take() == std::string{static_cast<char>(BrokerMessage::kReached)});
  told.notices.Failed("a.example:443", "no answer");
  CHECK(told.Take() == std::string{static_cast<char>(BrokerMessage::kFailed)});
  told.notices.Reached("a.example:443");
  CHECK(told.Take() == std::string{static_cast<char>(BrokerMessage::kReached)});
}

// Its launcher may have reported before the first connection that the policy shuts the service, and
// the user may have allowed it since.
TEST_CASE("failure notices: an agent's host is reached for the first time") {
  Told told(true);
  told.notices.Reached("a.example:443");
  told.notices.Reached("b.example:443");
  told.notices.Reached("a.example:443");
  CHECK(told.Take() == std::string(2, static_cast<char>(BrokerMessage::kReached)));
}

TEST_CASE("failure notices: many refused hosts hide no recovery of a permitted one") {
  Told told(false);
  for (int i = 0; i < 300; ++i) told.notices.Refused("h" + std::to_string(i) + ".example:443");
  told.notices.Failed("a.example:443", "no answer");
  told.Take();
  told.notices.Reached("a.example:443");
  CHECK(told.Take() == std::string{static_cast<char>(BrokerMessage::kReached)});
  told.notices.Reached("h299.example:443");  // more than it remembers
  CHECK(told.Take().empty());
}
