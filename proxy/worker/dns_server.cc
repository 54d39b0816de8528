#include "proxy/worker/dns_server.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "proxy/wire/dns_message.h"

namespace ringfence {
namespace {

using boost::asio::posix::descriptor_base;
using boost::system::error_code;

constexpr int kDatagramsAtOnce = 64;  // datagrams, before connections get their turn
constexpr std::chrono::seconds kStreamLimit{10};
constexpr std::chrono::milliseconds kWatchAgain{100};
constexpr Ipv4 kLoopback = {127, 0, 0, 1};

bool IsBelow(std::string_view name, std::string_view top) {
  if (name == top) return true;
  return name.size() > top.size() && name.ends_with(top) &&
         name[name.size() - top.size() - 1] == '.';
}

// Records by which programs find other names and ports, which the sandbox does not have.
std::string_view UnservedType(uint16_t type) {
  switch (static_cast<DnsType>(type)) {
    case DnsType::kMx:
      return "MX";
    case DnsType::kTxt:
      return "TXT";
    case DnsType::kSrv:
      return "SRV";
    case DnsType::kA:
    case DnsType::kCname:
    case DnsType::kPtr:
    case DnsType::kAaaa:
    case DnsType::kSvcb:
    case DnsType::kHttps:
      break;
  }
  return "";
}

// One connection: queries with their lengths before them (RFC 1035, 4.2.2).
class DnsStream : public std::enable_shared_from_this<DnsStream> {
 public:
  DnsStream(Service& service, DnsServer& server, TcpSocket client, std::shared_ptr<void> place)
      : server_(server),
        client_(std::move(client)),
        place_(std::move(place)),
        limit_(service.io()) {}

  void Read() {
    limit_.expires_after(kStreamLimit);
    limit_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) ResetConnection(self->client_);
    });
    boost::asio::async_read(client_, boost::asio::buffer(length_),
                            [self = shared_from_this()](const error_code& error, size_t) {
                              if (error) return self->End();
                              self->ReadQuery();
                            });
  }

 private:
  void ReadQuery() {
    const size_t size = static_cast<size_t>(length_[0]) << 8 | length_[1];
    if (size > kMaxDnsQuery) return End();
    query_.resize(size);
    boost::asio::async_read(client_, boost::asio::buffer(query_),
                            [self = shared_from_this()](const error_code& error, size_t) {
                              if (error) return self->End();
                              self->Reply();
                            });
  }

  void Reply() {
    const std::string answer = server_.Answer(query_);
    if (answer.empty()) return End();
    reply_ = {static_cast<char>(answer.size() >> 8), static_cast<char>(answer.size() & 0xFF)};
    reply_ += answer;
    boost::asio::async_write(client_, boost::asio::buffer(reply_),
                             [self = shared_from_this()](const error_code& error, size_t) {
                               if (error) return self->End();
                               self->Read();
                             });
  }

  void End() {
    limit_.cancel();
    error_code ignored;
    client_.close(ignored);
  }

  DnsServer& server_;
  TcpSocket client_;
  std::shared_ptr<void> place_;
  boost::asio::steady_timer limit_;
  std::array<unsigned char, 2> length_{};
  std::string query_;
  std::string reply_;
};

}  // namespace

DnsServer::DnsServer(Service& service, NameMap& names)
    : service_(service), names_(names), socket_(service.io()), retry_(service.io()) {}

void DnsServer::ServeDatagrams(UniqueFd socket) {
  unwatched_ = std::move(socket);
  WatchDatagrams();
}

// The kernel may watch nothing more for a while (proxy/event_loop.h).
void DnsServer::WatchDatagrams() {
  error_code failure;
  socket_.assign(unwatched_.get(), failure);
  if (failure) {
    retry_.expires_after(kWatchAgain);
    return retry_.async_wait([this](const error_code& error) {
      if (!error) WatchDatagrams();
    });
  }
  unwatched_.release();
  socket_.native_non_blocking(true, failure);
  AwaitDatagram();
}

void DnsServer::ServeStream(TcpSocket client) {
  std::shared_ptr<void> place = service_.Admit();
  if (place == nullptr) return ResetConnection(client);
  std::make_shared<DnsStream>(service_, *this, std::move(client), std::move(place))->Read();
}

void DnsServer::AwaitDatagram() {
  socket_.async_wait(descriptor_base::wait_read, [this](const error_code& error) {
    if (error) return;
    for (int i = 0; i < kDatagramsAtOnce && ServeDatagram(); ++i) {
    }
    AwaitDatagram();
  });
}

// Returns false if none is left. The control message says to which address the query was sent; the
// same message makes that the source of the reply (ip(7), ipv6(7)).
bool DnsServer::ServeDatagram() {
  std::array<char, kMaxDnsQuery + 1> query{};
  alignas(cmsghdr) std::array<char, 128> control{};
  sockaddr_storage peer{};
  iovec part{query.data(), query.size()};
  msghdr header{};
  header.msg_name = &peer;
  header.msg_namelen = sizeof peer;
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(socket_.native_handle(), &header, 0);
  if (got < 0) return false;
  const auto size = static_cast<size_t>(got);
  if (size > kMaxDnsQuery) return true;
  std::string reply = Answer({query.data(), size});
  if (reply.empty()) return true;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
      in_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(c), sizeof info);
      info.ipi_spec_dst = info.ipi_addr;
      info.ipi_ifindex = 0;
      std::memcpy(CMSG_DATA(c), &info, sizeof info);
    } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
      in6_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(c), sizeof info);
      info.ipi6_ifindex = 0;
      std::memcpy(CMSG_DATA(c), &info, sizeof info);
    }
  }
  part = {reply.data(), reply.size()};
  header.msg_flags = 0;
  ::sendmsg(socket_.native_handle(), &header, MSG_NOSIGNAL);
  return true;
}

std::string DnsServer::Answer(std::string_view message) {
  std::optional<DnsAnswer> answer;
  const std::optional<DnsQuery> query = ParseDnsQuery(message, answer);
  if (!query) return "";
  if (!answer) answer = AnswerTo(*query);
  return answer ? WriteDnsReply(*query, *answer) : "";
}

// Reports it and returns the answer; nothing if it cannot be reported now. Programs ask again.
std::optional<DnsAnswer> DnsServer::Refuse(const DnsQuery& query, DnsAnswer::Kind kind,
                                           const std::string& reason) {
  if (service_.broker().is_busy()) return {};
  service_.broker().Refused({kDnsProtocol, query.name, 0}, reason);
  return DnsAnswer{.kind = kind};
}

std::optional<DnsAnswer> DnsServer::AnswerTo(const DnsQuery& query) {
  using Kind = DnsAnswer::Kind;
  if (query.type == static_cast<uint16_t>(DnsType::kPtr)) {
    const std::optional<Ipv4> address = AddressOfReverseName(query.name);
    const std::string* name = address ? names_.NameOf(*address) : nullptr;
    if (name == nullptr) return DnsAnswer{.kind = Kind::kNoName};
    return DnsAnswer{.kind = Kind::kName, .name = *name};
  }
  if (query.name.empty()) return DnsAnswer{.kind = Kind::kNoData};
  if (IsBelow(query.name, "invalid")) return DnsAnswer{.kind = Kind::kNoName};
  if (const std::string_view type = UnservedType(query.type); !type.empty()) {
    return Refuse(query, Kind::kNoData,
                  "the sandbox's resolver has no " + std::string(type) + " records");
  }
  if (query.type != static_cast<uint16_t>(DnsType::kA)) return DnsAnswer{.kind = Kind::kNoData};
  if (IsBelow(query.name, "localhost"))
    return DnsAnswer{.kind = Kind::kAddress, .address = kLoopback};
  const std::optional<Ipv4> address = names_.AddressOf(query.name);
  if (!address) {
    return Refuse(query, Kind::kRefused, "this session has looked up too many names");
  }
  return DnsAnswer{.kind = Kind::kAddress, .address = *address};
}

}  // namespace ringfence
