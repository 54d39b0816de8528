#include "sandbox/landlock_rights.h"

namespace ringfence {
namespace {

// In the order of linux/landlock.h, which other systems lack.
constexpr uint64_t kExecute = 1u << 0;
constexpr uint64_t kWriteFile = 1u << 1;
constexpr uint64_t kReadFile = 1u << 2;
constexpr uint64_t kReadDirectory = 1u << 3;
constexpr uint64_t kRemoveAndMake = 0x1FF0;  // bits 4 to 12: REMOVE_DIR to MAKE_SYM
constexpr uint64_t kRefer = 1u << 13;        // ABI 2
constexpr uint64_t kTruncate = 1u << 14;     // ABI 3
constexpr uint64_t kIoctlDevice = 1u << 15;  // ABI 5
constexpr uint64_t kResolveUnix = 1u << 16;  // ABI 9
constexpr uint64_t kScopes = 3;              // ABI 6: abstract Unix sockets, signals

}  // namespace

LandlockRights RightsOfAbi(int abi) {
  LandlockRights rights;
  if (abi < 1) return rights;
  rights.read = kExecute | kReadFile | kReadDirectory;
  rights.write_file = kWriteFile;
  rights.devices = kWriteFile;
  uint64_t directory = kRemoveAndMake;
  if (abi >= 2) directory |= kRefer;
  if (abi >= 3) rights.write_file |= kTruncate;
  if (abi >= 3) rights.devices |= kTruncate;
  if (abi >= 5) rights.devices |= kIoctlDevice;
  if (abi >= 5) rights.write_file |= kIoctlDevice;
  if (abi >= 6) rights.scopes = kScopes;
  if (abi >= 9) rights.write_file |= kResolveUnix;
  rights.write = rights.write_file | directory;
  rights.handled = rights.read | rights.write;
  return rights;
}

}  // namespace ringfence
