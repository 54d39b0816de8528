#include "proxy/broker/broker.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message_socket.h"
#include "base/read_number.h"
#include "base/socket_pair.h"
#include "base/syscall.h"
#include "base/text.h"
#include "policy/decision.h"
#include "policy/evaluate/evaluate_connection.h"
#include "policy/rules/domain.h"
#include "proxy/broker/connection_log.h"
#include "proxy/broker/connector.h"
#include "proxy/broker/failure_notices.h"
#include "proxy/broker/live_policy.h"
#include "proxy/broker/opened.h"
#include "proxy/broker/refusal_text.h"
#include "proxy/broker/use_counts.h"
#include "proxy/event_loop.h"
#include "proxy/ipc.h"
#include "proxy/link/messages.h"
#include "proxy/message_channel.h"

namespace ringfence {
namespace {

using boost::system::error_code;

constexpr std::chrono::milliseconds kCountsInterval{200};
constexpr size_t kMaxOpen = 2048;  // connections that the worker has or asks for
// Connections on their way, also those that the worker has given up: each needs some descriptors
// and threads for up to 20 seconds.
constexpr size_t kMaxConnecting = 1024;

class Broker {
 public:
  Broker(boost::asio::io_context& io, UniqueFd channel, LivePolicy policy,
         const SessionRequest& request)
      : io_(io),
        parent_(io_, std::move(channel)),
        policy_(std::move(policy)),
        connector_(io_, policy_),
        failures_(io_, parent_, request.is_agent),
        log_(io_),
        counts_timer_(io_),
        is_agent_(request.is_agent),
        is_trial_(request.is_trial) {}

  int Run(UniqueFd worker) {
    worker_ = std::make_unique<MessageChannel>(io_, std::move(worker));
    worker_->Start([this](const SocketMessage& message) { HearWorker(message); },
                   [this] { io_.stop(); });
    parent_.Start([this](SocketMessage message) { HearParent(std::move(message)); },
                  [this] { io_.stop(); });
    io_.run();
    worker_.reset();  // it ends now, not with the last lookup
    LogUnfinished();
    log_.Finish();
    if (connector_.is_looking_up()) ::_exit(0);  // a lookup that stalls cannot be interrupted
    return 0;
  }

 private:
  void HearParent(SocketMessage message) {
    if (message.type != static_cast<char>(BrokerMessage::kNetwork)) return;
    const std::vector<std::string_view> names(message.fields.begin(), message.fields.end());
    worker_->Send(static_cast<char>(WorkerMessage::kListen), names, std::move(message.fds));
  }

  void HearWorker(const SocketMessage& message) {
    switch (static_cast<WorkerMessage>(message.type)) {
      case WorkerMessage::kOpen:
      case WorkerMessage::kAssess:
        return Open(message);
      case WorkerMessage::kReuse:
        return NoteReuse(message);
      case WorkerMessage::kDone:
        return Done(message.fields);
      case WorkerMessage::kRefused:
        return LogRefused(message.fields);
      case WorkerMessage::kReady:
      case WorkerMessage::kListen:
      case WorkerMessage::kGranted:
      case WorkerMessage::kDenied:
      case WorkerMessage::kNoted:
        return;
    }
  }

  // Returns nothing for what no worker of ours sends.
  std::optional<Opened> ReadOpened(const SocketMessage& message, uint64_t& id) const {
    std::optional<Opened> opened = ReadQuestion(message.fields, id);
    if (!opened || open_.contains(id)) return {};
    opened->only_assess = message.type != static_cast<char>(WorkerMessage::kOpen);
    return opened;
  }

  void Open(const SocketMessage& message) {
    uint64_t id = 0;
    std::optional<Opened> opened = ReadOpened(message, id);
    if (!opened) return io_.stop();
    if (open_.size() >= kMaxOpen || connecting_ >= kMaxConnecting || log_.IsFull()) {
      return Deny(id, *opened, DenialKind::kBusy, "the proxy has too many connections");
    }
    const Result<const Policy*> policy = policy_.Current();
    if (!policy) return DenyWithoutPolicy(id, *opened, policy.error());
    SetLog(**policy);
    Decide(id, std::move(*opened), **policy);
  }

  // The request has been sent already, so this is for the log alone.
  void NoteReuse(const SocketMessage& message) {
    uint64_t id = 0;
    std::optional<Opened> opened = ReadOpened(message, id);
    if (!opened || open_.size() >= kMaxOpen) return io_.stop();
    if (policy_.has_last()) {
      const HostDecision decision = EvaluateConnection(opened->host, opened->port, policy_.last());
      if (decision.rule != nullptr) opened->rule = RuleAt(decision.rule->place);
    }
    connections_.Complete(*opened);
    counts_.Granted(opened->target());
    open_.emplace(id, std::move(*opened));
    NoteCounts();
  }

  void Decide(uint64_t id, Opened opened, const Policy& policy) {
    const HostDecision decision = EvaluateConnection(opened.host, opened.port, policy);
    if (decision.verdict != Verdict::kPermit) return DenyByRule(id, opened, decision, policy);
    if (policy.audit.required && !log_.failure().empty()) {
      return Deny(id, opened, DenialKind::kPolicy,
                  "the audit log, which the policy requires, cannot be written: " + log_.failure());
    }
    if (decision.rule != nullptr) opened.rule = RuleAt(decision.rule->place);
    connections_.Complete(opened);
    const auto added = open_.emplace(id, std::move(opened)).first;
    if (added->second.only_assess) return Grant(id, {});
    added->second.wait = failures_.Await(added->second.target());
    added->second.permitted_at = Nanoseconds(CLOCK_MONOTONIC);
    const Opened& wanted = added->second;
    ++connecting_;
    connector_.Connect(wanted.host, wanted.port, policy, [this, id](Connection connection) {
      --connecting_;
      Take(id, std::move(connection));
    });
  }

  void Take(uint64_t id, Connection connection) {
    const auto at = open_.find(id);
    if (at == open_.end()) return;  // the worker has given up
    CheckAgain(at->second, connection);
    const bool is_refused = connection.denied || connection.kind == DenialKind::kPolicy;
    if (is_refused) {
      const Opened refused = std::move(at->second);
      open_.erase(at);
      if (connection.denied) return DenyByRule(id, refused, *connection.denied, policy_.last());
      return Deny(id, refused, DenialKind::kPolicy, connection.error);
    }
    at->second.address = std::move(connection.address);
    at->second.upstream = std::move(connection.upstream);
    if (!connection.socket.valid()) return Fail(id, connection.kind, connection.error);
    connections_.Add(id, at->second);
    std::vector<UniqueFd> socket;
    socket.push_back(std::move(connection.socket));
    Grant(id, std::move(socket));
  }

  // Once `ringfence revoke` has ended, no connection comes about by the old policy.
  void CheckAgain(const Opened& opened, Connection& connection) {
    const int64_t age = Nanoseconds(CLOCK_MONOTONIC) - opened.permitted_at;
    if (!connection.socket.valid() || age <= std::chrono::nanoseconds(kReliedOn).count()) return;
    const Result<const Policy*> policy = policy_.Current();
    if (!policy) {
      connection = WithoutPolicy(policy.error());
      return;
    }
    HostDecision decision = EvaluateConnection(opened.host, opened.port, **policy);
    if (decision.verdict == Verdict::kPermit) return;
    connection = {};
    connection.denied = std::move(decision);
  }

  void Grant(uint64_t id, std::vector<UniqueFd> socket) {
    const auto at = open_.find(id);
    if (at == open_.end()) return;
    at->second.wait.reset();
    if (!at->second.only_assess) failures_.Reached(at->second.target());
    counts_.Granted(at->second.target());
    worker_->Send(static_cast<char>(WorkerMessage::kGranted),
                  {std::to_string(id), at->second.address}, std::move(socket));
    NoteCounts();
  }

  // A connection that was permitted does not come about.
  void Fail(uint64_t id, DenialKind kind, const std::string& why) {
    const auto at = open_.find(id);
    if (at == open_.end()) return;
    const Opened opened = std::move(at->second);
    open_.erase(at);
    AuditEntry entry = opened.Entry();
    entry.verdict = LoggedVerdict::kPermit;
    entry.why = why;
    Log(std::move(entry));
    const std::string sentence = "connection to " + Quote(opened.target()) + " failed: " + why;
    failures_.Failed(opened.target(), sentence);
    Answer(id, kind, sentence);
  }

  void DenyByRule(uint64_t id, const Opened& opened, const NameDecision& decision,
                  const Policy& policy) {
    AuditEntry entry = opened.Entry();
    entry.verdict = LoggedVerdict::kDeny;
    entry.why = decision.cause->why;
    if (decision.cause->place) entry.rule = RuleAt(*decision.cause->place);
    Refuse(id, opened, std::move(entry),
           is_agent_ ? AgentsRefusalTextOf(decision, opened.port, policy, policy_.session())
                     : RefusalTextOf(decision));
  }

  void DenyWithoutPolicy(uint64_t id, const Opened& opened, const Error& error) {
    Deny(id, opened, DenialKind::kPolicy, WithoutPolicy(error).error);
  }

  void Deny(uint64_t id, const Opened& opened, DenialKind kind, const std::string& why) {
    AuditEntry entry = opened.Entry();
    entry.verdict = LoggedVerdict::kDeny;
    entry.why = why;
    const std::string sentence = "connection to " + Quote(opened.target()) + " refused: " + why;
    if (kind == DenialKind::kBusy) return Answer(id, kind, sentence);
    Refuse(id, opened, std::move(entry), {sentence, sentence});
  }

  void Refuse(uint64_t id, const Opened& opened, AuditEntry entry, const RefusalText& text) {
    counts_.Refused(opened.target());
    NoteCounts();
    // Whoever hears of a refusal can allow it, so the log has it by then.
    Log(std::move(entry), [this, id, text, target = opened.target()] {
      failures_.Refused(target);
      TellUser(target, text);
      Answer(id, DenialKind::kPolicy, text.program);
    });
  }

  // Before Answer(): a command that ends because of it must not end before its launcher knows why.
  // A launcher reports each host once, so some messages of a flood may be dropped.
  void TellUser(const std::string& target, const RefusalText& text) {
    if (parent_.is_busy()) return;
    parent_.Send(static_cast<char>(BrokerMessage::kRefused), {target, text.launcher, text.program});
  }

  void Answer(uint64_t id, DenialKind kind, const std::string& sentence) {
    const char code = static_cast<char>(kind);
    worker_->Send(static_cast<char>(WorkerMessage::kDenied),
                  {std::to_string(id), {&code, 1}, sentence});
  }

  // id, method, path, status, up, down, milliseconds, note
  void Done(const std::vector<std::string>& fields) {
    uint64_t id = 0;
    if (fields.size() != 8 || !ReadNumber(fields[0], id)) return io_.stop();
    const auto at = open_.find(id);
    if (at == open_.end()) return;
    AuditEntry entry = at->second.Entry();
    entry.verdict = LoggedVerdict::kPermit;
    entry.method = Printable(fields[1]);
    entry.path = Printable(fields[2]);
    const auto number = [&](size_t i) {
      uint64_t value = 0;
      return ReadNumber(fields[i], value) ? value : 0;
    };
    entry.status = number(3);
    entry.up = number(4);
    entry.down = number(5);
    entry.milliseconds = number(6);
    entry.why = Printable(fields[7]);
    counts_.Ended(entry.host, entry.up, entry.down);
    open_.erase(at);
    Log(std::move(entry));
    NoteCounts();
  }

  // id, protocol, host, port, reason
  void LogRefused(const std::vector<std::string>& fields) {
    if (fields.size() != 5) return io_.stop();
    Opened opened{.protocol = Printable(fields[1]), .host = Printable(fields[2])};
    if (!ReadNumber(fields[3], opened.port)) return io_.stop();
    if (const Result<const Policy*> policy = policy_.Current()) SetLog(**policy);
    AuditEntry entry = opened.Entry();
    entry.verdict = LoggedVerdict::kDeny;
    entry.why = Printable(fields[4]);
    const std::string to = opened.target();
    const std::string sentence =
        (to.empty() ? "a connection was" : "connection to " + Quote(to)) + " refused: " + entry.why;
    counts_.Refused(to);
    NoteCounts();
    Log(std::move(entry), [this, sentence, to, id = fields[0]] {
      TellUser(to, {sentence, sentence});
      if (id != "0") worker_->Send(static_cast<char>(WorkerMessage::kNoted), {id});
    });
  }

  void Log(AuditEntry entry, ConnectionLog::Handler written = {}) {
    entry.session = policy_.session();
    entry.agent_type = policy_.agent_type();
    entry.profile = profile_;
    log_.Add(std::move(entry), std::move(written));
  }

  void SetLog(const Policy& policy) {
    profile_ = policy.profile;
    if (!is_trial_) log_.SetFile(policy_.places().audit_file, policy.audit);
  }

  // Connections that end with the session, whatever ended it.
  void LogUnfinished() {
    for (const auto& [id, opened] : open_) {
      AuditEntry entry = opened.Entry();
      entry.verdict = LoggedVerdict::kPermit;
      entry.why = "it ended with the session";
      Log(std::move(entry));
    }
  }

  // Tells the parent, for `ringfence proxy status`; not for every single connection.
  void NoteCounts() {
    if (std::exchange(counts_wait_, true)) return;
    counts_timer_.expires_after(kCountsInterval);
    counts_timer_.async_wait([this](const error_code& error) {
      if (error) return;
      counts_wait_ = false;
      if (parent_.is_busy()) return NoteCounts();
      const std::vector<std::string> fields = counts_.Fields(open_.size());
      parent_.Send(static_cast<char>(BrokerMessage::kCounts), {fields.begin(), fields.end()});
    });
  }

  boost::asio::io_context& io_;
  MessageChannel parent_;
  std::unique_ptr<MessageChannel> worker_;
  LivePolicy policy_;
  Connector connector_;
  FailureNotices failures_;
  ConnectionLog log_;
  std::string profile_;
  std::map<uint64_t, Opened> open_;
  KnownConnections connections_;
  UseCounts counts_;
  boost::asio::steady_timer counts_timer_;
  bool counts_wait_ = false;
  size_t connecting_ = 0;  // calls of Connector::Connect() without a result
  bool is_agent_;
  bool is_trial_;
};

}  // namespace

int ServeSession(UniqueFd channel, ServeFunction serve) {
  ::prctl(PR_SET_NAME, "ringfence-proxy");  // not "exe", by which the parent starts it
  std::signal(SIGCHLD, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  Result<SocketMessage> first = ReceiveSocketMessage(channel.get());
  if (!first || first->type != static_cast<char>(BrokerMessage::kSession)) return 1;
  const Result<SessionRequest> request = SessionRequest::Of(std::move(first->fields));
  if (!request) return 1;
  Result<LivePolicy> policy = LivePolicy::For(*request);
  Result<SocketPair> pair = MakeSocketPair(SOCK_SEQPACKET);
  if (!policy || !pair) return 1;
  // Before there are threads, and before the policy is read: the worker must not know it.
  const pid_t worker = ::fork();
  if (worker < 0) return 1;
  if (worker == 0) {
    channel = UniqueFd();
    pair->own = UniqueFd();
    ::_exit(serve(std::move(pair->other), request->credential));
  }
  pair->other = UniqueFd();
  const std::unique_ptr<boost::asio::io_context> io = MakeEventLoop(channel.get());
  if (io == nullptr) return 0;
  return Broker(*io, std::move(channel), std::move(*policy), *request).Run(std::move(pair->own));
}

}  // namespace ringfence
