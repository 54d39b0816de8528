// The channels between a sandbox and the launcher. The supervisor's messages use a pair of
// SOCK_SEQPACKET sockets: one packet per message; the first byte is its type.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/backend.h"

namespace ringfence {

enum class Message : char {
  // from inside
  kFailed = 'f',    // a SetupFailure: SendFailure()
  kStarted = 's',   // the command is about to be executed
  kNotRun = 'n',    // the program could not be executed: name, errno
  kRefused = 'r',   // path, why, errno
  kEnded = 'e',     // the command's wait status, and the numbers of Unreached if it failed
  kStopped = 'p',   // the command: the signal that stopped it
  kTerminal = 't',  // with a descriptor: the master of a new terminal
  kBuffer = 'b',    // with a descriptor: the directory in memory that gets the stage's changes
  kFrozen = 'z',    // every process is stopped
  kPaused = 'u',    // every process is stopped by kPause
  // from outside
  kSignal = 'g',  // signal number for the command; SIGCONT also continues frozen processes
  kFreeze = 'y',  // stop every process
  kPause = 'h',   // the same until kGoOn, whatever signals the command gets
  kGoOn = 'o',
};

struct Packet {
  Message message = Message::kFailed;
  std::vector<std::string> fields;
  UniqueFd fd;  // at most one
};

// Truncates a packet that exceeds the maximum size; `fd` is -1 for none.
Status SendPacket(const UniqueFd& socket, Message message,
                  const std::vector<std::string_view>& fields, int fd = -1);

Status SendFailure(const UniqueFd& socket, const SetupFailure& failure);
SetupFailure FailureIn(const Packet& packet);  // of a kFailed packet

// Fails with EPIPE if the other side is closed.
Result<Packet> ReceivePacket(const UniqueFd& socket);

// AuditReceiver: the launcher's end of the socket to which hooks inside the sandbox send their
// audit lines (base/inside.h). The senders are untrusted; the observer evaluates each line.
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
