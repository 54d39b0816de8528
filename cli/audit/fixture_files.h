// Finds the files that hold fixtures and reads them all.
#pragma once

#include <string>
#include <vector>

#include "cli/audit/fixture.h"

namespace ringfence {

// Folders are searched for *.json, *.jsonl and *.ndjson, in the order of their names; links in them
// are not followed. Every mistake of every file is added to `mistakes`, also two fixtures of one
// name.
FixtureFile ReadFixtureFiles(const std::vector<std::string>& paths, std::vector<Error>& mistakes);

// The same of files whose lines are those of the audit log (ReadLog()).
FixtureFile ReadLogFiles(const std::vector<std::string>& paths, std::vector<Error>& mistakes);

}  // namespace ringfence
