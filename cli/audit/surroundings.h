// Builds the surroundings that a fixture describes, like those of a project on a disk.
#pragma once

#include "base/result.h"
#include "cli/audit/fixture.h"
#include "policy/load/object_reader.h"
#include "policy/load/sources.h"
#include "policy/places.h"

namespace ringfence {

// Reads "files" of a fixture whose project and home are already set. Adds errors to `document`.
void ReadFiles(JsonDocument& document, const JsonTree::Node& files, Fixture& fixture);

// Adds the fixture's files, and its project and homes if they are not among them.
void PutFiles(const Fixture& fixture, MemoryFiles& files);

// Finds the places as the hook does, with the programs in /opt/ringfence/bin. `sources` can widen
// the root to the repository.
Result<Places> PlacesOf(const Fixture& fixture, const FileView& files,
                        const PolicySources& sources);

// Loads the fixture's policies. A policy that cannot be used is an error.
Result<PolicySources> SourcesOf(const Fixture& fixture);

}  // namespace ringfence
