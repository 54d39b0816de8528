#include "cli/permit/policy_edit.h"

#include <nlohmann/json.hpp>

namespace ringfence {
namespace {

bool ListHolds(const JsonTree& tree, const JsonNode& list, std::string_view entry) {
  for (JsonTree::Index i = list.first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    if (tree.node(i).content() == entry) return true;
  }
  return false;
}

}  // namespace

Result<bool> AddToList(std::string& text, const std::string& shown, const ListAddition& addition) {
  Result<JsonEdit> edit = JsonEdit::Open(text, shown, true);
  if (!edit) return edit.error();
  const std::string section = "/" + addition.section;
  const std::string list = section + "/" + addition.list;
  if (const JsonNode* node = edit->At(list)) {
    if (ListHolds(edit->tree(), *node, addition.entry)) return false;
    edit->AddElement(*node, addition.entry);
    text = edit->text();
    return true;
  }
  OrderedJson entries(addition.inherited);
  if (addition.inherited.empty()) entries = OrderedJson::array();
  entries.push_back(addition.entry);
  if (const JsonNode* node = edit->At(section)) {
    edit->AddMember(*node, addition.list, entries);
  } else {
    edit->AddMember(edit->root(), addition.section, {{addition.list, entries}});
  }
  text = edit->text();
  return true;
}

Result<std::vector<std::string>> RemoveFromList(
    std::string& text, const std::string& shown, const std::string& list,
    const std::function<bool(std::string_view)>& is_meant) {
  Result<JsonEdit> edit = JsonEdit::Open(text, shown, true);
  if (!edit) return edit.error();
  std::vector<std::string> removed;
  const auto find = [&]() -> const JsonNode* {
    const JsonNode* node = edit->At(list);
    if (node == nullptr) return nullptr;
    const JsonTree& tree = edit->tree();
    for (JsonTree::Index i = node->first_child; i != JsonTree::kNone; i = tree.node(i).next) {
      const bool is_text = tree.node(i).kind == JsonTree::Kind::kString;
      if (is_text && is_meant(tree.node(i).content())) return &tree.node(i);
    }
    return nullptr;
  };
  while (const JsonNode* node = find()) {
    removed.emplace_back(node->content());
    edit->Remove(*node);
  }
  if (!removed.empty()) text = edit->text();
  return removed;
}

std::optional<std::vector<std::string>> ListAt(const std::string& text, const std::string& list) {
  const Result<JsonEdit> edit = JsonEdit::Open(text, "", true);
  const JsonNode* node = edit ? edit->At(list) : nullptr;
  if (node == nullptr) return {};
  std::vector<std::string> entries;
  const JsonTree& tree = edit->tree();
  for (JsonTree::Index i = node->first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    entries.emplace_back(tree.node(i).content());
  }
  return entries;
}

Status RemoveList(std::string& text, const std::string& shown, const std::string& list,
                  bool with_section) {
  Result<JsonEdit> edit = JsonEdit::Open(text, shown, true);
  if (!edit) return edit.error();
  if (const JsonNode* node = edit->At(list)) edit->Remove(*node);
  const JsonNode* section = edit->At(list.substr(0, list.rfind('/')));
  const bool is_empty = section != nullptr && section->first_child == JsonTree::kNone;
  if (with_section && is_empty) edit->Remove(*section);
  text = edit->text();
  return Unit{};
}

}  // namespace ringfence
