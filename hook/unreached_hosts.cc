#include "hook/unreached_hosts.h"

#include "base/read_number.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr std::string_view kAsk = "{\"unreached\":";
constexpr char kRefusedWord[] = "refused";
constexpr char kFailedWord[] = "failed";
constexpr char kNoTarget[] = "-";

}  // namespace

std::string UnreachedRequest(int64_t milliseconds) {
  return std::string(kAsk) + std::to_string(milliseconds) + "}";
}

std::optional<int64_t> ReadUnreachedRequest(std::string_view packet) {
  if (!packet.starts_with(kAsk) || !packet.ends_with('}')) return {};
  packet.remove_prefix(kAsk.size());
  packet.remove_suffix(1);
  uint32_t milliseconds = 0;
  if (!ReadNumber(packet, milliseconds)) return {};
  return milliseconds;
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
