// The journal of a transaction: what is read survives being written and read again, and every step
// stays in its directory. The input is what follows the digest, and then a whole journal.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/sealed.h"
#include "files/step_journal.h"
#include "fuzz/require.h"

using namespace ringfence;

namespace {

void Check(const std::string& text) {
  const Result<std::vector<DoneStep>> steps = ParseSteps(text, "x");
  if (!steps) return;
  for (const DoneStep& step : *steps) {
    Require(!step.path.empty() && step.path.front() != '/');
    Require(step.temporary.starts_with(kTreeTemporary) &&
            step.temporary.find('/') == std::string::npos);
  }
  const Result<std::vector<DoneStep>> again = ParseSteps(RenderSteps(*steps), "x");
  Require(again.has_value() && *again == *steps);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string kEmpty = RenderSteps({});
  static const std::string kHeader = kEmpty.substr(0, kEmpty.find('\n') + 1);
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  Check(bytes);
  Check(Seal(kHeader, bytes));
  return 0;
}
