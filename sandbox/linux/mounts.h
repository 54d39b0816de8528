// Single mounts, made by descriptor, so that the directory that was checked is the one that is
// mounted.
#pragma once

#include <linux/openat2.h>

#include <string>

#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/plan.h"

namespace ringfence {

// openat2(2). Invalid, with errno set, on failure.
UniqueFd OpenAs(int folder, const std::string& path, const open_how& how);

// Opens `path` with O_PATH and follows no link (openat2(2), RESOLVE_NO_SYMLINKS): a plan's paths
// are resolved, so one that leads elsewhere now is an error (ELOOP).
Result<UniqueFd> OpenPlace(const Path& path);

// Opens `name`, even a link, in the same mount, with O_PATH. Invalid if it does not exist or
// something else is mounted over it.
UniqueFd OpenInMount(const UniqueFd& folder, const std::string& name);

// Returns a detached copy of the mount at `path` (open_tree(2)); invalid, with errno set, on
// failure.
UniqueFd OpenTree(int folder, const char* path, unsigned flags = 0);

enum class Writable : bool { kNo, kYes };

// Returns a detached copy of the mounts at and below `path`, private and without set-user-ID
// programs.
Result<UniqueFd> CloneTree(const Path& path, Writable writable);

// Returns a detached copy of only the mount at `path`, with its attributes unchanged.
Result<UniqueFd> CloneAsItIs(const std::string& path);

// Attaches a detached copy over `path`.
Status AttachTree(const UniqueFd& tree, const Path& path);

// The same in a private file system in which only this process has created names, so `path` cannot
// lead elsewhere.
Status AttachToOwn(const UniqueFd& tree, const std::string& path);

// Makes everything at and below `path` read-only; it stays visible.
Status SealPlace(const Path& path);

// Mounts an empty tmpfs at `path`.
Status MountMemory(const std::string& path, const std::string& options);

// Creates the missing directories above `path` and, at `path`, a directory or an empty file to
// mount over. Only for private parts of the view.
Status MakeMountPoint(const Path& path, PlannedPlace::Kind kind);

// Makes the whole view below "/" private and without set-user-ID programs, and read-only unless
// `root` is kYes.
Status SealEverything(Writable root);

// Makes the mount at `path` read-only, but not those below it.
Status SealMount(const std::string& path);

}  // namespace ringfence
