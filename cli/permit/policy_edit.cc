#include "cli/permit/policy_edit.h"

#include <nlohmann/json.hpp>

#include "base/json_edit.h"
#include "base/text.h"
#include "cli/common/policies.h"
#include "cli/setup/starter_policy.h"

namespace ringfence {
namespace {

bool ListHolds(const JsonTree& tree, const JsonNode& list, std::string_view entry) {
  for (JsonTree::Index i = list.first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    if (tree.node(i).content() == entry) return true;
  }
  return false;
}

class Adder {
 public:
  Adder(const GrantTarget& grant, const PolicySources& sources, const AdditionTarget& target,
        PolicyAddition& addition)
      : grant_(grant), sources_(sources), target_(target), addition_(addition) {}

  Status Run() {
    if (grant_.kind == TargetKind::kPath) return AddPath();
    return grant_.kind == TargetKind::kHost ? AddHost() : AddTool();
  }

 private:
  // Returns the entries that a new list must repeat, because it replaces the list of a lower layer.
  std::vector<std::string> Inherited(AllowList list) const {
    if (target_.is_session) return {};  // a session's list only adds
    return InheritedEntries(sources_, list, !target_.root.empty());
  }

  Status Add(const std::string& section, const std::string& list,
             const std::vector<std::string>& inherited) {
    const Result<bool> added =
        AddToList(addition_.text, target_.path, {section, list, addition_.entry, inherited});
    if (!added) return added.error();
    if (*added) addition_.lists.push_back(section + "." + list);
    return Unit{};
  }

  Status AddPath() {
    addition_.entry = EntryFor(grant_, target_.root, target_.home);
    const std::string list = grant_.as_question ? "ask" : "allow";
    // The "ask" lists of all layers add up, so a new one replaces nothing.
    const auto inherited = [&](AllowList which) {
      return grant_.as_question ? std::vector<std::string>{} : Inherited(which);
    };
    if (grant_.also_read) {
      if (Status s = Add("read", list, inherited(AllowList::kRead)); !s) return s.error();
    }
    if (!grant_.also_write) return Unit{};
    return Add("write", list, inherited(AllowList::kWrite));
  }

  Status AddHost() {
    addition_.entry = LowerAscii(grant_.text);
    if (grant_.as_question) {
      return UsageError("--ask", "is not available for hosts",
                        R"(set "unlisted": "ask" in the policy's "network" section)");
    }
    if (target_.is_session) return Add("network", "allow", {});
    std::vector<std::string> inherited = Inherited(AllowList::kHosts);
    if (inherited.empty()) inherited = {"@agent-hosts"};
    return Add("network", "allow", inherited);
  }

  Status AddTool() {
    addition_.entry = grant_.text;
    if (grant_.as_question) return Add("tools", "ask", {});
    std::vector<std::string> inherited = Inherited(AllowList::kTools);
    if (inherited.empty() && !target_.is_session) inherited = DefaultTools();
    return Add("tools", "allow", inherited);
  }

  const GrantTarget& grant_;
  const PolicySources& sources_;
  const AdditionTarget& target_;
  PolicyAddition& addition_;
};

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

Result<PolicyAddition> AddTarget(const GrantTarget& grant, const PolicySources& sources,
                                 const AdditionTarget& target, std::string text) {
  PolicyAddition addition{.text = std::move(text), .entry = {}, .lists = {}};
  if (Status s = Adder(grant, sources, target, addition).Run(); !s) return s.error();
  return addition;
}

}  // namespace ringfence
