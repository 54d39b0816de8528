// KDL 1.0, the language of Zellij's layouts (https://kdl.dev/spec-v1), read with the place of
// everything in the text, so that a part can be changed and the rest stays as it is. Strict: what
// the specification does not have is an error. Numbers are kept as they were written.
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
  std::string text;  // what a string says; a number as it is written
  size_t begin = 0;  // byte offsets in the document: [begin, end), without a type in front of it
  size_t end = 0;

  bool is_string() const { return kind == Kind::kString; }
  bool operator==(const KdlValue&) const = default;
};

// An argument, or a property where it has a name.
struct KdlEntry {
  std::optional<std::string> name;
  KdlValue value;

  bool operator==(const KdlEntry&) const = default;
};

struct KdlNode {
  std::string name;
  std::vector<KdlEntry> entries;
  std::vector<KdlNode> children;
  bool has_block = false;       // "{ ... }", also an empty one
  bool has_dead_block = false;  // "/-{ ... }": there cannot be another

  size_t begin = 0;        // of the node, its type included
  size_t name_end = 0;     // behind the name
  size_t entries_end = 0;  // behind the last entry, also one that is commented out
  size_t block_begin = 0;  // behind the "{"
  size_t block_end = 0;    // of the "}"

  bool operator==(const KdlNode&) const = default;
};

// `name` is what messages call the document. What "/-" takes away is not in the result.
Result<std::vector<KdlNode>> ReadKdl(std::string_view text, std::string_view name);

// `text`, valid UTF-8, as a KDL string with its quotes, on one line and without invisible
// characters.
std::string KdlString(std::string_view text);

}  // namespace ringfence
