// The answer of an upstream proxy to CONNECT: the result does not depend on how the bytes are cut,
// and no byte after the answer is taken.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "proxy/broker/connect_answer.h"

using namespace ringfence;

namespace {

using State = ConnectAnswer::State;

struct Outcome {
  State state = State::kNeedsMore;
  int status = 0;
  size_t taken = 0;  // bytes

  bool operator==(const Outcome&) const = default;
};

// Feeds the bytes in pieces of `size`, as sockets may.
Outcome Read(std::string_view bytes, size_t size) {
  ConnectAnswer answer;
  size_t taken = 0;
  while (taken < bytes.size() && answer.state() == State::kNeedsMore) {
    const std::string_view piece = bytes.substr(taken, size);
    const size_t of_piece = answer.Take(piece);
    Require(of_piece == piece.size() || answer.state() != State::kNeedsMore);
    taken += of_piece;
  }
  const bool is_done = answer.state() == State::kDone;
  Require(is_done || !answer.is_tunnel());
  Require(answer.is_tunnel() == (is_done && answer.status() >= 200 && answer.status() < 300));
  return {answer.state(), is_done ? answer.status() : 0, taken};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Outcome whole = Read(bytes, std::max(size, size_t{1}));
  constexpr size_t kPieces[] = {1, 2, 3, 7, 64};
  for (const size_t piece : kPieces) Require(Read(bytes, piece) == whole);
  if (whole.state == State::kNeedsMore) {
    Require(whole.taken == size && size <= ConnectAnswer::kMaxSize);
    return 0;
  }
  // It ends with the last byte that was taken, and not before.
  Require(Read(bytes.substr(0, whole.taken), size) == whole);
  Require(Read(bytes.substr(0, whole.taken - 1), size).state == State::kNeedsMore);
  if (whole.state == State::kBad) return 0;
  Require(bytes.substr(0, whole.taken).ends_with("\r\n\r\n"));
  Require(whole.taken <= ConnectAnswer::kMaxSize);
  const bool is_final = whole.status == 101 || (whole.status >= 200 && whole.status < 600);
  Require(is_final);
  return 0;
}
