#include "base/result.h"

namespace ringfence {

Error UsageError(std::string where, std::string what, std::string hint) {
  return Error{Error::Kind::kUsage, std::move(where), std::move(what), std::move(hint)};
}

Error ConfigError(std::string where, std::string what, std::string hint) {
  return Error{Error::Kind::kInvalidConfig, std::move(where), std::move(what), std::move(hint)};
}

}  // namespace ringfence
