#include "policy/load/object_reader.h"

#include <cstdlib>

#include "base/text.h"

namespace ringfence {

using Kind = JsonTree::Kind;

constexpr size_t kMaxNumber = 64;  // digits; the scanner keeps no more

void JsonDocument::Add(size_t offset, std::string what, std::string_view hint) {
  mistakes_.push_back(ConfigError(tree_.PlaceOf(offset), std::move(what), std::string(hint)));
}

void JsonDocument::Wrong(const Node& node, std::string_view what, std::string_view hint) {
  const std::string pointer = tree_.Pointer(node);
  Add(node.begin, (pointer.empty() ? "" : Printable(pointer) + " ") + std::string(what), hint);
}

void JsonDocument::UnknownKey(const Node& node, std::string_view what, std::string_view nearest) {
  Add(tree_.KeyBegin(node),
      Printable(tree_.Pointer(node)) + " " + std::string(what) + DidYouMean(nearest), "");
}

bool JsonDocument::WrongKind(const Node& node, std::string_view wanted) {
  Wrong(node, "must be " + std::string(wanted) + ", not " + std::string(KindName(node.kind)));
  return false;
}

ObjectReader::ObjectReader(JsonDocument& document, const Node& node)
    : document_(document), node_(node), is_object_(node.kind == Kind::kObject) {
  if (!is_object_) document_.WrongKind(node, "an object");
}

const JsonTree::Node* ObjectReader::Any(std::string_view key) {
  known_.push_back(key);
  return document_.tree().Find(node_, key);
}

const JsonTree::Node* ObjectReader::Typed(std::string_view key, Kind kind) {
  const Node* node = Any(key);
  if (node == nullptr || node->kind == kind) return node;
  document_.WrongKind(*node, KindName(kind));
  return nullptr;
}

const JsonTree::Node* ObjectReader::Object(std::string_view key) {
  return Typed(key, Kind::kObject);
}

const JsonTree::Node* ObjectReader::Array(std::string_view key) { return Typed(key, Kind::kArray); }

std::optional<bool> ObjectReader::Bool(std::string_view key) {
  const Node* node = Any(key);
  if (node == nullptr) return {};
  if (node->kind == Kind::kTrue || node->kind == Kind::kFalse) return node->kind == Kind::kTrue;
  document_.WrongKind(*node, "true or false");
  return {};
}

std::optional<std::string_view> ObjectReader::String(std::string_view key) {
  const Node* node = Typed(key, Kind::kString);
  if (node == nullptr) return {};
  return node->content();
}

std::optional<double> ObjectReader::Number(std::string_view key) {
  const Node* node = Typed(key, Kind::kNumber);
  if (node == nullptr) return {};
  if (node->content().size() >= kMaxNumber) {
    document_.Wrong(*node, "has too many digits");
    return {};
  }
  return std::strtod(std::string(node->content()).c_str(), nullptr);
}

std::optional<std::vector<const JsonTree::Node*>> ObjectReader::Strings(std::string_view key) {
  const Node* list = Typed(key, Kind::kArray);
  if (list == nullptr) return {};
  const JsonTree& tree = document_.tree();
  std::vector<const Node*> strings;
  for (const JsonNode& element : tree.ChildrenOf(*list)) {
    if (document_.IsString(element)) strings.push_back(&element);
  }
  return strings;
}

void ObjectReader::NotOneOf(std::string_view key, std::string_view word,
                            std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view w : words) {
    if (!list.empty()) list += w == words.back() ? " or " : ", ";
    list += Quote(w);
  }
  document_.Wrong(*document_.tree().Find(node_, key),
                  "must be " + list + ", not " + Quote(word) + DidYouMean(Nearest(word, words)));
}

void ObjectReader::Finish() {
  if (!is_object_) return;
  const JsonTree& tree = document_.tree();
  for (const JsonNode& member : tree.ChildrenOf(node_)) {
    if (Knows(tree.KeyOf(member))) continue;
    document_.UnknownKey(member, "is not a known key", Nearest(tree.KeyOf(member), known_));
  }
}

std::string OwnFileText(std::string_view list, const std::string& elements) {
  return "{\n  \"version\": 1,\n  " + JsonString(list) + ": [" +
         (elements.empty() ? "" : "\n" + elements + "\n  ") + "]\n}\n";
}

}  // namespace ringfence
