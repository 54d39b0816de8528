// Turns calls in the audit log into fixtures with the tool, the resolved paths and the decision.
// The log has neither file contents nor commands, so a fixture covers only what the paths decided.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit_log/entry.h"
#include "base/path.h"
#include "cli/audit/fixture.h"

namespace ringfence {

// Returns nullopt if the log does not say what the decision was about (a host, for example).
std::optional<Fixture> FixtureOfEntry(AuditEntry entry);

// True if the fixture is a search in the project that was not permitted. Its pattern can be the
// reason: patterns can lead outside the project, and the log does not keep them.
bool MayBeOfPattern(const Fixture& fixture, const Path& project);

// Reads the lines of a log, and names each fixture by its place. Skips lines that are torn or that
// another program wrote, because one bad line must not lose the others.
FixtureFile ReadLog(std::string_view text, const std::string& path);

// Returns one line of JSON that ReadFixtures() reads as the same fixture.
std::string FixtureLine(const Fixture& fixture);

}  // namespace ringfence
