// What mounts show under several names, for a plan: places are covered, sealed and guarded under
// each.
#pragma once

#include <vector>

#include "policy/files/mount_table.h"
#include "sandbox/plan.h"

namespace ringfence {

// Where the file or directory at `place`, or a part of it, is seen besides.
std::vector<Path> Elsewhere(const MountTable& mounts, const Path& place);

// Has `names` evaluate what lies in one of the writable `places` by its other names as well, and
// adds those to `places`, so that rules which begin there are not left out.
void GuardElsewhere(const MountTable& mounts, std::vector<PlannedPlace>& places,
                    GuardedNames& names);

// Adds the other names of what is hidden, or says in `weaker` why it does not: where `kept` lies
// below one, which is the project or a home.
void HideElsewhere(const MountTable& mounts, const std::vector<Path>& kept,
                   std::vector<HiddenPlace>& hidden, std::vector<std::string>& weaker);

// Says in `weaker` that a mount over a hidden name does not cover other spellings of it, where the
// file system may accept them.
void NoteSpellings(const MountTable& mounts, const std::vector<HiddenPlace>& hidden,
                   std::vector<std::string>& weaker);

}  // namespace ringfence
