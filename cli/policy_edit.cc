#include "cli/policy_edit.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ringfence {
namespace {

using Node = JsonTree::Node;

bool Holds(const JsonTree& tree, const Node& list, std::string_view entry) {
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
  if (const Node* node = edit->At(list)) {
    if (Holds(edit->tree(), *node, addition.entry)) return false;
    edit->AddElement(*node, addition.entry);
    text = edit->text();
    return true;
  }
  OrderedJson entries(addition.inherited);
  if (addition.inherited.empty()) entries = OrderedJson::array();
  entries.push_back(addition.entry);
  if (const Node* node = edit->At(section)) {
    edit->AddMember(*node, addition.list, entries);
  } else {
    edit->AddMember(edit->root(), addition.section, {{addition.list, entries}});
  }
  text = edit->text();
  return true;
}

Status AddNetworkSection(std::string& text, const std::string& shown, const OrderedJson& section) {
  Result<JsonEdit> edit = JsonEdit::Open(text, shown, true);
  if (!edit) return edit.error();
  edit->AddMember(edit->root(), "network", section);
  text = edit->text();
  return Unit{};
}

}  // namespace ringfence
