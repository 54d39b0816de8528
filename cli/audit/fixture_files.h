// Finds and reads fixture files.
#pragma once

#include <string>
#include <vector>

#include "cli/audit/fixture.h"

namespace ringfence {

// Searches directories for *.json, *.jsonl and *.ndjson, in the order of their names, without
// following links in them. Adds all errors of all files to `mistakes`, including fixtures with
// equal names.
FixtureFile ReadFixtureFiles(const std::vector<std::string>& paths, std::vector<Error>& mistakes);

// Reads audit logs in the same way (ReadLog()), but does not compare names.
FixtureFile ReadLogFiles(const std::vector<std::string>& paths, std::vector<Error>& mistakes);

}  // namespace ringfence
