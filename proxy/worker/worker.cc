#include "proxy/worker/worker.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/syscall.h"
#include "proxy/event_loop.h"
#include "proxy/link/messages.h"
#include "proxy/name_map.h"
#include "proxy/worker/dns_server.h"
#include "proxy/worker/ingress.h"
#include "proxy/worker/lockdown.h"
#include "proxy/worker/service.h"

namespace ringfence {
namespace {

#ifdef RINGFENCE_SANITIZED
constexpr Sanitized kHasSanitizers = Sanitized::kYes;
#else
constexpr Sanitized kHasSanitizers = Sanitized::kNo;
#endif

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds kSweep{30};
constexpr std::chrono::milliseconds kRetryAccept{
    100};                                   // nothing left in the kernel, or a busy broker
constexpr int kConnectionsAtOnce = 16;      // connections, before others get their turn
constexpr size_t kMaxWantedListeners = 64;  // as in sandbox/linux/network_holder.cc
constexpr rlim_t kDescriptors = 4096;

class Worker {
 public:
  Worker(boost::asio::io_context& io, UniqueFd broker, std::string_view credential)
      : io_(io),
        service_(io_, std::move(broker), credential),
        dns_(service_, names_),
        sweep_(io_) {}

  int Run() {
    if (!ConfineWorker(kHasSanitizers)) return 1;
    service_.broker().Start([this](SocketMessage message) { Listen(std::move(message)); },
                            [this] { io_.stop(); });
    Sweep();
    io_.run();
    return 0;
  }

 private:
  struct Listener {
    std::string name;
    UniqueFd unwatched;  // the socket, until the loop watches it
    tcp::acceptor acceptor;
    boost::asio::steady_timer retry;
    bool is_wanted;  // came later, for one port
  };

  void Listen(SocketMessage message) {
    const size_t count = std::min(message.fields.size(), message.fds.size());
    for (size_t i = 0; i < count; ++i) {
      UniqueFd& socket = message.fds[i];
      if (message.fields[i] == kDnsDatagrams) {
        dns_.ServeDatagrams(std::move(socket));
        continue;
      }
      AddListener(message.fields[i], std::move(socket));
    }
    has_network_ = true;
  }

  void AddListener(const std::string& name, UniqueFd socket) {
    const auto is_wanted = [](const auto& listener) { return listener->is_wanted; };
    const auto wanted = static_cast<size_t>(std::ranges::count_if(listeners_, is_wanted));
    if (has_network_ && wanted == kMaxWantedListeners) {
      const auto oldest = std::ranges::find_if(listeners_, is_wanted);
      error_code ignored;
      (*oldest)->unwatched = UniqueFd();
      (*oldest)->acceptor.close(ignored);
      (*oldest)->retry.cancel();
      listeners_.erase(oldest);
    }
    listeners_.push_back(
        std::make_shared<Listener>(Listener{name, std::move(socket), tcp::acceptor(io_),
                                            boost::asio::steady_timer(io_), has_network_}));
    Await(listeners_.back());
  }

  // The handlers keep the listener: one may be due already when the listener is replaced.
  void Await(const std::shared_ptr<Listener>& listener) {
    if (listener->unwatched.valid()) {
      error_code failure;
      listener->acceptor.assign(tcp::v6(), listener->unwatched.get(), failure);
      if (failure) return RetryLater(listener);
      listener->unwatched.release();
    }
    listener->acceptor.async_wait(tcp::acceptor::wait_read,
                                  [this, listener](const error_code& error) {
                                    if (!error) AcceptSome(listener);
                                  });
  }

  void AcceptSome(const std::shared_ptr<Listener>& listener) {
    if (service_.broker().is_busy()) return RetryLater(listener);
    for (int i = 0; i < kConnectionsAtOnce; ++i) {
      UniqueFd client(::accept4(listener->acceptor.native_handle(), nullptr, nullptr,
                                SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (client.valid()) {
        if (Serve(listener->name, std::move(client))) continue;
        return RetryLater(listener);
      }
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        return RetryLater(listener);
      }
      break;
    }
    Await(listener);
  }

  void RetryLater(const std::shared_ptr<Listener>& listener) {
    listener->retry.expires_after(kRetryAccept);
    listener->retry.async_wait([this, listener](const error_code& error) {
      if (!error) Await(listener);
    });
  }

  // Returns false if the client cannot be watched.
  bool Serve(const std::string& listener, UniqueFd fd) {
    TcpSocket client = service_.Adopt(std::move(fd));
    if (!client.is_open()) {
      service_.broker().Refused({kTcpProtocol, "", 0}, kUnwatchedSocket);
      return false;
    }
    error_code ignored;
    client.set_option(tcp::no_delay(true), ignored);
    if (listener == kExplicitListener) {
      AcceptExplicit(service_, std::move(client));
    } else if (listener == kDnsListener) {
      dns_.ServeStream(std::move(client));
    } else {
      AcceptTransparent(service_, names_, std::move(client));
    }
    return true;
  }

  void Sweep() {
    sweep_.expires_after(kSweep);
    sweep_.async_wait([this](const error_code& error) {
      if (error) return;
      service_.DropIdle(Nanoseconds(CLOCK_MONOTONIC));
      Sweep();
    });
  }

  boost::asio::io_context& io_;
  Service service_;
  NameMap names_;
  DnsServer dns_;
  boost::asio::steady_timer sweep_;
  std::vector<std::shared_ptr<Listener>> listeners_;
  bool has_network_ = false;
};

}  // namespace

int ServeConnections(UniqueFd broker, const std::string& credential) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < kDescriptors) {
    files.rlim_cur = std::min(files.rlim_max, kDescriptors);
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  const std::unique_ptr<boost::asio::io_context> io = MakeEventLoop(broker.get());
  return io == nullptr ? 0 : Worker(*io, std::move(broker), credential).Run();
}

}  // namespace ringfence
