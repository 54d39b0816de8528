// The record of a stage: what is read survives being written and read again, and names a project.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "staging/store/record.h"

using namespace ringfence;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<StageRecord> record = ParseRecord(text, "x");
  if (!record) return 0;
  Require(!record->id.empty() && !record->project.is_root());
  const std::string written = RenderRecord(*record);
  const Result<StageRecord> again = ParseRecord(written, "x");
  Require(again.has_value() && *again == *record);
  Require(RenderRecord(*again) == written);
  return 0;
}
