// Reads KDL 1.0, the language of Zellij's layouts (https://kdl.dev/spec-v1). Records the position
// of every part in the text, so that one part can be changed and the rest stays as it is. Strict:
// anything outside the specification is an error. Keeps numbers as written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringfence {

struct KdlValue {
  enum class Kind : uint8_t { kString, kNumber, kTrue, kFalse, kNull };
  Kind kind = Kind::kNull;
  std::string text;  // the value of a string, or a number as written
  size_t begin = 0;  // byte offsets [begin, end) in the document, without a preceding type
  size_t end = 0;

  bool is_string() const { return kind == Kind::kString; }
  bool operator==(const KdlValue&) const = default;
};

// An argument, or a property if it has a name.
struct KdlEntry {
  std::optional<std::string> name;
  KdlValue value;

  bool operator==(const KdlEntry&) const = default;
};

struct KdlNode {
  std::string name;
  std::vector<KdlEntry> entries;
  std::vector<KdlNode> children;
  bool has_block = false;       // "{ ... }", even if empty
  bool has_dead_block = false;  // "/-{ ... }"; no other block can follow

  size_t begin = 0;        // of the node, including its type
  size_t name_end = 0;     // after the name
  size_t entries_end = 0;  // after the last entry, even if commented out
  size_t block_begin = 0;  // after the "{"
  size_t block_end = 0;    // of the "}"

  bool operator==(const KdlNode&) const = default;
};

// `name` is the document's name in messages. The result leaves out what "/-" comments out.
Result<std::vector<KdlNode>> ReadKdl(std::string_view text, std::string_view name);

// Returns `text`, which is valid UTF-8, as a quoted KDL string on one line, with invisible
// characters escaped.
std::string KdlString(std::string_view text);

}  // namespace ringfence
