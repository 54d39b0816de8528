// Reads the event as it arrives. Input is always read to its end: a client that cannot write all of
// it would consider the hook broken.
#pragma once

#include "base/json_scanner.h"

namespace ringfence {

class StdinSource final : public ByteSource {
 public:
  Result<std::string_view> Next() override;
  // Reads and discards the rest.
  void Drain();

 private:
  bool at_end_ = false;
};

}  // namespace ringfence
