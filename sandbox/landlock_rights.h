// Landlock's rights on files (landlock(7)) as the plan needs them, for each version of its
// interface.
#pragma once

#include <cstdint>

namespace ringfence {

// Devices of the host that stay usable where there is no private /dev. Not /dev/pts: it has all of
// the user's terminals, and whatever is typed there could be read.
inline constexpr const char* kHostDevices[] = {"/dev/null", "/dev/zero",   "/dev/full",
                                               "/dev/tty",  "/dev/random", "/dev/urandom"};

struct LandlockRights {
  uint64_t handled = 0;     // everything that this version can forbid
  uint64_t read = 0;        // read, list and run
  uint64_t write = 0;       // everything, in a directory and below it
  uint64_t write_file = 0;  // of those, what a rule for a single file may name
  uint64_t devices = 0;     // below /dev: write to and control what is there, make nothing
  uint64_t scopes = 0;      // what is kept among the confined processes
};

// `abi` is what landlock_create_ruleset(2) reports; 0 gives no rights at all.
LandlockRights RightsOfAbi(int abi);

}  // namespace ringfence
