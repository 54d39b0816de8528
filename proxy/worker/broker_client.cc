#include "proxy/worker/broker_client.h"

#include <time.h>

#include <utility>

#include "base/read_number.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr size_t kMaxPermitted = 64;  // targets; those that are forgotten are asked for again

}  // namespace

void BrokerClient::Start(MessageChannel::Handler listen, MessageChannel::EndHandler ended) {
  listen_ = std::move(listen);
  channel_.Start([this](SocketMessage message) { Hear(std::move(message)); }, std::move(ended));
  channel_.Send(static_cast<char>(WorkerMessage::kReady), {});
}

uint64_t BrokerClient::Open(const Target& target, Handler handler) {
  const uint64_t id = Note(target, true, std::move(handler));
  channel_.Send(static_cast<char>(WorkerMessage::kOpen),
                {std::to_string(id), target.protocol, target.host, std::to_string(target.port)});
  return id;
}

uint64_t BrokerClient::Assess(const Target& target, uint64_t connection, Handler handler) {
  const uint64_t id = Note(target, false, std::move(handler));
  channel_.Send(static_cast<char>(WorkerMessage::kAssess),
                {std::to_string(id), target.protocol, target.host, std::to_string(target.port),
                 std::to_string(connection)});
  return id;
}

uint64_t BrokerClient::Note(const Target& target, bool wants_socket, Handler handler) {
  const uint64_t id = ++last_;
  questions_[id] = {std::move(handler), wants_socket, target.text()};
  begun_[id] = {Nanoseconds(CLOCK_MONOTONIC), false};
  return id;
}

uint64_t BrokerClient::Reuse(const Target& target, uint64_t connection) {
  const auto permitted = permitted_.find(target.text());
  if (permitted == permitted_.end()) return 0;
  const int64_t now = Nanoseconds(CLOCK_MONOTONIC);
  if (now - permitted->second > relied_on_.count()) return 0;
  const uint64_t id = ++last_;
  begun_[id] = {now, true};
  channel_.SendLater(static_cast<char>(WorkerMessage::kReuse),
                     {std::to_string(id), target.protocol, target.host, std::to_string(target.port),
                      std::to_string(connection)});
  return id;
}

void BrokerClient::Done(uint64_t id, const Usage& usage) {
  const auto begun = begun_.find(id);
  if (begun == begun_.end()) return;
  const int64_t milliseconds = (Nanoseconds(CLOCK_MONOTONIC) - begun->second.time) / 1'000'000;
  const bool is_reuse = begun->second.is_reuse;
  begun_.erase(begun);
  questions_.erase(id);  // the broker does not answer any more
  const std::string texts[] = {std::to_string(id), std::to_string(usage.status),
                               std::to_string(usage.up), std::to_string(usage.down),
                               std::to_string(milliseconds)};
  const std::vector<std::string_view> fields{texts[0], usage.method, usage.path, texts[1],
                                             texts[2], texts[3],     texts[4],   usage.note};
  const char done = static_cast<char>(WorkerMessage::kDone);
  is_reuse ? channel_.SendLater(done, fields) : channel_.Send(done, fields);
}

void BrokerClient::Refused(const Target& target, std::string_view reason,
                           std::function<void()> noted) {
  const uint64_t id = noted ? ++last_ : 0;
  if (noted) unnoted_[id] = std::move(noted);
  channel_.Send(
      static_cast<char>(WorkerMessage::kRefused),
      {std::to_string(id), target.protocol, target.host, std::to_string(target.port), reason});
}

void BrokerClient::Hear(SocketMessage message) {
  if (message.type == static_cast<char>(WorkerMessage::kListen)) return listen_(std::move(message));
  uint64_t id = 0;
  if (message.fields.empty() || !ReadNumber(message.fields[0], id)) return;
  if (message.type == static_cast<char>(WorkerMessage::kNoted)) {
    if (const auto refusal = unnoted_.extract(id)) refusal.mapped()();
    return;
  }
  const auto question = questions_.find(id);
  if (question == questions_.end()) return;
  const Question asked = std::move(question->second);
  questions_.erase(question);
  BrokerAnswer answer;
  answer.is_granted = message.type == static_cast<char>(WorkerMessage::kGranted);
  if (answer.is_granted && asked.wants_socket && message.fds.empty()) {
    // The kernel drops a descriptor for which this process has no room (unix(7)).
    answer = {.denial = DenialKind::kBusy, .sentence = "the proxy has no descriptor left"};
    Done(id, {.note = answer.sentence});
  } else if (answer.is_granted) {
    if (permitted_.size() == kMaxPermitted) permitted_.clear();
    permitted_[asked.target] = begun_[id].time;
    if (!message.fds.empty()) answer.socket = std::move(message.fds.front());
  } else {
    permitted_.erase(asked.target);
    begun_.erase(id);
    if (message.fields.size() == 3 && !message.fields[1].empty()) {
      answer.denial = static_cast<DenialKind>(message.fields[1][0]);
      answer.sentence = std::move(message.fields[2]);
    }
  }
  asked.handler(std::move(answer));
}

}  // namespace ringfence
