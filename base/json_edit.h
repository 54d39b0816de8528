// Edits the text of a JSON document in place: all other text stays the same byte for byte, and new
// text is formatted like its neighbours (indentation, line ends, one line or many).
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/json_tree.h"
#include "base/result.h"

namespace ringfence {

class JsonEdit {
 public:
  using Node = JsonTree::Node;

  // `text` may begin with a byte order mark, which is kept. `comments` allows // and /* */.
  static Result<JsonEdit> Open(std::string_view text, std::string name, bool comments);

  std::string text() const { return mark_ + tree_.text(); }
  const JsonTree& tree() const { return tree_; }
  const Node& root() const { return tree_.root(); }
  const Node* At(std::string_view pointer) const { return NodeAt(tree_, pointer); }

  // Each of these parses the new text and invalidates all nodes obtained before. Remove() is the
  // exact inverse of AddMember() and AddElement() if the container was not empty before.
  void AddMember(const Node& object, std::string_view key, const OrderedJson& value);
  void AddElement(const Node& array, const OrderedJson& value);
  void Replace(const Node& node, const OrderedJson& value);
  void ReplaceRaw(const Node& node, std::string_view json);
  void Remove(const Node& node);

  // The text between the brackets of an empty container.
  std::string_view Gap(const Node& empty_container) const;
  void SetGap(const Node& empty_container, std::string_view gap);

  std::string_view Raw(const Node& node) const;
  OrderedJson Value(const Node& node) const;

 private:
  JsonEdit(JsonTree tree, std::string mark, bool comments);

  void Splice(size_t begin, size_t end, std::string_view replacement);
  void Insert(const Node& container, const std::string& key, const OrderedJson& value);
  void InsertIntoEmpty(const Node& container, const std::string& key, const OrderedJson& value);

  bool IsFirstOnLine(size_t offset) const;
  std::string IndentOf(size_t offset) const;  // of the line that holds `offset`
  size_t AfterComment(size_t offset) const;
  bool IsOneLine() const;
  std::string CommentBehind(const Node& before, const Node& node) const;
  std::string Filled(const OrderedJson& array, const std::string& indent) const;
  std::string Rendered(const OrderedJson& value, const std::string& indent, bool in_lines) const;

  JsonTree tree_;
  std::string mark_;
  bool comments_;
  std::string unit_;  // one step of indentation
  std::string newline_;
};

}  // namespace ringfence
