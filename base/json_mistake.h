// Explains a JSON syntax error to the person who wrote the file: what is wrong at which byte, and
// what to write instead. JsonScanner itself only knows which token it expected.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json_scanner.h"

namespace ringfence {

struct JsonMistake {
  size_t offset = 0;
  std::string what;
  std::string hint;  // may be empty
};

// `scanner` has failed on `text`. `comments` is true if the file may contain // and /* */. Apart
// from a duplicate key, the message quotes only punctuation and words of letters, digits, "_", "-"
// and "$" from the text.
JsonMistake DescribeJsonMistake(std::string_view text, const JsonScanner& scanner, bool comments);

}  // namespace ringfence
