// What a string in the input of an MCP tool is, by its own text: the names of arguments say little
// about them, since every server chooses its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

constexpr size_t kMaxValue = size_t{64} * 1024;  // bytes that are kept; servers shorten "a/../a/.."

enum class ValueForm : uint8_t {
  kText,       // cannot be a path here, nor a URL
  kRelative,   // a relative path, if it is one
  kClimbing,   // a relative path with ".."
  kAbsolute,   // "/x"
  kHome,       // "~", "~/x", "$HOME/x"
  kOtherHome,  // "~name/x"
  kFileUrl,    // "file:..."
  kWebUrl,     // "https://x", with the spellings that URL parsers repair
  kOtherUrl,   // "team://x": the server's own business, unless a folder has such a name
};

struct Value {
  ValueForm form = ValueForm::kText;
  // As a server would read it: without white space around it, "~/x" for "$HOME/x".
  std::string text;
  // Looks like writing rather than like a path: several words (of what is absolute or in a home,
  // two), lines, "(../". It is a path only if it names something.
  bool is_prose = false;
  // It is no text, and longer than kMaxValue. What follows may lead anywhere.
  bool is_cut = false;
  // Of a home as it was written ("~/x", "$HOME/x", "~name/x"): a relative path to a server that
  // expands nothing.
  std::string literal = {};
};

// `text` is whole, or was cut at kMaxValue.
Value ReadValue(std::string_view text);

// Looks like writing: several words, lines, "(../".
bool IsProse(std::string_view text);

// What stands before the first ":" of a path, which is one as well: "/etc" of "/etc:/mnt", as
// Docker binds folders, "src/a.c" of "src/a.c:12". "" where there is none: "/:id" is a route, and
// what follows a colon in writing is not "/x".
std::string_view BoundPath(std::string_view text);

// "/project:/app" names two directories, and none called "/project:". With ".." it could still lead
// a server elsewhere that takes it for one path.
bool BindsDirectory(std::string_view text);

// May be a JSON list or object in a string: '["/etc/hosts"]'.
bool LooksLikeDocument(std::string_view text);

// More than a plain path, so that no command could name it: "/etc/hosts, /etc/passwd", lines.
bool HoldsSeveralPaths(std::string_view text);

// The first name of a path, without "." before it.
std::string_view FirstName(std::string_view path);

}  // namespace ringfence
