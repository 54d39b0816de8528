// Rules that change nothing, and settings of a policy that contradict each other. Whether a path
// rule can match is asked of the decision itself.
#pragma once

#include "cli/check/finding.h"
#include "policy/files/file_view.h"
#include "policy/load/sources.h"
#include "policy/places.h"

namespace ringfence {

// "policy.json:6" and "/write/allow WHAT".
Error AtRule(const RulePlace& place, std::string_view what);

// `sources` are the built-in policy and, for LintPolicy(), the one file that is looked at, as the
// user's.
struct LintQuestion {
  const PolicySources& sources;
  const Places& places;
  const FileView& files;
};

Findings LintPolicy(const LintQuestion& question);

// The files that count together, for a registration with that profile ("": none): what none of them
// says alone. `settings` is a settings file of the client's that asks nobody, or "".
Findings LintTogether(const LintQuestion& question, std::string_view profile,
                      std::string_view settings);

// The policy for whom `profile` is; nullptr: everybody else.
Result<Policy> MergedFor(const LintQuestion& question, const Profile* profile);

// Its parts.
struct LintSection {
  const PolicyFile& file;
  const Sections& sections;
  const Profile* profile = nullptr;  // nullptr: the top of the file
};
void LintPaths(const LintQuestion& question, const LintSection& section, Findings& findings);
void LintNames(const LintSection& section, Findings& findings);  // tools, hosts, MCP entries
void LintProfiles(const LintQuestion& question, Findings& findings);

}  // namespace ringfence
