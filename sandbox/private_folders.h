// Directories that are private to a confined command, whatever the host has there; lookup of the
// planned place that holds a path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "policy/places.h"
#include "sandbox/plan.h"

namespace ringfence {

// Private through mounts, which only Linux has.
inline constexpr std::string_view kPrivateFolders[] = {"/tmp", "/run", "/dev", "/proc"};
inline constexpr std::string_view kHostsTmp = "/tmp";

// Returns the host's /tmp with links resolved.
Path HostsTmp(const CachedFiles& files);

// Returns the command's own directory for temporary files, used if plan.private_tmp is set: "/tmp"
// of the view on Linux; on macOS, a directory that the back end creates for this user alone. "/" if
// the system handles this itself.
Path PrivateTmp(const SandboxPlan& plan);

// IsPrivate(): the path is a private directory or inside one. IsPrivateItself(): it is one.
bool IsPrivate(const SandboxPlan& plan, const Path& path);
bool IsPrivateItself(const SandboxPlan& plan, const Path& path);

// Returns the place that is or contains the path, or nullptr.
const PlannedPlace* Holding(const std::vector<PlannedPlace>& places, const Path& path);

// Returns the paths, sorted, without those inside another.
std::vector<Path> Outermost(std::vector<Path> paths);

// Returns the directory that holds all sessions' directories. Only the user may enter it, and every
// sandbox hides it. "/" if no home is known.
Path SessionFolders(const Places& places);

// Returns the directory with the control socket of ringfence-proxy. Only the user may enter it, and
// every sandbox hides it. "/" if no home is known.
Path ProxyFolder(const Places& places);

// Returns the directory with what `ringfence allow --session` permitted. Its names are the ids of
// sessions, and every sandbox hides it. "/" if no home is known.
Path GrantsFolder(const Places& places);

// Returns the directory with the stages (staging/store/stage_store.h). Only the user may enter it,
// and every sandbox hides it. "/" if no home is known.
Path StagesFolder(const Places& places);

// Returns the directory with the copies of projects that commands work in where nothing can be
// mounted. No sandbox may write to the one above, so they are beside it. "/" if no home is known.
Path CopiesFolder(const Places& places);

// Returns the session's own directory, in which its commands keep their /tmp, named by a digest;
// "/" if there is no session.
Path SessionFolder(const Places& places, std::string_view session);

// Name of the temporary directory for a sandbox without a session, if nothing can be mounted. A
// killed launcher leaves the directory behind.
std::string ScratchFolder(uint64_t number);
bool IsScratch(const Path& path, const Path& tmp);

}  // namespace ringfence
