// What the audit log has kept of a call, as a fixture: the tool, the paths where they led to, and
// the decision. The log has neither file contents nor commands, so it is the call as far as it was
// evaluated by its paths.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit_log/entry.h"
#include "base/json_tree.h"
#include "base/path.h"
#include "cli/audit/fixture.h"

namespace ringfence {

// Nothing where the log does not say what the decision was about (a host, say).
std::optional<Fixture> FixtureOfEntry(AuditEntry entry);

// Whether a search in the project that was not permitted may have been refused for its pattern,
// which can lead out of the project and which the log does not keep.
bool MayBeOfPattern(const Fixture& fixture, const Path& project);

// The lines of a log, each by its place. What is torn or another program's is skipped, since one
// such line must not cost all others.
FixtureFile ReadLog(std::string_view text, const std::string& path);

// One line of JSON that ReadFixtures() reads as the same fixture.
std::string FixtureLine(const Fixture& fixture);

// The event with what the client always sends: a name, a session, a mode.
std::string CompletedEvent(const JsonTree& tree, const JsonTree::Node& event);

}  // namespace ringfence
