#include "proxy/worker/http_way.h"

#include <algorithm>
#include <utility>

namespace ringfence {

bool HttpWay::ShouldParse() {
  const size_t from = std::min(std::exchange(searched, in.size()), in.size());
  return from == 0 || in.size() >= kMaxHeadSize || in.find('\n', from) != std::string::npos;
}

void HttpWay::AddPayload(std::string_view payload) {
  if (payload.empty()) return;
  if (chunked) out += ChunkLine(payload.size());
  out += payload;
  if (chunked) out += "\r\n";
}

bool HttpWay::TakeBody(WireError& error) {
  if (is_done || !body) return true;
  std::string_view rest = in;
  for (;;) {
    size_t used = 0;
    std::string_view payload;
    const Progress progress = body->Read(rest, used, payload, error);
    if (progress == Progress::kBad) return false;
    AddPayload(payload);
    rest.remove_prefix(used);
    is_done = progress == Progress::kDone;
    if (is_done || used == 0 || rest.empty()) break;
  }
  if (is_done && chunked) out += kLastChunk;
  in.erase(0, in.size() - rest.size());
  return true;
}

void HttpWay::Release() {
  if (in.empty()) std::string().swap(in);
  if (out.empty()) std::string().swap(out);
}

}  // namespace ringfence
