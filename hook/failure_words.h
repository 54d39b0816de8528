// The wordings by which programs, kernels and sandboxes say that something was refused: one row
// each, and a fixture each below fixtures/failures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

enum class WordingForm : uint8_t {
  kOurs,           // ringfence: write to "/x" refused: ...
  kSeatbelt,       // cat(123) deny(1) file-read-data /x
  kPath,           // beside a path: cat: /x: Permission denied
  kWrittenPath,    // the same, and only writes are refused so
  kPathAbove,      // the path may stand some lines above: cargo, Go's wrapped errors
  kHiddenPath,     // what a sandbox hides is not there for the program
  kHostBehind,     // curl: (6) Could not resolve host: x
  kHostSomewhere,  // in a URL of this line or of one a little above
};

struct Wording {
  std::string_view words;  // in lower case
  WordingForm form;
};

// The row whose words stand in this line; nothing where there is none. `at` is behind the words.
const Wording* FindWording(std::string_view lower_line, size_t* at);

}  // namespace ringfence
