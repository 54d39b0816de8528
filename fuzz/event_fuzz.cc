// Compares the scanner with nlohmann::json, and checks the event reader: the result does not depend
// on how the input is split into pieces, and only valid JSON is accepted as an event.
#include <cstddef>
#include <cstdint>

#include "agents/claude/event_reader.h"
#include "fuzz/require.h"
#include "tests/support/json_oracle.h"
#include "tests/support/scan_text.h"

using namespace ringfence;

namespace {

Result<Event> Read(std::string_view text, size_t piece) {
  static constexpr std::string_view kPointers[] = {"/files/*/path", "/*"};
  EventFilter filter;
  if (!text.empty() && text.back() == '\n') {
    filter.pointers.assign(std::begin(kPointers), std::end(kPointers));
  }
  PieceSource source(text, piece);
  return ReadEvent(source, filter);
}

void CheckEvent(std::string_view text) {
  const Result<Event> whole = Read(text, 0);
  const Result<Event> pieces = Read(text, 3);
  Require(whole.has_value() == pieces.has_value());
  if (!whole) {
    Require(whole.error() == pieces.error());
    Require(!whole.error().what.empty());
    return;
  }
  Require(*whole == *pieces);
  Require(IsAccepted(text));
  for (const InputField& field : whole->input) Require(field.text.size() <= 4096);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Require(Disagreement(text).empty());
  Require(Scan(text) == Scan(text, {}, {.piece = 1}));
  CheckEvent(text);
  return 0;
}
