// Relay: passes bytes between a program and a host, both ways, until both have ended. An idle relay
// holds no buffer.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "proxy/wire/parsed.h"
#include "proxy/worker/watched.h"

namespace ringfence {

using TcpSocket = boost::asio::ip::tcp::socket;

class Relay final : public Watched, public std::enable_shared_from_this<Relay> {
 public:
  struct Totals {
    uint64_t up = 0, down = 0;  // bytes
    bool is_reset = false;      // one side ended without a proper close
    std::string refusal;        // why ringfence ended it; mostly ""
  };
  using EndHandler = std::function<void(const Totals&)>;

  // Checks the first bytes of the client before any of them passes; it is asked again, with more of
  // them, until it returns something other than kNeedsMore. `has_ended`: no more will come. After
  // kBad, with a reason or "", both connections are reset.
  using FirstCheck =
      std::function<Progress(std::string_view first, bool has_ended, std::string& reason)>;

  struct Ends {
    TcpSocket client, host;  // nonblocking
    // What has been read from the other side already.
    std::string to_host = {}, to_client = {};
    FirstCheck check = nullptr;  // if set, `to_host` needs more
  };
  // The relay keeps itself alive; `ended` is called once.
  static std::shared_ptr<Relay> Start(Ends ends, EndHandler ended);

  void Abort() override;  // it is idle: resets both connections

  // A program that has closed its connection looks like one that waits for the answer to a closed
  // half, until its kernel has forgotten the connection (tcp_fin_timeout in tcp(7)) and answers a
  // probe with a reset. The time between two probes; a test sets another one.
  static inline int probe_seconds = 30;

 private:
  struct Side {
    TcpSocket socket;
    std::string pending;     // to be written to it
    uint64_t sent = 0;       // bytes written to it
    bool has_ended = false;  // it sends no more
  };

  Relay(TcpSocket client, TcpSocket host, EndHandler ended);
  // Reads from one side what is there and writes it to the other.
  void Pump(Side& from, Side& to);
  // Returns false unless more can be read later.
  bool PassSome(Side& from, Side& to);
  // Passes what ReadBuffer() holds: `size` bytes, or the end.
  bool Pass(Side& from, Side& to, size_t size);
  bool PassFirst(std::string_view bytes, bool has_ended);
  void AwaitData(Side& from, Side& to);
  void AwaitRoom(Side& from, Side& to);
  // Returns false if the side takes no more now, or has failed.
  bool Flush(Side& to);
  bool Write(Side& to, const char* data, size_t size);
  void EndOf(Side& from, Side& to);
  void ProbeClient();
  void Finish(bool is_reset);

  Side client_, host_;
  FirstCheck check_;  // until it has decided
  std::string first_;
  std::string refusal_;
  EndHandler ended_;
  bool is_finished_ = false;
};

// A buffer for one read, shared by all connections of the only thread: its content lasts until the
// next handler runs.
std::span<char> ReadBuffer();

// True if the other side sends no more, whether or not all of it has been read.
bool HasHungUp(TcpSocket& socket);
// True if it takes nothing any more, either: it was reset.
bool IsReset(TcpSocket& socket);

// Closes so that the other side sees a reset.
void ResetConnection(TcpSocket& socket);

}  // namespace ringfence
