// The event, as it arrives. Input is read to its end whatever happens: an agent that cannot write
// all of it would take the hook for broken.
#pragma once

#include "base/json_scanner.h"

namespace ringfence {

class StdinSource final : public ByteSource {
 public:
  Result<std::string_view> Next() override;
  // Reads and forgets what is left.
  void Drain();

 private:
  bool at_end_ = false;
};

}  // namespace ringfence
