// Classifies a string in an MCP tool's input by its own text. Argument names say little, because
// every server chooses its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

// Bytes of a value that are kept. More than PATH_MAX, because servers shorten "a/../a/..".
constexpr size_t kMaxValue = size_t{64} * 1024;

enum class ValueForm : uint8_t {
  kText,       // can be neither a path here nor a URL
  kRelative,   // a relative path, if it is a path at all
  kClimbing,   // a relative path with ".."
  kAbsolute,   // "/x"
  kHome,       // "~", "~/x", "$HOME/x"
  kOtherHome,  // "~name/x"
  kFileUrl,    // "file:..."
  kWebUrl,     // "https://x", with the spellings that URL parsers repair
  kOtherUrl,   // "team://x": its meaning is up to the server, unless a directory has that name
};

struct Value {
  ValueForm form = ValueForm::kText;
  // The text as a server reads it: without surrounding white space, "~/x" for "$HOME/x".
  std::string text;
  // Looks like prose rather than a path: several words (two, if absolute or in a home), several
  // lines, "(../". It is a path only if it names something.
  bool is_prose = false;
  // The value is not kText and is longer than kMaxValue. The missing rest may lead anywhere.
  bool is_cut = false;
  // For a home: the text as written ("~/x", "$HOME/x", "~name/x"), a relative path to a server that
  // expands nothing.
  std::string literal = {};

  bool is_path() const { return form >= ValueForm::kRelative && form <= ValueForm::kOtherHome; }
};

// `text` is complete or was cut at kMaxValue.
Value ReadValue(std::string_view text);

// True if the text looks like prose: several words, several lines, "(../".
bool IsProse(std::string_view text);

// Returns the path before the first ":" of a path: "/etc" in "/etc:/mnt", the form of Docker's
// mounts, and "src/a.c" in "src/a.c:12". Returns "" if there is none: "/:id" is a route, and in
// prose a colon is not followed by "/x".
std::string_view BoundPath(std::string_view text);

// True for "/project:/app", which names two directories and none named "/project:". False with
// "..": a server that reads the text as one path could still be led elsewhere.
bool BindsDirectory(std::string_view text);

// True if the text may be a JSON list or object: '["/etc/hosts"]'.
bool LooksLikeDocument(std::string_view text);

// True if the text is more than one plain path, so no command could name it: "/etc/hosts,
// /etc/passwd", several lines.
bool HoldsSeveralPaths(std::string_view text);

// Returns the first name of a path, skipping any "." before it.
std::string_view FirstName(std::string_view path);

}  // namespace ringfence
