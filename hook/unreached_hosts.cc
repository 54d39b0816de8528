#include "hook/unreached_hosts.h"

#include "base/read_number.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr std::string_view kAsk = "{\"unreached\":";
constexpr std::string_view kAskNew = "{\"new_unreached\":";
constexpr char kRefusedWord[] = "refused";
constexpr char kFailedWord[] = "failed";
constexpr char kNoTarget[] = "-";

}  // namespace

std::string UnreachedRequest(const UnreachedQuestion& question) {
  return std::string(question.only_new ? kAskNew : kAsk) + std::to_string(question.milliseconds) +
         "}";
}

std::optional<UnreachedQuestion> ReadUnreachedRequest(std::string_view packet) {
  UnreachedQuestion question{.only_new = packet.starts_with(kAskNew)};
  const std::string_view begin = question.only_new ? kAskNew : kAsk;
  if (!packet.starts_with(begin) || !packet.ends_with('}')) return {};
  packet.remove_prefix(begin.size());
  packet.remove_suffix(1);
  uint32_t milliseconds = 0;
  if (!ReadNumber(packet, milliseconds)) return {};
  question.milliseconds = milliseconds;
  return question;
}

std::string UnreachedText(const std::vector<UnreachedHost>& hosts) {
  std::string text;
  for (const UnreachedHost& host : hosts) {
    text += std::string(host.is_refused ? kRefusedWord : kFailedWord) + " " +
            (host.target.empty() ? kNoTarget : host.target) + " " + host.sentence + "\n";
  }
  return text;
}

std::vector<UnreachedHost> ReadUnreached(std::string_view text) {
  std::vector<UnreachedHost> hosts;
  while (!text.empty() && hosts.size() < kMaxUnreached) {
    std::string_view line = TakeUntil(text, '\n');
    const std::string_view word = TakeUntil(line, ' ');
    const std::string_view target = TakeUntil(line, ' ');
    if ((word != kRefusedWord && word != kFailedWord) || target.empty() || line.empty()) return {};
    hosts.push_back(
        {word == kRefusedWord, std::string(target == kNoTarget ? "" : target), std::string(line)});
  }
  return hosts;
}

}  // namespace ringfence
