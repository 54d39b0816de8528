#include "proxy/worker/http_way.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "proxy/worker/relay.h"

namespace ringfence {

Arrival HttpWay::ReadFrom(int socket) {
  const std::span<char> buffer = ReadBuffer();
  const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), 0);
  if (got == 0) return Arrival::kEnd;
  if (got < 0) return errno == EAGAIN || errno == EINTR ? Arrival::kNothing : Arrival::kFailure;
  in.append(buffer.data(), static_cast<size_t>(got));
  return Arrival::kBytes;
}

bool HttpWay::WriteTo(int socket) {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t sent = ::send(socket, out.data() + done, out.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) break;
    done += static_cast<size_t>(sent);
  }
  const bool has_failed = done < out.size() && errno != EAGAIN;
  passed += done;
  out.erase(0, done);
  return !has_failed;
}

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
