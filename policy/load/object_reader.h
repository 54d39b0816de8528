// Reads JSON objects strictly: accessors check the type of each value, and Finish() reports every
// key that no accessor asked for. All mistakes of a file are collected, each with its place.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json_tree.h"
#include "base/result.h"
#include "base/text.h"

namespace ringfence {

// The document that is being read, and its mistakes.
class JsonDocument {
 public:
  using Node = JsonTree::Node;

  JsonDocument(const JsonTree& tree, std::vector<Error>& mistakes)
      : tree_(tree), mistakes_(mistakes) {}

  const JsonTree& tree() const { return tree_; }
  void Wrong(const Node& node, std::string_view what, std::string_view hint = "");
  bool WrongKind(const Node& node, std::string_view wanted);  // always false
  // True if the node is a string; otherwise reports a mistake.
  bool IsString(const Node& node) {
    return node.kind == JsonTree::Kind::kString || WrongKind(node, "a string");
  }
  void UnknownKey(const Node& node, std::string_view what, std::string_view nearest);

 private:
  void Add(size_t offset, std::string what, std::string_view hint);

  const JsonTree& tree_;
  std::vector<Error>& mistakes_;
};

class ObjectReader {
 public:
  using Node = JsonTree::Node;
  template <typename T>
  struct Choice {
    std::string_view word;
    T value;
  };

  // If the node is not an object, reports a mistake and finds no keys.
  ObjectReader(JsonDocument& document, const Node& node);

  // Return the value of `key`, or nullptr if it is absent or has another type (a mistake).
  const Node* Any(std::string_view key);
  const Node* Object(std::string_view key);
  const Node* Array(std::string_view key);
  std::optional<bool> Bool(std::string_view key);
  std::optional<std::string_view> String(std::string_view key);
  std::optional<double> Number(std::string_view key);
  // Returns the elements of an array of strings.
  std::optional<std::vector<const Node*>> Strings(std::string_view key);

  // `choices`: a range of Choice, or of anything with a `word` and a `value`.
  template <typename Choices>
  auto OneOf(std::string_view key, const Choices& choices) {
    std::optional<std::remove_cvref_t<decltype(std::begin(choices)->value)>> value;
    const std::optional<std::string_view> word = String(key);
    if (!word) return value;
    std::vector<std::string_view> words;
    for (const auto& choice : choices) {
      if (choice.word == *word) return value = choice.value;
      words.push_back(choice.word);
    }
    NotOneOf(key, *word, words);
    return value;
  }

  // True if an accessor has asked for `key`.
  bool Knows(std::string_view key) const { return std::ranges::find(known_, key) != known_.end(); }

  void Finish();

 private:
  const Node* Typed(std::string_view key, JsonTree::Kind kind);
  void NotOneOf(std::string_view key, std::string_view word,
                std::span<const std::string_view> words);

  JsonDocument& document_;
  const Node& node_;
  bool is_object_;
  std::vector<std::string_view> known_;
};

// Reads a file that ringfence wrote, {"version": 1, LIST: [...]}, with `read` for each element.
// Returns the first mistake.
template <typename Read>
Status ReadOwnFile(std::string text, std::string shown, std::string_view list, const Read& read) {
  const Result<JsonTree> tree = JsonTree::Parse(std::move(text), std::move(shown), false);
  if (!tree) return tree.error();
  std::vector<Error> mistakes;
  JsonDocument document(*tree, mistakes);
  ObjectReader object(document, tree->root());
  if (object.Number("version") != 1) document.Wrong(tree->root(), "needs \"version\": 1");
  if (const JsonNode* elements = object.Array(list)) {
    for (const JsonNode& element : tree->ChildrenOf(*elements)) read(document, element);
  } else {
    document.Wrong(tree->root(), "needs an array " + Quote(list));
  }
  object.Finish();
  if (!mistakes.empty()) return mistakes.front();
  return Unit{};
}
std::string OwnFileText(std::string_view list, const std::string& elements);

}  // namespace ringfence
