// Reads the answer of a proxy to CONNECT (RFC 9110, 9.3.6), and no byte beyond: what follows is the
// host's. Of its headers nothing is used, so nothing is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

class ConnectAnswer {
 public:
  enum class State : uint8_t { kNeedsMore, kDone, kBad };

  static constexpr size_t kMaxSize = size_t{8} * 1024;  // bytes, with interim answers

  // Takes the bytes that come next. Returns how many of them belong to the answer: all, unless the
  // state is not kNeedsMore afterwards. Lines end with CRLF only.
  size_t Take(std::string_view bytes);

  State state() const { return state_; }
  // Of the answer: 100 to 599, and no 1xx but 101. Valid if kDone.
  int status() const { return status_; }
  bool is_tunnel() const { return state_ == State::kDone && status_ / 100 == 2; }

 private:
  void TakeByte(char c);
  void TakeLine();

  State state_ = State::kNeedsMore;
  size_t size_ = 0;
  std::string line_;
  bool is_in_headers_ = false;
  int status_ = 0;
};

}  // namespace ringfence
