#include "proxy/wire/http_response.h"

#include <span>
#include <utility>
#include <vector>

#include "proxy/wire/http_hop.h"
#include "proxy/wire/http_line.h"

namespace ringfence {
namespace {

constexpr int kSwitchingProtocols = 101;
// Headers that only the proxy writes. A host must not speak for ringfence.
constexpr std::string_view kOwnHeaders[] = {"Content-Length", "X-Ringfence"};

// After the switch, the proxy does not read the bytes of either side, so the host must have agreed
// to exactly what PlanHttpRequest() let the client ask for.
bool IsWebsocketAnswer(const ResponseHead& head, const ResponseContext& context,
                       std::span<const std::string_view> options) {
  size_t count = 0;
  const HttpHeader* upgrade = OnlyHeader(head.headers, "Upgrade", count);
  return context.asked_upgrade && head.minor_version > 0 && upgrade != nullptr &&
         IsHeader(upgrade->value, "websocket") && HasListItem(options, "upgrade");
}

// Returns the framing that the head announces: for HEAD and 304, that of the body in the
// response to GET (RFC 9110, 8.6), or none if that is unclear.
BodyFraming AnnouncedBody(const ResponseHead& head, const ResponseContext& context,
                          const BodyFraming& body) {
  const bool is_for_head = context.method == "HEAD" && head.status >= 200 && head.status != 204;
  if (!is_for_head && head.status != 304) return body;
  ResponseHead with_body = head;
  with_body.status = 200;
  BodyFraming announced;
  WireError ignored;
  const bool is_clear = FrameResponseBody(with_body, "GET", announced, ignored);
  return is_clear && announced.kind == BodyFraming::Kind::kLength ? announced : BodyFraming{};
}

std::string WriteResponseHead(const ResponseHead& head, const ResponseContext& context,
                              std::span<const std::string_view> options, const ResponsePlan& plan) {
  std::string out = "HTTP/1.1 " + std::to_string(plan.status) + " ";
  out.append(head.reason).append("\r\n");
  for (const HttpHeader& header : head.headers) {
    if (IsForOneHop(header.name, options) || HasListItem(kOwnHeaders, header.name)) continue;
    AppendHttpField(out, header.name, header.value);
  }
  const BodyFraming announced = AnnouncedBody(head, context, plan.body);
  if (announced.kind == BodyFraming::Kind::kLength) {
    AppendHttpField(out, "Content-Length", std::to_string(announced.length));
  }
  if (plan.send_chunked) AppendHttpField(out, "Transfer-Encoding", "chunked");
  if (plan.is_switching) {
    AppendHttpField(out, "Connection", "Upgrade");
    AppendHttpField(out, "Upgrade", "websocket");
  } else if (!plan.is_interim && !plan.client_keeps_alive) {
    AppendHttpField(out, "Connection", "close");
  }
  return out + "\r\n";
}

}  // namespace

bool PlanHttpResponse(const ResponseHead& head, const ResponseContext& context, ResponsePlan& plan,
                      WireError& error) {
  ResponsePlan read;
  read.status = head.status;
  if (!FrameResponseBody(head, context.method, read.body, error)) return false;
  const std::vector<std::string_view> options = HttpListOf(head.headers, "Connection");
  read.is_switching = head.status == kSwitchingProtocols;
  if (read.is_switching && !IsWebsocketAnswer(head, context, options)) {
    return RefuseHttp(error, "switches to a protocol that the client did not ask for", 502);
  }
  read.is_interim = head.status < 200 && !read.is_switching;
  const bool ends_at_close = read.body.kind == BodyFraming::Kind::kUntilClose;
  const bool has_length = !ends_at_close && read.body.kind != BodyFraming::Kind::kChunked;
  const bool knows_chunks = context.client_minor > 0;
  read.send_chunked = knows_chunks && !has_length;
  const bool is_persistent = head.minor_version > 0 || HasListItem(options, "keep-alive");
  read.host_keeps_alive = is_persistent && !HasListItem(options, "close") && !ends_at_close;
  read.client_keeps_alive = context.client_keep_alive && knows_chunks;
  // HTTP/1.0 has no interim responses (RFC 9110, 15.2).
  if (!read.is_interim || knows_chunks) read.head = WriteResponseHead(head, context, options, read);
  plan = std::move(read);
  return true;
}

}  // namespace ringfence
