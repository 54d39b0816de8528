// The surroundings that a fixture describes, as those of a project on a disk.
#pragma once

#include "base/result.h"
#include "cli/audit/fixture.h"
#include "policy/load/object_reader.h"
#include "policy/load/sources.h"
#include "policy/places.h"

namespace ringfence {

// Reads "files" of a fixture whose project and home are known. Every mistake is one of `document`.
void ReadFiles(JsonDocument& document, const JsonTree::Node& files, Fixture& fixture);

// Puts its files there, and the project and the homes, which need not be named.
void PutFiles(const Fixture& fixture, MemoryFiles& files);

// Found as the hook finds them. The programs are taken to be in /opt/ringfence/bin. `sources` may
// say that the root is the repository.
Result<Places> PlacesOf(const Fixture& fixture, const FileView& files,
                        const PolicySources& sources);

// The policies that stand in the fixture. One that cannot be used is an error.
Result<PolicySources> SourcesOf(const Fixture& fixture);

}  // namespace ringfence
