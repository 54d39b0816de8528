// The head of a response and its plan: the answer does not depend on how the bytes are cut, and the
// client finds the end of the body where the proxy writes it. The input begins with a byte of
// options.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/require.h"
#include "proxy/wire/http_response.h"

using namespace ringfence;

namespace {

constexpr size_t kAddedHeaders = 2;  // Connection, and Upgrade or Transfer-Encoding
constexpr size_t kAddedBytes = 64;

void CheckBeginnings(std::string_view bytes, Progress whole, const ResponseHead& head,
                     const WireError& error) {
  Progress last = Progress::kNeedsMore;
  for (size_t size = 0; size < bytes.size(); ++size) {
    ResponseHead part_head;
    WireError part_error;
    const Progress part = ParseResponseHead(bytes.substr(0, size), part_head, part_error);
    if (last != Progress::kNeedsMore) Require(part == last);
    last = part;
    if (part != Progress::kNeedsMore) Require(part == whole);
    if (part == Progress::kBad) Require(part_error.reason == error.reason);
    if (part == Progress::kDone) Require(part_head.size == head.size && size >= head.size);
  }
}

// The framing that the client must see.
BodyFraming SentBody(const ResponsePlan& plan) {
  if (plan.send_chunked) return {.kind = BodyFraming::Kind::kChunked};
  if (plan.body.kind == BodyFraming::Kind::kChunked) {
    return {.kind = BodyFraming::Kind::kUntilClose};
  }
  return plan.body;
}

void CheckAsClient(const ResponsePlan& plan, const ResponseContext& context) {
  ResponseHead head;
  WireError error;
  Require(ParseResponseHead(plan.head, head, error) == Progress::kDone);
  Require(head.size == plan.head.size() && head.status == plan.status);
  BodyFraming framing;
  Require(FrameResponseBody(head, context.method, framing, error));
  Require(framing == SentBody(plan));
  ResponsePlan again;
  Require(PlanHttpResponse(head, context, again, error));
  Require(again.is_switching == plan.is_switching && again.is_interim == plan.is_interim);
  Require(again.send_chunked == plan.send_chunked);
  Require(again.client_keeps_alive == plan.client_keeps_alive);
  Require(again.head == plan.head);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  ResponseHead head;
  WireError error;
  const Progress progress = ParseResponseHead(bytes, head, error);
  CheckBeginnings(bytes, progress, head, error);
  if (progress != Progress::kDone) return 0;
  static constexpr std::string_view kMethods[] = {"GET", "HEAD", "CONNECT", "POST"};
  const ResponseContext context{.method = kMethods[data[0] & 3],
                                .client_minor = (data[0] >> 2) & 1,
                                .client_keep_alive = (data[0] & 8) != 0,
                                .asked_upgrade = (data[0] & 16) != 0};
  ResponsePlan plan;
  if (!PlanHttpResponse(head, context, plan, error)) {
    Require(!error.reason.empty() && error.status == 502);
    return 0;
  }
  Require(plan.status == head.status);
  const bool ends_at_close = plan.body.kind == BodyFraming::Kind::kUntilClose;
  Require(!(ends_at_close && plan.host_keeps_alive));
  if (plan.head.empty()) {
    Require(plan.is_interim && context.client_minor == 0);
    return 0;
  }
  const bool may_grow_too_large =
      head.headers.size() + kAddedHeaders > kMaxHeaders || head.size + kAddedBytes > kMaxHeadSize;
  if (!may_grow_too_large) CheckAsClient(plan, context);
  return 0;
}
