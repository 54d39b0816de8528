// Wordings that programs, kernels and sandboxes use for a refusal: one row each, and one fixture
// each in fixtures/failures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

enum class WordingForm : uint8_t {
  kOurs,           // ringfence: write to "/x" refused: ...
  kSeatbelt,       // cat(123) deny(1) file-read-data /x
  kPath,           // next to a path: cat: /x: Permission denied
  kWrittenPath,    // same, but only for writes
  kPathAbove,      // the path may be some lines above: cargo, Go's wrapped errors
  kHiddenPath,     // a path that a sandbox hides does not exist for the program
  kHostBehind,     // curl: (6) Could not resolve host: x
  kHostSomewhere,  // in a URL on this line or a few lines above
};

struct Wording {
  std::string_view words;  // in lower case
  WordingForm form;
};

// Returns the row whose words are in this line, or nullptr. `at` is the offset after the words.
const Wording* FindWording(std::string_view lower_line, size_t* at);

}  // namespace ringfence
