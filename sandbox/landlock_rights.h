// Landlock's rights on files (landlock(7)) as the plan needs them, for each ABI version.
#pragma once

#include <cstdint>

namespace ringfence {

// Host devices that a private /dev shows, and that stay usable without one. /dev/pts is left out:
// it has all of the user's terminals, and a command could read what is typed there.
inline constexpr const char* kHostDevices[] = {"/dev/null", "/dev/zero",   "/dev/full",
                                               "/dev/tty",  "/dev/random", "/dev/urandom"};

struct LandlockRights {
  uint64_t handled = 0;     // every right that this version can restrict
  uint64_t read = 0;        // read, list and run
  uint64_t write = 0;       // all changes, in a directory and below it
  uint64_t write_file = 0;  // the part of `write` that a rule for a single file can name
  uint64_t devices = 0;     // below /dev: write to and control existing devices, create nothing
  uint64_t scopes = 0;      // restricted to the confined processes
};

// `abi` is what landlock_create_ruleset(2) reports; 0 gives no rights at all.
LandlockRights RightsOfAbi(int abi);

}  // namespace ringfence
