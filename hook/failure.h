// Finds the paths and hosts that a failed program's output names as refused. The confined program
// wrote that output, so it proves nothing and is only a reason to ask the policy again (denials.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

struct Named {
  enum class Kind : uint8_t {
    kPath,     // read or written, unknown which
    kWritten,  // written, by the words around it: "cannot create"
    kHidden,   // missing for the program, like a path that a sandbox hides
    kHost,     // HOST or HOST:PORT
  };
  Kind kind = Kind::kPath;
  std::string text;
  bool is_ours = false;  // in a line of ringfence itself, as far as its words tell

  bool operator==(const Named&) const = default;
};

constexpr size_t kMaxNamed = 4;

// Returns at most kMaxNamed names, each once, in the order of the text.
std::vector<Named> NamesInFailure(std::string_view failure);

}  // namespace ringfence
