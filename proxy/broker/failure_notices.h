// Tells the launchers of a session, through the parent, about permitted connections that do not
// come about: programs retry in silence, and inside every name resolves and every connection opens.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <set>
#include <string>

#include "proxy/message_channel.h"

namespace ringfence {

class FailureNotices {
 public:
  // While it exists, the connection is being waited for.
  using Wait = std::shared_ptr<boost::asio::steady_timer>;

  // `is_agent`: the session of an agent itself, whose user is also told of a host that does not
  // answer for some seconds. A slow host of other commands is their own business.
  FailureNotices(boost::asio::io_context& io, MessageChannel& parent, bool is_agent)
      : io_(io), parent_(parent), is_agent_(is_agent) {}

  // `target` is a host with its port.
  Wait Await(const std::string& target);
  void Failed(const std::string& target, const std::string& sentence);
  // The launchers are told by others; here only so that they hear if that changes.
  void Refused(const std::string& target);
  void Reached(const std::string& target);

 private:
  boost::asio::io_context& io_;
  MessageChannel& parent_;
  const bool is_agent_;
  // Targets whose last connection did not come about. Anyone can ask for many that are refused, and
  // these must not hide one that is permitted.
  std::set<std::string> refused_, failed_;
  std::set<std::string> reached_;  // an agent's
};

}  // namespace ringfence
