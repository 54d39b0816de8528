// The head of a request, its plan and its body. The answer does not depend on how the bytes are
// cut, and the host reads the same request as the proxy. The input begins with a byte of options.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/require.h"
#include "tests/support/request_plans.h"

using namespace ringfence;

namespace {

constexpr size_t kAddedHeaders = 2;  // Host and Connection
constexpr size_t kAddedBytes = 512;  // with the longest host

// Once a beginning is bad or complete, it stays so with the same error or size.
void CheckBeginnings(std::string_view bytes, Progress whole, const RequestHead& head,
                     const WireError& error) {
  Progress last = Progress::kNeedsMore;
  for (size_t size = 0; size < bytes.size(); ++size) {
    RequestHead part_head;
    WireError part_error;
    const Progress part = ParseRequestHead(bytes.substr(0, size), part_head, part_error);
    if (last != Progress::kNeedsMore) Require(part == last);
    last = part;
    if (part != Progress::kNeedsMore) Require(part == whole);
    if (part == Progress::kBad) Require(part_error.reason == error.reason);
    if (part == Progress::kDone) Require(part_head.size == head.size && size >= head.size);
  }
}

struct ReadBody {
  std::string payload;
  std::string error;
  size_t used = 0;
  bool is_done = false;

  bool operator==(const ReadBody&) const = default;
};

ReadBody ReadInPieces(BodyFraming framing, std::string_view bytes, size_t piece) {
  constexpr size_t kMostLeft = size_t{8} * 1024;
  BodyReader reader(framing);
  ReadBody read;
  size_t given = std::min(piece, bytes.size());
  while (true) {
    const std::string_view buffer = bytes.substr(read.used, given - read.used);
    size_t used = 0;
    std::string_view payload;
    WireError error;
    const Progress progress = reader.Read(buffer, used, payload, error);
    Require(used <= buffer.size() && payload.size() <= used);
    Require(payload.empty() || (payload.data() >= buffer.data() &&
                                payload.data() + payload.size() <= buffer.data() + used));
    Require(reader.is_done() == (progress == Progress::kDone));
    read.payload += payload;
    read.error = error.reason;
    if (progress == Progress::kBad) return read;
    read.used += used;
    read.is_done = progress == Progress::kDone;
    if (read.is_done) return read;
    if (used > 0) continue;
    Require(buffer.size() < kMostLeft);
    if (given == bytes.size()) return read;
    given = std::min(given + piece, bytes.size());
  }
}

void CheckBody(BodyFraming framing, std::string_view bytes) {
  const ReadBody whole = ReadInPieces(framing, bytes, bytes.size() + 1);
  static constexpr size_t kPieces[] = {1, 2, 5, 64};
  for (const size_t piece : kPieces) {
    const ReadBody read = ReadInPieces(framing, bytes, piece);
    Require(read.payload == whole.payload && read.error == whole.error);
    Require(read.is_done == whole.is_done && (!read.is_done || read.used == whole.used));
  }
  if (framing.kind != BodyFraming::Kind::kChunked || !whole.is_done) return;
  // The body as the proxy sends it on.
  std::string sent;
  if (!whole.payload.empty()) sent = ChunkLine(whole.payload.size()) + whole.payload + "\r\n";
  sent += kLastChunk;
  const ReadBody again = ReadInPieces(framing, sent, sent.size());
  Require(again.is_done && again.payload == whole.payload && again.used == sent.size());
}

void CheckPlan(const RequestHead& head, const RequestSource& source, std::string_view rest) {
  RequestPlan plan;
  WireError error;
  if (!PlanHttpRequest(head, source, plan, error)) {
    Require(!error.reason.empty() && error.status >= 400 && error.status < 600);
    return;
  }
  Require(!plan.host.empty() && plan.port > 0);
  Require(
      std::ranges::none_of(plan.host, [](char c) { return c <= ' ' || c >= 0x7F || c == '%'; }));
  if (source.kind == RequestSource::Kind::kTransparent) {
    Require(plan.host == source.host && plan.port == source.port);
    Require(plan.kind == RequestPlan::Kind::kForward);
  }
  const bool may_grow_too_large =
      head.headers.size() + kAddedHeaders > kMaxHeaders || head.size + kAddedBytes > kMaxHeadSize;
  if (!may_grow_too_large) Require(IsReadAlike(plan));
  if (plan.kind == RequestPlan::Kind::kForward) CheckBody(plan.body, rest);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  CheckBody({.kind = BodyFraming::Kind::kChunked}, bytes);
  RequestHead head;
  WireError error;
  const Progress progress = ParseRequestHead(bytes, head, error);
  CheckBeginnings(bytes, progress, head, error);
  if (progress != Progress::kDone) return 0;
  RequestSource source;
  if ((data[0] & 1) != 0) {
    source.kind = RequestSource::Kind::kTransparent;
    source.host = (data[0] & 2) != 0 ? "[::1]" : "h";
    source.port = (data[0] & 4) != 0 ? 8080 : 80;
  }
  if ((data[0] & 8) != 0) source.credential = "Basic eDp5";
  CheckPlan(head, source, bytes.substr(head.size));
  return 0;
}
