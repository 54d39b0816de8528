#include "cli/replay/sessions.h"

namespace ringfence {
namespace {

constexpr size_t kMaxSessions = 4096;
constexpr size_t kCallSlots = size_t{1} << 20;

uint64_t HashOn(uint64_t hash, std::string_view text) {  // FNV-1a, 64 bits
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (hash ^ 0xFFu) * 0x100000001b3u;
}

}  // namespace

const Sessions::Session& Sessions::Note(const TranscriptLine& line) {
  Session* session = &nameless_;
  if (line.session.text.empty()) {
    nameless_ = {};  // lines without a session share nothing
  } else {
    const auto [known, is_new] = sessions_.try_emplace(line.session.text);
    session = &known->second;
    if (is_new) order_.push_back(line.session.text);
    if (order_.size() > kMaxSessions) {
      sessions_.erase(order_.front());
      order_.pop_front();
    }
  }
  if (session->root.empty()) session->root = line.cwd.text;
  if (!line.permission_mode.text.empty()) session->permission_mode = line.permission_mode.text;
  return *session;
}

bool Sessions::IsNew(const TranscriptLine& line, const ToolCall& call) {
  if (call.id.empty()) return true;
  uint64_t hash = HashOn(0xcbf29ce484222325u, call.id);
  hash = HashOn(HashOn(hash, call.tool.raw), call.input);
  // The hook's event about a call does not repeat the transcript's line about it.
  hash = HashOn(hash, line.event.empty() ? "" : "event");
  calls_.resize(kCallSlots);
  uint64_t& slot = calls_[hash & (kCallSlots - 1)];
  if (slot == hash) return false;
  slot = hash;
  return true;
}

}  // namespace ringfence
