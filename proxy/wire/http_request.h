// What a proxy does with the head of a request: refuse it, open a tunnel, or forward it. Pure:
// bytes in, verdict out. A forwarded head is rewritten, never passed on as it came.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/wire/http_body.h"
#include "proxy/wire/http_head.h"
#include "proxy/wire/parsed.h"

namespace ringfence {

// How the request came to the proxy.
struct RequestSource {
  enum class Kind : uint8_t {
    kExplicit,     // the client was told of the proxy: CONNECT, or a request in absolute form
    kTransparent,  // the client believes to talk to the host: a request in origin form
  };
  Kind kind = Kind::kExplicit;
  // For kTransparent: the name that the client resolved, or the address it connected to, in
  // canonical form (policy/rules/domain.h), and the port. The Host header must be equal.
  std::string_view host;
  uint16_t port = 80;
  // For kExplicit: the value of Proxy-Authorization that is required; "" for none.
  std::string_view credential;
};

struct RequestPlan {
  enum class Kind : uint8_t { kTunnel, kForward };
  Kind kind = Kind::kForward;
  std::string host;  // canonical
  uint16_t port = 0;
  std::string method;
  std::string path;  // for the log: without the query, at most 1 KB; "" for a tunnel
  // For kForward:
  std::string head;  // to send to the host, in origin form, with the empty line
  BodyFraming body;
  bool keep_alive = true;         // the client wants to send more requests; never in HTTP/1.0
  bool is_upgrade = false;        // to a websocket: after 101 the connection is opaque
  bool expects_continue = false;  // the client waits for 100; `head` passes this on to the host
  // To send it twice does no more than to send it once, and `head` is all of it (RFC 9110, 9.2.2).
  bool may_repeat = false;
};

// Decides about a parsed head. Returns false and sets `error` for:
// - an authority that is not plain: user name, percent sign, white space, zone, a port outside 1 to
//   65535 or missing in CONNECT, an address that is not a dotted quad or bracketed IPv6;
// - explicit: origin form (the proxy is not a web server), asterisk form, a scheme other than http;
//   transparent: absolute form for another host, CONNECT, asterisk form except OPTIONS *;
// - a request other than CONNECT for port 443, where TLS is expected;
// - a Host header that is missing (also in HTTP/1.0 if transparent), doubled, or differs from the
//   authority of the target or, if transparent, from `source`;
// - TRACE, TRACK, PRI, and methods with lower-case letters or more than 64 bytes; CONNECT with a
// body;
// - an Upgrade other than exactly "websocket" (with Connection: upgrade, method GET and no body) or
//   "h2c", which is left out as if the client had not offered it;
// - what FrameRequestBody() refuses; Expect other than 100-continue;
// - a missing or wrong credential (status 407; checked first).
// After a refusal, `plan` has the host and the port if they were read, for the log. The end of the
// request is unknown: reply and close the connection.
// Headers that concern one hop are left out: Connection and those it names (it must not name
// headers such as Host, Content-Length, Authorization, Cookie: refused), HTTP2-Settings,
// Keep-Alive, Proxy-*, TE, Trailer, Transfer-Encoding, Upgrade; what is needed is written again.
// "Via" is not added. The new head can have two headers more than `head`: Host and Connection.
bool PlanHttpRequest(const RequestHead& head, const RequestSource& source, RequestPlan& plan,
                     WireError& error);

}  // namespace ringfence
