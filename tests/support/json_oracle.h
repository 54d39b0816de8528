// nlohmann::json as a second opinion about a JSON document. The scanner must agree with it, apart
// from what it refuses or accepts on purpose:
//   refused on purpose   duplicate keys, NUL in a key, keys above 64 KiB, nesting beyond 200, a
//   byte
//                        order mark, a NUL byte outside of a string (nlohmann takes it for the end)
//   accepted on purpose  lone surrogates written as escapes, numbers too large for a double
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

struct Opinion {
  bool is_known = true;  // false: nlohmann stopped at a number, and nobody knows what follows
  bool is_accepted = false;
  bool has_lone_surrogate = false;
  std::string tokens;  // as Scan() writes them, numbers as "#"
};

Opinion AskOracle(std::string_view text);

// What is wrong between the scanner and the oracle about `text`, or "".
std::string Disagreement(std::string_view text);

}  // namespace ringfence
