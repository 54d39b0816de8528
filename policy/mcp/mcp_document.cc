#include "policy/mcp/mcp_document.h"

#include <string>

#include "base/json_pointer.h"
#include "base/json_tree.h"
#include "policy/mcp/argument_names.h"
#include "policy/mcp/mcp_value.h"

namespace ringfence {
namespace {

class DocumentReader {
 public:
  DocumentReader(const JsonTree& tree, const InputField& field, std::vector<InputField>& fields)
      : tree_(tree), field_(field), fields_(fields) {
    const UsualName usual = McpNameOf(field.key);
    const bool is_usual = usual != UsualName::kNone && usual != UsualName::kPeer;
    by_value_ = is_usual && !NamesContent(field.key);
  }

  // `name` is the nearest key. The scanner limits the depth.
  void Read(const JsonNode& node, const std::string& pointer, const std::string& name) {
    if (node.kind == JsonTree::Kind::kString) {
      InputField& value = Add(pointer, name);
      value.text = node.content();
      value.has_nul = node.has_nul;
      value.has_lone_surrogate = node.has_lone_surrogate;
    }
    size_t position = 0;
    for (const JsonNode& child : tree_.ChildrenOf(node)) {
      std::string below = pointer + "/";
      if (node.kind == JsonTree::Kind::kArray) {
        Read(child, below + std::to_string(position++), name);
        continue;
      }
      AppendPointerKey(below, tree_.KeyOf(child));
      InputField& key = Add(below, name);
      key.text = tree_.KeyOf(child);
      key.is_key = true;
      Read(child, below, std::string(tree_.KeyOf(child)));
    }
  }

 private:
  InputField& Add(const std::string& pointer, const std::string& name) {
    return fields_.emplace_back(InputField{.pointer = pointer,
                                           .key = name,
                                           .kind = JsonKind::kString,
                                           .depth = field_.depth + 1,
                                           .by_value = by_value_});
  }

  const JsonTree& tree_;
  const InputField& field_;
  std::vector<InputField>& fields_;
  bool by_value_ = false;
};

}  // namespace

void AppendDocument(const InputField& field, std::vector<InputField>& fields) {
  if (field.kind != JsonKind::kString || field.is_key || !LooksLikeDocument(field.text)) return;
  const Result<JsonTree> tree = JsonTree::Parse(field.text, "argument", false);
  if (tree) DocumentReader(*tree, field, fields).Read(tree->root(), field.pointer, field.key);
}

}  // namespace ringfence
