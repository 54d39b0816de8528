// One session as the parent knows it: its network, its broker, and the sandboxes in it.
#pragma once

#include <poll.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/message_socket.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "proxy/link/control.h"
#include "proxy/link/messages.h"

namespace ringfence {

class Session {
 public:
  // `id` is unique. `holder` is the connection of the network's holder, which sends the network
  // later.
  Session(uint64_t id, SessionRequest request, UniqueFd holder)
      : id_(id), request_(std::move(request)), holder_(std::move(holder)) {}

  uint64_t id() const { return id_; }
  // True if another sandbox may enter: one of the same session, or if all others have ended.
  bool Admits(const SessionRequest& other) const;

  // Adds what the session waits for: its holder, then its broker or, as long as nothing in the
  // sandbox has used the network, the sockets at which it would. The holder has to wait while the
  // broker takes nothing, so a program that asks for many ports slows down only its own session.
  void AddPolled(std::vector<pollfd>& polled) const;
  // Takes these entries, with their events, off the front. Returns false once the session has
  // ended: then it must be destroyed. To be called now and then without an event, too.
  bool Serve(std::span<const pollfd>& polled);

  // A launcher, for as long as its sandbox lives. `member` is the socket of the sandbox's
  // supervisor for the holder; invalid for the sandbox that created the network.
  void Add(int launcher, UniqueFd member);
  void Remove(int launcher);

  // Tells the launchers of all its sandboxes that it has ended.
  void TellEnd() const;

  bool IsUsed(int64_t now) const;  // nanoseconds, CLOCK_MONOTONIC
  std::vector<std::string> StatusFields() const;

 private:
  struct JoiningSandbox {
    int launcher;
    UniqueFd member;
  };

  void Admit(const JoiningSandbox& sandbox) const;
  void TellAll(LauncherMessage type, const std::vector<std::string>& fields) const;
  bool HearHolder();
  bool HearBroker();
  bool IsBlocked() const { return broker_.valid() && !sockets_.fds.empty(); }
  Status StartBroker();
  Status PassSockets();

  uint64_t id_;
  SessionRequest request_;
  UniqueFd holder_;
  UniqueFd broker_;             // invalid until the network is used: most commands never do
  UniqueFd user_, net_;         // namespaces; invalid until the holder has sent them
  SocketMessage sockets_;       // of the gateway, which the broker does not have yet
  std::vector<int> launchers_;  // connections; the parent owns them
  std::vector<JoiningSandbox> waiting_;  // came before the namespaces
  std::vector<std::string> counts_;
  bool lacks_references_ = false;  // as in MessageChannel
  bool is_free_ = false;           // no process of any sandbox is left in the network
  int64_t left_at_ = 0;            // when the last sandbox left; nanoseconds, CLOCK_MONOTONIC
};

}  // namespace ringfence
