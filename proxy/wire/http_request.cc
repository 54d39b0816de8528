#include "proxy/wire/http_request.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "proxy/wire/credential.h"
#include "proxy/wire/http_authority.h"
#include "proxy/wire/http_hop.h"
#include "proxy/wire/http_line.h"

namespace ringfence {
namespace {

constexpr uint16_t kHttpPort = 80;
constexpr uint16_t kHttpsPort = 443;

bool IsTransparent(const RequestSource& source) {
  return source.kind == RequestSource::Kind::kTransparent;
}

bool CheckCredential(const RequestHead& head, const RequestSource& source, WireError& error) {
  constexpr uint16_t kNeedsCredential = 407;
  if (IsTransparent(source) || source.credential.empty()) return true;
  size_t count = 0;
  const HttpHeader* sent = OnlyHeader(head.headers, "Proxy-Authorization", count);
  error.is_routine = count == 0;
  if (count == 0) return RefuseHttp(error, "lacks the credential of this proxy", kNeedsCredential);
  if (sent != nullptr && IsCredential(sent->value, source.credential)) return true;
  return RefuseHttp(error, "has a wrong user name or password", kNeedsCredential);
}

// Methods are case-sensitive, but some hosts read "head" as HEAD and then send no body where this
// proxy expects one.
bool CheckMethod(std::string_view method, WireError& error) {
  // A method is logged and quoted in messages; the longest registered one has 17 bytes.
  constexpr size_t kMaxMethod = 64;
  if (method.size() > kMaxMethod) return RefuseHttp(error, "has a method that is too long", 501);
  if (std::ranges::any_of(method, IsLower)) {
    return RefuseHttp(error, "has a method with lower-case letters", 501);
  }
  // TRACE returns the headers of a request, credentials included; TRACK is its other name.
  if (method == "TRACE" || method == "TRACK") {
    return RefuseHttp(error, "has a method that is not allowed", 405);
  }
  if (method == "PRI") return RefuseHttp(error, "begins as HTTP/2 does", 505);
  return true;
}

struct HttpTarget {
  HttpAuthority authority;  // with a port
  std::string origin;       // in origin form or "*"; "" for a tunnel
};

bool ReadTunnelTarget(const RequestHead& head, const RequestSource& source, HttpTarget& target,
                      WireError& error) {
  if (IsTransparent(source)) return RefuseHttp(error, "asks a web server for a tunnel", 405);
  if (!ReadHttpAuthority(head.target, target.authority, error)) return false;
  return target.authority.port != 0 || RefuseHttp(error, "asks for a tunnel without a port");
}

bool ReadAbsoluteTarget(const RequestHead& head, HttpTarget& target, WireError& error) {
  constexpr std::string_view kScheme = "http://";
  if (!IsHeader(head.target.substr(0, kScheme.size()), kScheme)) {
    return RefuseHttp(error, "has a target that does not begin with http://");
  }
  const std::string_view rest = head.target.substr(kScheme.size());
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  if (!ReadHttpAuthority(authority, target.authority, error)) return false;
  if (target.authority.port == 0) target.authority.port = kHttpPort;
  target.origin = rest.substr(authority.size());
  if (target.origin.starts_with('/')) return true;
  // Without a path, OPTIONS asks about the whole server (RFC 9112, 3.2.4).
  const bool asks_server = head.method == "OPTIONS" && target.origin.empty();
  target.origin.insert(0, asks_server ? "*" : "/");
  return true;
}

bool ReadTarget(const RequestHead& head, const RequestSource& source, HttpTarget& target,
                WireError& error) {
  if (head.method == "CONNECT") return ReadTunnelTarget(head, source, target, error);
  if (head.target.find('#') != std::string_view::npos) {
    return RefuseHttp(error, "has a fragment in its target");
  }
  const bool is_absolute = head.target != "*" && !head.target.starts_with('/');
  if (is_absolute && !ReadAbsoluteTarget(head, target, error)) return false;
  if (!is_absolute && !IsTransparent(source)) {
    return RefuseHttp(error, "is for a web server, not for a proxy");
  }
  if (!IsTransparent(source)) return true;
  HttpAuthority host{.host = std::string(source.host), .port = source.port};
  if (is_absolute) {
    return target.authority == host || RefuseHttp(error, "is for another host", 421);
  }
  if (head.target == "*" && head.method != "OPTIONS") {
    return RefuseHttp(error, "has the target * with a method other than OPTIONS");
  }
  target = {.authority = std::move(host), .origin = std::string(head.target)};
  return true;
}

// In a CONNECT request, curl, git, npm, pip and wget send the port in Host; Java and undici leave
// it out if it is the default of the URL's scheme, and older Python sends HTTP/1.0 without Host. So
// a missing port is that of http or https, never any port.
bool CheckHostHeader(const RequestHead& head, const RequestSource& source,
                     const HttpAuthority& authority, WireError& error) {
  size_t count = 0;
  const HttpHeader* header = OnlyHeader(head.headers, "Host", count);
  if (count > 1) return RefuseHttp(error, "has several Host headers");
  if (header == nullptr) {
    const bool is_needed = head.minor_version > 0 || IsTransparent(source);
    return !is_needed || RefuseHttp(error, "has no Host header");
  }
  HttpAuthority host;
  if (!ReadHttpAuthority(header->value, host, error)) return false;
  const bool omits_https =
      host.port == 0 && head.method == "CONNECT" && authority.port == kHttpsPort;
  if (host.port == 0) host.port = omits_https ? kHttpsPort : kHttpPort;
  return host == authority || RefuseHttp(error, "has a Host header for another host or port",
                                         IsTransparent(source) ? 421 : 400);
}

// A proxy removes the headers that Connection names. It must not remove a header that says whom a
// request is for, where it ends or what it contains: the host would read another request.
bool CheckOptionsForm(std::span<const std::string_view> options, WireError& error) {
  constexpr std::string_view kKept[] = {
      "Host",  "Content-Length",   "Transfer-Encoding", "Content-Type", "Content-Range",
      "Range", "Content-Encoding", "Authorization",     "Cookie",       "Expect",
      "Origin"};
  for (const std::string_view option : options) {
    if (!IsToken(option)) return RefuseHttp(error, "has a Connection header that is not a list");
    if (HasListItem(kKept, option)) {
      return RefuseHttp(error, "has a Connection header that names a header for the host");
    }
  }
  return true;
}

bool HasBody(const BodyFraming& body) {
  return body.kind == BodyFraming::Kind::kChunked || body.length > 0;
}

// TRACE is idempotent as well, but never passes.
bool IsIdempotent(std::string_view method) {
  constexpr std::string_view kMethods[] = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE"};
  return std::ranges::find(kMethods, method) != std::end(kMethods);
}

// Leaves out an offer of HTTP/2, as RFC 9110, 7.8 allows: by default, Java's HttpClient makes one
// in each request to a host. The host never sees it, so the connection stays HTTP/1.1.
bool ReadUpgrade(const RequestHead& head, std::span<const std::string_view> options,
                 RequestPlan& plan, WireError& error) {
  size_t count = 0;
  const HttpHeader* upgrade = OnlyHeader(head.headers, "Upgrade", count);
  if (count == 0 || (upgrade != nullptr && IsHeader(upgrade->value, "h2c"))) return true;
  if (upgrade == nullptr || !IsHeader(upgrade->value, "websocket")) {
    return RefuseHttp(error, "asks for an upgrade other than websocket");
  }
  plan.is_upgrade = head.method == "GET" && head.minor_version > 0 && !HasBody(plan.body) &&
                    HasListItem(options, "upgrade");
  return plan.is_upgrade || RefuseHttp(error, "asks for a websocket in a wrong way");
}

bool ReadExpect(const RequestHead& head, RequestPlan& plan, WireError& error) {
  size_t count = 0;
  const HttpHeader* expect = OnlyHeader(head.headers, "Expect", count);
  if (count == 0) return true;
  if (expect == nullptr || !IsHeader(expect->value, "100-continue")) {
    return RefuseHttp(error, "expects something other than 100-continue", 417);
  }
  // An HTTP/1.0 client does not wait for an interim response (RFC 9110, 10.1.1).
  plan.expects_continue = head.minor_version > 0 && HasBody(plan.body);
  return true;
}

// Writes the headers that this proxy interprets from its own result, not from the client's text.
std::string WriteRequestHead(const RequestHead& head, const HttpTarget& target,
                             std::span<const std::string_view> options, const RequestPlan& plan) {
  constexpr std::string_view kRewritten[] = {"Host", "Content-Length", "Expect"};
  std::string out = plan.method + " " + target.origin + " HTTP/1.1\r\n";
  const bool is_default = plan.port == kHttpPort;
  AppendHttpField(out, "Host", plan.host + (is_default ? "" : ":" + std::to_string(plan.port)));
  for (const HttpHeader& header : head.headers) {
    if (IsForOneHop(header.name, options) || HasListItem(kRewritten, header.name)) continue;
    AppendHttpField(out, header.name, header.value);
  }
  if (plan.expects_continue) AppendHttpField(out, "Expect", "100-continue");
  if (plan.body.kind == BodyFraming::Kind::kLength) {
    AppendHttpField(out, "Content-Length", std::to_string(plan.body.length));
  }
  if (plan.body.kind == BodyFraming::Kind::kChunked) {
    AppendHttpField(out, "Transfer-Encoding", "chunked");
  }
  if (!plan.keep_alive) AppendHttpField(out, "Connection", "close");
  if (plan.is_upgrade) {
    AppendHttpField(out, "Connection", "Upgrade");
    AppendHttpField(out, "Upgrade", "websocket");
  }
  return out + "\r\n";
}

}  // namespace

bool PlanHttpRequest(const RequestHead& head, const RequestSource& source, RequestPlan& plan,
                     WireError& error) {
  constexpr size_t kMaxLoggedPath = 1024;
  if (!CheckCredential(head, source, error)) return false;
  HttpTarget target;
  const std::vector<std::string_view> options = HttpListOf(head.headers, "Connection");
  RequestPlan read;
  if (!CheckMethod(head.method, error) || !ReadTarget(head, source, target, error)) return false;
  plan.host = read.host = target.authority.host;
  plan.port = read.port = target.authority.port;
  if (!CheckHostHeader(head, source, target.authority, error) ||
      !CheckOptionsForm(options, error) || !FrameRequestBody(head, read.body, error) ||
      !ReadUpgrade(head, options, read, error) || !ReadExpect(head, read, error)) {
    return false;
  }
  read.method = head.method;
  // In HTTP/1.0, an older proxy in between may have passed on "keep-alive" without understanding it
  // (RFC 9112, 9.3).
  read.keep_alive = head.minor_version > 0 && !HasListItem(options, "close") &&
                    !HasListItem(HttpListOf(head.headers, "Proxy-Connection"), "close");
  if (head.method == "CONNECT") {
    if (HasBody(read.body)) return RefuseHttp(error, "asks for a tunnel with a body");
    read.kind = RequestPlan::Kind::kTunnel;
    read.body = {};
  } else if (read.port == kHttpsPort) {
    // Nobody would look at the bytes after an upgrade, which may be those of another host's TLS.
    return RefuseHttp(error, "is plain HTTP for port 443, which expects TLS");
  } else {
    read.path = target.origin.substr(0, std::min(target.origin.find('?'), kMaxLoggedPath));
    read.head = WriteRequestHead(head, target, options, read);
    read.may_repeat = IsIdempotent(head.method) && !HasBody(read.body);
  }
  plan = std::move(read);
  return true;
}

}  // namespace ringfence
