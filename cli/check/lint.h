// Finds rules that change nothing, and settings of a policy that contradict each other. Runs the
// real decision to see whether a path rule can match.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "cli/check/finding.h"
#include "policy/files/file_view.h"
#include "policy/load/sources.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// An error at "policy.json:6" with the text "/write/allow WHAT".
Error AtRule(const RulePlace& place, std::string_view what);

// `sources` has the built-in policy and, for LintPolicy(), the one file to check, in the user
// layer.
struct LintQuestion {
  const PolicySources& sources;
  const Places& places;
  const FileView& files;
};

Findings LintPolicy(const LintQuestion& question);

// Checks all files merged, for a registration with `profile` ("": none), to find mistakes that no
// single file has. `settings` is a settings file with "bypassPermissions", or "".
Findings LintTogether(const LintQuestion& question, std::string_view profile,
                      std::string_view settings);

// Merges the policy for the callers of `profile`; nullptr: for all other callers.
Result<Policy> MergedFor(const LintQuestion& question, const Profile* profile);

// The parts of LintPolicy().
struct LintSection {
  const PolicyFile& file;
  const Sections& sections;
  const Profile* profile = nullptr;  // nullptr: the top of the file
};
void LintPaths(const LintQuestion& question, const LintSection& section, Findings& findings);
void LintNames(const LintSection& section, Findings& findings);  // tools, hosts, MCP entries
void LintProfiles(const LintQuestion& question, Findings& findings);

// A contradiction: a session without questions, and commands that may leave the sandbox after one.
struct BypassQuestion {
  const Policy& policy;  // the result of MergePolicies(sources, profile, places, ...)
  const PolicySources& sources;
  std::string_view profile;  // --profile, or ""
  const Places& places;
  std::string_view settings = "";  // a settings file with "bypassPermissions"
};

// Returns an error with the place of bash.unsandboxed if client.permission_mode, or that settings
// file, has "bypassPermissions" and bash.unsandboxed is not "deny". A profile that the user chose,
// by --profile or by the project's location, may have both if it sets at least one of them itself.
std::optional<Error> UnsafeBypass(const BypassQuestion& question);

}  // namespace ringfence
