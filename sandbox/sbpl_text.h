// What a Seatbelt profile is written with: strings, regular expressions and names of files as the
// macOS kernel compares them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/path.h"
#include "sandbox/guarded_names.h"

namespace ringfence {

// `text` as a string of SBPL, quotes included: no name can end it or begin a form of its own.
std::string SbplString(std::string_view text);

// Where the kernel says that a name is: "/tmp", "/var" and "/etc" are links into /private, and the
// data volume is seen through firmlinks at the root. Other links were followed by the plan.
Path MacosPath(const Path& path);
GuardedName MacosName(GuardedName name);

// Allow rules compare bytes. Deny rules forgive letter case, and where a character beyond ASCII
// could be meant they forgive any of them: Seatbelt's expressions have no switch for it.
enum class Spelling : uint8_t { kExact, kForgiven };

// An expression that finds exactly `path`, and one that finds it and everything below.
std::string PathRegex(const Path& path, Spelling spelling);
std::string SubpathRegex(const Path& path, Spelling spelling);

// The same for a rule: git's patterns (policy/rules/pattern.h) below a folder, or at any depth.
std::string NameRegex(const GuardedName& name, Spelling spelling);

}  // namespace ringfence
