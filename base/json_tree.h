// JsonTree holds a whole small JSON document (a policy, a settings file) in memory. Every value
// knows its position, so that a mistake can be reported with line and column and the text around it
// can be edited. The tree keeps the document's text; nodes point into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_kind.h"
#include "base/json_scanner.h"
#include "base/result.h"

namespace ringfence {

class JsonTree {
 public:
  using Kind = JsonKind;
  using Index = uint32_t;
  static constexpr Index kNone = UINT32_MAX;

  struct Node {
    Kind kind = Kind::kNull;
    bool has_nul = false;
    bool has_lone_surrogate = false;
    uint32_t begin = 0;  // byte offsets of the value in text(): [begin, end)
    uint32_t end = 0;
    Index parent = kNone;
    Index first_child = kNone;
    Index next = kNone;  // the next member or element
    uint32_t size = 0;   // number of members or elements; otherwise size of content()
    uint32_t key = kNone;
    const char* data = nullptr;

    // The value of a string; a number as written.
    std::string_view content() const {
      return data == nullptr ? std::string_view() : std::string_view(data, size);
    }
  };

  struct ChildIterator {
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    const JsonTree* tree = nullptr;
    Index at = kNone;

    const Node& operator*() const { return tree->node(at); }
    ChildIterator& operator++() { return *this = {tree, (**this).next}; }
    ChildIterator operator++(int) { return std::exchange(*this, {tree, (**this).next}); }
    bool operator==(const ChildIterator& other) const { return at == other.at; }
  };
  struct Children {
    ChildIterator first;
    ChildIterator begin() const { return first; }
    ChildIterator end() const { return {}; }
  };
  // The members of an object, the elements of an array; none for other nodes.
  Children ChildrenOf(const Node& node) const { return {{this, node.first_child}}; }

  // `name` is the document's name in messages. `comments` allows // and /* */. If the text is one
  // line of a longer file, `first_line` is its number there, from 1.
  static Result<JsonTree> Parse(std::string text, std::string name, bool comments,
                                uint32_t first_line = 1);
  // Parses a file written by people, with comments allowed. Records a duplicate key in `mistakes`
  // and continues, so that later mistakes are found as well. The tree serves only to find them:
  // with any mistake the file is unusable.
  static Result<JsonTree> ParseForPeople(std::string text, std::string name,
                                         std::vector<Error>& mistakes);

  const Node& root() const { return nodes_.front(); }
  const Node& node(Index index) const { return nodes_[index]; }
  Index IndexOf(const Node& node) const { return static_cast<Index>(&node - nodes_.data()); }
  // Returns the member `key` of an object, or nullptr (also if `node` is not an object).
  const Node* Find(const Node& node, std::string_view key) const;
  // Returns the string value of the member `key`, or "" if there is none.
  std::string_view Text(const Node& node, std::string_view key) const;

  // A member's name, and the byte offset of the name's opening quote.
  std::string_view KeyOf(const Node& node) const {
    return node.key == kNone ? std::string_view() : keys_[node.key].text;
  }
  uint32_t KeyBegin(const Node& node) const {
    return node.key == kNone ? node.begin : keys_[node.key].begin;
  }

  const std::string& text() const { return *text_; }
  const std::string& name() const { return name_; }
  // "name:line:column" of a byte offset in text().
  std::string PlaceOf(size_t offset) const;

  // JSON pointer (RFC 6901) of a node, "" for the root.
  std::string Pointer(const Node& node) const;

 private:
  class Builder;
  Status Fill(std::string text, JsonScanner::Options options, std::vector<Error>* mistakes);
  std::unique_ptr<std::string> text_;  // on the heap, so that nodes survive a move of the tree
  std::unique_ptr<std::deque<std::string>> decoded_;
  std::string name_;
  uint32_t first_line_ = 1;
  struct Key {
    std::string_view text;
    uint32_t begin = 0;
  };
  std::vector<Node> nodes_;  // compact: a policy may have many entries
  std::vector<Key> keys_;
};

using JsonNode = JsonTree::Node;

// Returns the node at a JSON pointer ("~1" and "~0" escapes, array positions), or nullptr.
const JsonNode* NodeAt(const JsonTree& tree, std::string_view pointer);

// "name:line:column" of a byte offset; lines count from `first_line`, columns from 1, in bytes.
std::string PlaceText(std::string_view name, std::string_view text, size_t offset,
                      uint32_t first_line = 1);
uint32_t LineOf(std::string_view text, size_t offset);

std::string_view KindName(JsonKind kind);  // "an object", "a string", ...

}  // namespace ringfence
