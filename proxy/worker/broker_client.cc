#include "proxy/worker/broker_client.h"

#include <time.h>

#include <utility>

#include "base/read_number.h"
#include "base/syscall.h"

namespace ringfence {

void BrokerClient::Start(MessageChannel::Handler listen, MessageChannel::EndHandler ended) {
  listen_ = std::move(listen);
  channel_.Start([this](SocketMessage message) { Hear(std::move(message)); }, std::move(ended));
  channel_.Send(static_cast<char>(WorkerMessage::kReady), {});
}

uint64_t BrokerClient::Open(const Target& target, Handler handler) {
  return Ask(WorkerMessage::kOpen, target, std::move(handler));
}

uint64_t BrokerClient::Assess(const Target& target, Handler handler) {
  return Ask(WorkerMessage::kAssess, target, std::move(handler));
}

uint64_t BrokerClient::Ask(WorkerMessage message, const Target& target, Handler handler) {
  const uint64_t id = ++last_;
  questions_[id] = {std::move(handler), message == WorkerMessage::kOpen};
  begun_[id] = Nanoseconds(CLOCK_MONOTONIC);
  channel_.Send(static_cast<char>(message),
                {std::to_string(id), target.protocol, target.host, std::to_string(target.port)});
  return id;
}

void BrokerClient::Done(uint64_t id, const Usage& usage) {
  const auto begun = begun_.find(id);
  if (begun == begun_.end()) return;
  const int64_t milliseconds = (Nanoseconds(CLOCK_MONOTONIC) - begun->second) / 1'000'000;
  begun_.erase(begun);
  questions_.erase(id);  // the broker does not answer any more
  channel_.Send(static_cast<char>(WorkerMessage::kDone),
                {std::to_string(id), usage.method, usage.path, std::to_string(usage.status),
                 std::to_string(usage.up), std::to_string(usage.down), std::to_string(milliseconds),
                 usage.note});
}

void BrokerClient::Refused(const Target& target, std::string_view reason) {
  channel_.Send(static_cast<char>(WorkerMessage::kRefused),
                {target.protocol, target.host, std::to_string(target.port), reason});
}

void BrokerClient::Hear(SocketMessage message) {
  if (message.type == static_cast<char>(WorkerMessage::kListen)) return listen_(std::move(message));
  uint64_t id = 0;
  if (message.fields.empty() || !ReadNumber(message.fields[0], id)) return;
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
    if (!message.fds.empty()) answer.socket = std::move(message.fds.front());
  } else {
    begun_.erase(id);
    if (message.fields.size() == 3 && !message.fields[1].empty()) {
      answer.denial = static_cast<DenialKind>(message.fields[1][0]);
      answer.sentence = std::move(message.fields[2]);
    }
  }
  asked.handler(std::move(answer));
}

}  // namespace ringfence
