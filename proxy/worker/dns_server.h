// The resolver that the sandbox sees: gives each name an address of its own, and looks nothing up.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <string>
#include <string_view>

#include "base/not_copied.h"
#include "base/unique_fd.h"
#include "proxy/name_map.h"
#include "proxy/wire/dns_message.h"
#include "proxy/worker/service.h"

namespace ringfence {

class DnsServer : NotCopied {
 public:
  DnsServer(Service& service, NameMap& names);

  // A datagram socket with IP_PKTINFO and IPV6_RECVPKTINFO: replies come from the address that was
  // asked.
  void ServeDatagrams(UniqueFd socket);
  void ServeStream(TcpSocket client);

  // Returns the reply to a message; "" if it gets none.
  std::string Answer(std::string_view message);

 private:
  std::optional<DnsAnswer> AnswerTo(const DnsQuery& query);
  std::optional<DnsAnswer> Refuse(const DnsQuery& query, DnsAnswer::Kind kind,
                                  const std::string& reason);
  void WatchDatagrams();
  void AwaitDatagram();
  bool ServeDatagram();

  Service& service_;
  NameMap& names_;
  UniqueFd unwatched_;  // the datagram socket, until the loop watches it
  boost::asio::posix::stream_descriptor socket_;
  boost::asio::steady_timer retry_;
};

}  // namespace ringfence
