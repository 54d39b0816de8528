// AuditReceiver: the launcher's end of the socket to which hooks inside the sandbox send their
// audit lines (base/inside.h). The senders are untrusted; the observer evaluates each line.
#pragma once

#include <deque>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/backend.h"

namespace ringfence {

class AuditReceiver {
 public:
  // Creates the socket; the process that builds the view gives it a name.
  Status Open();
  const UniqueFd& socket() const { return socket_; }

  // Starts listening, once the socket has a name.
  Status Listen(RunObserver& observer);

  // Becomes readable when there is something to serve; -1 if Listen() was not called.
  int fd() const { return events_.get(); }
  // Never waits for a sender.
  void Serve();

 private:
  void Accept();
  void Answer(const UniqueFd& sender) const;

  RunObserver* observer_ = nullptr;
  UniqueFd socket_;
  UniqueFd events_;  // epoll(7)
  std::deque<UniqueFd> senders_;
};

}  // namespace ringfence
