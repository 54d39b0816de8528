// nlohmann::json as a second opinion about a JSON document. The scanner must agree with it, except
// for intentional differences:
//   refused on purpose   duplicate keys, NUL in a key, keys above 64 KiB, nesting beyond 200,
//                        a byte order mark, a NUL byte outside a string (nlohmann stops there)
//   accepted on purpose  lone surrogates written as escapes, numbers too large for a double
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

struct Opinion {
  bool is_known = true;  // false: nlohmann stopped at a number, so the rest is unknown
  bool is_accepted = false;
  bool has_lone_surrogate = false;
  std::string tokens;  // as Scan() writes them, numbers as "#"
};

Opinion AskOracle(std::string_view text);

// The disagreement between the scanner and the oracle about `text`, or "".
std::string Disagreement(std::string_view text);

}  // namespace ringfence
