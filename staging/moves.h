// Pairs files that were removed with files of the same content that were created: rename(2) of a
// directory does not work in an overlay mount, so programs copy and remove instead.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "staging/change_list.h"

namespace ringfence {

// Reads the bytes of a file that was removed, or of one that was created.
using ReadBytes = std::function<Result<std::string>(const std::string& path)>;

// Sets Change::moved_from of files that are the only ones with their content, and of directories
// all of whose files were moved, with what is in them. Reads only files of which one was removed
// and one created with the same size, and none beyond 16 MiB.
void FindMoves(ChangeList& changes, const ReadBytes& removed, const ReadBytes& created);

}  // namespace ringfence
