// What a proxy does with the head of a host's response to a forwarded request.
#pragma once

#include <string>
#include <string_view>

#include "proxy/wire/http_body.h"
#include "proxy/wire/http_head.h"
#include "proxy/wire/parsed.h"

namespace ringfence {

struct ResponsePlan {
  int status = 0;
  std::string head;  // to send to the client, with the empty line; "" for 1xx to HTTP/1.0
  BodyFraming body;  // as the host sends it
  // The body is sent to an HTTP/1.1 client in chunks if its end is the host's close or it came in
  // chunks; to an HTTP/1.0 client as it is, until the connection closes.
  bool send_chunked = false;
  bool is_interim = false;    // 1xx other than 101: another head follows
  bool is_switching = false;  // 101 to a request that asked for it: the connections are opaque now
  bool host_keeps_alive = true;
  bool client_keeps_alive = true;
};

struct ResponseContext {
  std::string_view method;  // of the request
  int client_minor = 1;     // HTTP version of the client
  bool client_keep_alive = true;
  bool asked_upgrade = false;
};

// Returns false and sets `error` (status 502) for a head whose body could end in two places, and
// for 101 if the client did not ask or the host switches to something other than a websocket.
// Hop-by-hop headers are left out, and Proxy-*; Content-Length is rewritten, and left out where a
// response has no body (except for HEAD and 304); others pass unchanged. The new head can have one
// header more than `head`: Connection or Transfer-Encoding.
bool PlanHttpResponse(const ResponseHead& head, const ResponseContext& context, ResponsePlan& plan,
                      WireError& error);

}  // namespace ringfence
