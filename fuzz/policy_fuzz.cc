// The policy loader: it never crashes, gives the same result twice, reports at least one mistake
// with its place when it rejects a policy, and a comment changes only the line numbers below it.
#include <cstddef>
#include <cstdint>

#include "fuzz/require.h"
#include "tests/support/loaded.h"
#include "tests/support/policy_text.h"

using namespace ringfence;

namespace {

void CheckSame(const Loaded& one, const Loaded& other, bool places) {
  Require((one.file == nullptr) == (other.file == nullptr));
  if (one.file == nullptr) return;
  Require(PolicyText(*one.file, places) == PolicyText(*other.file, places));
}

void CheckMistakes(const Loaded& loaded) {
  Require((loaded.file == nullptr) == !loaded.mistakes.empty());
  for (const Error& mistake : loaded.mistakes) {
    Require(mistake.kind == Error::Kind::kInvalidConfig);
    Require(mistake.where.starts_with("policy.json:"));
    Require(!mistake.what.empty());
    Require(mistake.text().find('\n') == std::string::npos);
    Require(mistake.text().find('\x1B') == std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Loaded loaded = Load(text);
  CheckMistakes(loaded);
  const Loaded again = Load(text);
  CheckSame(loaded, again, true);
  Require(loaded.mistakes == again.mistakes);
  CheckSame(loaded, Load("/* a\n comment */ // and another\n" + text), false);
  CheckSame(loaded, Load(text + "\n// a comment /*"), true);
  return 0;
}
