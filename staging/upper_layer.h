// Reads the upper layer of an overlay mount, where the kernel keeps what was changed: files as they
// are now, whiteouts for removed names, and "opaque" marks on replaced directories
// (Documentation/filesystems/overlayfs.rst of the kernel).
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "staging/change_list.h"

namespace ringfence {

// Compares the layer with the project, and leaves out what is the same in both. The command may
// still run: then this is a state in between. Takes time for what was changed, not for the
// project. An error names what cannot be read.
Result<ChangeList> ReadUpperLayer(const UniqueFd& written, const UniqueFd& project);

// True for a mark of a removed name that is a device.
bool IsWhiteout(const UniqueFd& folder, const std::string& path);

}  // namespace ringfence
