// The worker's side of the channel to the broker (proxy/ipc.h).
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "proxy/ipc.h"
#include "proxy/link/messages.h"
#include "proxy/message_channel.h"

namespace ringfence {

// Where a connection is to lead, and how it came.
struct Target {
  std::string_view protocol;
  std::string host;  // canonical
  uint16_t port = 0;

  std::string text() const { return host + ":" + std::to_string(port); }
  bool IsSamePlace(const Target& other) const { return host == other.host && port == other.port; }
};

struct BrokerAnswer {
  bool is_granted = false;
  UniqueFd socket;  // connected; invalid after Assess()
  DenialKind denial = DenialKind::kPolicy;
  std::string sentence;  // why it was denied
};

// What a granted connection or request was used for.
struct Usage {
  std::string_view method, path;  // of a plain HTTP request
  int status = 0;
  uint64_t up = 0, down = 0;  // bytes
  std::string_view note;
};

class BrokerClient : NotCopied {
 public:
  using Handler = std::function<void(BrokerAnswer)>;

  BrokerClient(boost::asio::io_context& io, UniqueFd channel) : channel_(io, std::move(channel)) {}

  void Start(MessageChannel::Handler listen, MessageChannel::EndHandler ended);

  // True if the broker cannot keep up: the caller should start nothing that it may have to report.
  bool is_busy() const { return channel_.is_busy(); }

  // Asks for a connection, or whether an existing one, which the question `connection` opened, may
  // be used for another request. Returns a number for Done(). `handler` is called once, later.
  uint64_t Open(const Target& target, Handler handler);
  uint64_t Assess(const Target& target, uint64_t connection, Handler handler);
  // Begins another request on a connection that exists, without a question, if the broker has just
  // permitted its target (kReliedOn). Returns a number for Done(), which must follow; 0 if the
  // broker has to be asked.
  uint64_t Reuse(const Target& target, uint64_t connection);
  // For tests, in place of kReliedOn.
  void RelyOnPermissionsFor(std::chrono::nanoseconds time) { relied_on_ = time; }
  // Must follow each grant, once. Before the answer to the question `id`: it is not needed any
  // more.
  void Done(uint64_t id, const Usage& usage);
  // Reports what was refused for its form, without a question. `host` may be "". Calls `noted`, if
  // it is given, once the launchers have been told: a program that ends because of the refusal must
  // not end before that.
  void Refused(const Target& target, std::string_view reason, std::function<void()> noted = {});
  // Sends now what the broker need not know at once.
  void ReportNow() { channel_.SendKept(); }

 private:
  struct Question {
    Handler handler;
    bool wants_socket;
    std::string target;
  };
  // Returns the number of the question, which is to be sent.
  uint64_t Note(const Target& target, bool wants_socket, Handler handler);
  void Hear(SocketMessage message);

  MessageChannel channel_;
  std::chrono::nanoseconds relied_on_ = kReliedOn;
  MessageChannel::Handler listen_;
  uint64_t last_ = 0;
  std::map<uint64_t, Question> questions_;
  std::map<uint64_t, std::function<void()>> unnoted_;  // refusals
  struct Begun {
    int64_t time;  // nanoseconds, CLOCK_MONOTONIC
    bool is_reuse;
  };
  std::map<uint64_t, Begun> begun_;
  // When the broker was asked for a target that it has permitted, in the same unit.
  std::map<std::string, int64_t> permitted_;
};

}  // namespace ringfence
