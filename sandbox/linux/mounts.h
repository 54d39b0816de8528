// Single mounts, by descriptor: what was looked at is what is mounted.
#pragma once

#include <string>

#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/plan.h"

namespace ringfence {

// `path` as an O_PATH descriptor, no link on the way (openat2(2), RESOLVE_NO_SYMLINKS): a plan's
// paths were resolved, and one that leads elsewhere now is an error (ELOOP).
Result<UniqueFd> OpenPlace(const Path& path);

// What has this name in the same mount, also a link, as an O_PATH descriptor. Invalid where there
// is none, or something else is mounted there.
UniqueFd OpenInMount(const UniqueFd& folder, const std::string& name);

// A detached copy of the mount at `path` (open_tree(2)); invalid, with errno, where it fails.
UniqueFd OpenTree(int folder, const char* path, unsigned flags = 0);

enum class Writable : bool { kNo, kYes };

// A detached copy of the mounts at and below `path`, private, without set-user-ID programs.
Result<UniqueFd> CloneTree(const Path& path, Writable writable);

// The same of the mount at `path` alone, with the attributes that it has.
Result<UniqueFd> CloneAsItIs(const std::string& path);

// Attaches such a copy over what `path` names.
Status AttachTree(const UniqueFd& tree, const Path& path);

// The same in a private file system of which this process alone has made the names: `path` leads
// nowhere else.
Status AttachToOwn(const UniqueFd& tree, const std::string& path);

// What is at and below `path` stays in sight and becomes read-only.
Status SealPlace(const Path& path);

// An empty file system in memory at `path`.
Status MountMemory(const std::string& path, const std::string& options);

// Makes the folders above `path`, and at `path` a folder or an empty file to mount upon, where they
// are missing. Only for private parts of the view.
Status MakeMountPoint(const Path& path, PlannedPlace::Kind kind);

// The whole view below "/" becomes read-only and private, set-user-ID programs lose their effect.
Status SealEverything(Writable root);

// The mount at `path`, not those below it.
Status SealMount(const std::string& path);

}  // namespace ringfence
