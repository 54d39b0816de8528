// The client's own fence around the working directories: two settings that `ringfence init
// --client-fence` writes.
#pragma once

#include <array>
#include <string_view>

#include "policy/rules/sets.h"

namespace ringfence {

struct ClientFenceKey {
  std::string_view pointer;  // in a settings file
  Access access = Access::kRead;
};
inline constexpr std::array kClientFence = {
    ClientFenceKey{"/permissions/blockReadsOutsideWorkingDirectories", Access::kRead},
    ClientFenceKey{"/permissions/blockWritesOutsideWorkingDirectories", Access::kWrite},
};

// Measured on 2.1.330.
inline constexpr std::string_view kClientFenceCost =
    "--client-fence: the client itself refuses file tools and commands outside the project, so "
    "\"ringfence allow\" of a path outside has no effect. It also asks about commands that it "
    "cannot "
    "analyze, even in bypassPermissions (17 of 31 everyday commands), and offers no EnterWorktree";

}  // namespace ringfence
