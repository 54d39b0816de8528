// Files that mounts show under several names: a plan covers, seals and guards each name.
#pragma once

#include <vector>

#include "policy/files/mount_table.h"
#include "sandbox/plan.h"

namespace ringfence {

// Returns the other paths at which the file or directory at `place`, or a part of it, is visible.
std::vector<Path> Elsewhere(const MountTable& mounts, const Path& place);

// Makes `names` also evaluate the other names of files in the writable `places`, and adds those
// names to `places`, so that rules that begin there are not left out.
void GuardElsewhere(const MountTable& mounts, std::vector<PlannedPlace>& places,
                    GuardedNames& names);

// Adds the other names of hidden places. If one of them contains a path of `kept` (the project or a
// home), adds a note to `weaker` instead.
void HideElsewhere(const MountTable& mounts, const std::vector<Path>& kept,
                   std::vector<HiddenPlace>& hidden, std::vector<std::string>& weaker);

// Adds a note to `weaker` if the file system may accept other spellings of a hidden name, which a
// mount over the name does not cover.
void NoteSpellings(const MountTable& mounts, const std::vector<HiddenPlace>& hidden,
                   std::vector<std::string>& weaker);

}  // namespace ringfence
