// Elements of a Seatbelt profile: strings, regular expressions, and file names as the macOS kernel
// compares them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/path.h"
#include "sandbox/guarded_names.h"

namespace ringfence {

// Returns `text` as a quoted SBPL string. No name can end the string or inject a form.
std::string SbplString(std::string_view text);

// Returns the name that the kernel uses for a path: "/tmp", "/var" and "/etc" are links into
// /private, and the data volume appears at the root through firmlinks. The plan has resolved all
// other links.
Path MacosPath(const Path& path);
GuardedName MacosName(GuardedName name);

// Allow rules compare bytes. Deny rules ignore letter case and treat all characters beyond ASCII as
// equal, since Seatbelt's expressions have no case-insensitive mode.
enum class Spelling : uint8_t { kExact, kForgiven };

// Returns an expression that matches exactly `path`, or `path` and everything below it.
std::string PathRegex(const Path& path, Spelling spelling);
std::string SubpathRegex(const Path& path, Spelling spelling);

// The same for a rule: git patterns (policy/rules/pattern.h) below a directory, or at any depth.
std::string NameRegex(const GuardedName& name, Spelling spelling);

}  // namespace ringfence
