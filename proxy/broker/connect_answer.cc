#include "proxy/broker/connect_answer.h"

#include "base/ascii.h"

namespace ringfence {
namespace {

constexpr int kSwitchingProtocols = 101;

// Returns 0 if the line is no status line. Some proxies leave out the space after the status.
int StatusIn(std::string_view line) {
  constexpr std::string_view kForm = "HTTP/1.0 000";
  const std::string_view start = line.substr(0, kForm.size());
  if (!HasForm(start, kForm) || line[7] > '1') return 0;
  if (line.size() > kForm.size() && line[kForm.size()] != ' ') return 0;
  const int status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
  return status >= 100 && status < 600 ? status : 0;
}

}  // namespace

size_t ConnectAnswer::Take(std::string_view bytes) {
  size_t taken = 0;
  while (state_ == State::kNeedsMore && taken < bytes.size()) TakeByte(bytes[taken++]);
  return taken;
}

void ConnectAnswer::TakeByte(char c) {
  const bool follows_cr = line_.ends_with('\r');
  const bool is_wrong = c == '\0' || follows_cr != (c == '\n');
  if (++size_ > kMaxSize || is_wrong) {
    state_ = State::kBad;
  } else if (c == '\n') {
    line_.pop_back();
    TakeLine();
    line_.clear();
  } else {
    line_ += c;
  }
}

void ConnectAnswer::TakeLine() {
  if (!is_in_headers_) {
    status_ = StatusIn(line_);
    is_in_headers_ = true;
    if (status_ == 0) state_ = State::kBad;
  } else if (line_.empty()) {
    const bool is_interim = status_ / 100 == 1 && status_ != kSwitchingProtocols;
    is_in_headers_ = false;
    if (!is_interim) state_ = State::kDone;
  }
}

}  // namespace ringfence
