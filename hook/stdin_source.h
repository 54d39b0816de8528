// The event, as it arrives. Input is read to its end whatever happens: an agent that cannot write
// all of it would take the hook for broken.
#pragma once

#include <array>
#include <memory>

#include "base/json_scanner.h"

namespace ringfence {

class StdinSource final : public ByteSource {
 public:
  Result<std::string_view> Next() override;
  // Reads and forgets what is left.
  void Drain();

 private:
  using Buffer = std::array<char, 65536>;  // the size of a pipe; too large for a small stack
  std::unique_ptr<Buffer> buffer_{new Buffer};
  bool at_end_ = false;
};

}  // namespace ringfence
