// AuditReceiver: the launcher's end of the socket at which hooks inside the sandbox leave their
// lines for the audit log (base/inside.h). Whoever sends them is not believed; the observer
// evaluates.
#pragma once

#include <deque>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/backend.h"

namespace ringfence {

class AuditReceiver {
 public:
  // Makes the socket; whoever builds the view gives it its name.
  Status Open();
  const UniqueFd& socket() const { return socket_; }

  // From when it has a name on.
  Status Listen(RunObserver& observer);

  // Becomes readable when there is something to serve; -1 where nobody listens.
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
