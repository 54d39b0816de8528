// Reading whole regular files of at most 8 MiB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace ringfence {

struct FileBytes {
  std::string text;
  uint32_t owner = 0;  // a user ID
  uint32_t mode = 0;   // the permission bits
  bool missing = false;
};

// A directory, a device or a FIFO is an error. Never waits for a FIFO's writer.
Result<FileBytes> ReadRegularFile(const std::string& path);

// The bytes; std::nullopt if the file does not exist.
Result<std::optional<std::string>> ReadIfThere(const std::string& path);

}  // namespace ringfence
