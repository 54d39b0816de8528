// JsonTree is a whole small JSON document (a policy, a settings file) in memory, in which every
// value knows its place, so that a mistake can be reported with line and column and a text can be
// edited around it. It keeps the document's text; nodes point into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_scanner.h"
#include "base/result.h"

namespace ringfence {

class JsonTree {
 public:
  enum class Kind : uint8_t { kObject, kArray, kString, kNumber, kTrue, kFalse, kNull };
  using Index = uint32_t;
  static constexpr Index kNone = UINT32_MAX;

  struct Node {
    Kind kind = Kind::kNull;
    bool has_nul = false;
    bool has_lone_surrogate = false;
    uint32_t begin = 0;  // byte offsets of the value in text(): [begin, end)
    uint32_t end = 0;
    uint32_t key_begin = 0;  // of the key's opening quote, for a member
    Index parent = kNone;
    Index first_child = kNone;
    Index next = kNone;        // the next member or element
    std::string_view key;      // of a member
    std::string_view content;  // the string's value, the number as written
  };

  // `name` is what messages call the document. `comments` allows // and /* */.
  static Result<JsonTree> Parse(std::string text, std::string name, bool comments);

  const Node& root() const { return nodes_.front(); }
  const Node& node(Index index) const { return nodes_[index]; }
  Index IndexOf(const Node& node) const { return static_cast<Index>(&node - nodes_.data()); }
  // The member `key` of an object, or nullptr (also when `node` is no object).
  const Node* Find(const Node& node, std::string_view key) const;

  const std::string& text() const { return *text_; }
  const std::string& name() const { return name_; }

  // JSON pointer (RFC 6901) of a node, "" for the root.
  std::string Pointer(const Node& node) const;

 private:
  class Builder;
  std::unique_ptr<std::string> text_;  // on the heap: nodes point into it when the tree is moved
  std::unique_ptr<std::deque<std::string>> decoded_;
  std::string name_;
  std::vector<Node> nodes_;
};

// "name:line:column" of a byte offset; lines and columns count from 1, columns in bytes.
std::string PlaceText(std::string_view name, std::string_view text, size_t offset);
uint32_t LineOf(std::string_view text, size_t offset);

std::string_view KindName(JsonTree::Kind kind);  // "an object", "a string", ...

}  // namespace ringfence
