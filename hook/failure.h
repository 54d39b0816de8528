// What a failed program's own words name as refused. They are the confined program's words: they
// prove nothing, and are only a reason to ask the policy again (denials.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

struct Named {
  enum class Kind : uint8_t {
    kPath,     // read or written; nobody knows
    kWritten,  // by the words around it: "cannot create"
    kHidden,   // not there for the program, as what a sandbox hides is
    kHost,     // HOST or HOST:PORT
  };
  Kind kind = Kind::kPath;
  std::string text;

  bool operator==(const Named&) const = default;
};

constexpr size_t kMaxNamed = 4;

// At most kMaxNamed, each once, in the order of the text.
std::vector<Named> NamesInFailure(std::string_view failure);

}  // namespace ringfence
