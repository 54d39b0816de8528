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

// `scanner` has failed on `text`. `comments`: whether the file may hold // and /* */.
// Of the text itself only words of letters, digits, "_" and "-" are repeated.
JsonMistake DescribeJsonMistake(std::string_view text, const JsonScanner& scanner, bool comments);

}  // namespace ringfence
