#include "cli/permit/policy_edit.h"

#include <nlohmann/json.hpp>

#include "base/json_edit.h"
#include "base/text.h"
#include "cli/common/policies.h"
#include "cli/setup/starter_policy.h"

namespace ringfence {
namespace {

class Adder {
 public:
  Adder(const GrantTarget& grant, const PolicySources& sources, const ChangeTarget& target,
        std::string text)
      : grant_(grant), sources_(sources), target_(target), edit_{.text = std::move(text)} {}

  Result<PolicyEdit> Run() {
    edit_.entries = {EntryFor(grant_, target_.root, target_.home)};
    Status added = Unit{};
    if (grant_.kind == TargetKind::kPath) added = AddPath();
    if (grant_.kind == TargetKind::kHost) added = AddHost();
    if (grant_.kind == TargetKind::kTool) added = AddTool();
    if (!added) return added.error();
    return std::move(edit_);
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
        AddToList(edit_.text, target_.shown, {section, list, edit_.entries.front(), inherited});
    if (!added) return added.error();
    if (*added) edit_.lists.push_back(section + "." + list);
    return Unit{};
  }

  Status AddPath() {
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
    if (grant_.as_question) {
      return UsageError("--ask", "is not available for hosts",
                        R"(set "unlisted": "ask" in the policy's "network" section)");
    }
    if (target_.is_session) return Add("network", "allow", {});
    const bool lacks_list = !ListAt(edit_.text, "/network") && !target_.adds_network;
    if (IsHostLoopback(grant_) && lacks_list) {
      return UsageError(Quote(edit_.entries.front()),
                        "counts only in the \"network\" section of " + target_.shown +
                            ", which has none; a new one would refuse all other hosts",
                        "add the section with all hosts that may be reached");
    }
    std::vector<std::string> inherited = Inherited(AllowList::kHosts);
    const auto is_loopback = [](const std::string& entry) {
      return IsHostLoopback({.kind = TargetKind::kHost, .text = entry});
    };
    if (!target_.root.empty()) std::erase_if(inherited, is_loopback);
    if (inherited.empty()) inherited = {"@agent-hosts"};
    return Add("network", "allow", inherited);
  }

  Status AddTool() {
    if (grant_.as_question) return Add("tools", "ask", {});
    std::vector<std::string> inherited = Inherited(AllowList::kTools);
    if (inherited.empty() && !target_.is_session) inherited = DefaultTools();
    return Add("tools", "allow", inherited);
  }

  const GrantTarget& grant_;
  const PolicySources& sources_;
  const ChangeTarget& target_;
  PolicyEdit edit_;
};

}  // namespace

Result<bool> AddToList(std::string& text, const std::string& shown, const ListAddition& addition) {
  Result<JsonEdit> edit = JsonEdit::Open(text, shown, true);
  if (!edit) return edit.error();
  const std::string section = "/" + addition.section;
  const std::string list = section + "/" + addition.list;
  if (const JsonNode* node = edit->At(list)) {
    for (const JsonNode& entry : edit->tree().ChildrenOf(*node)) {
      if (entry.content() == addition.entry) return false;
    }
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
    for (const JsonNode& entry : edit->tree().ChildrenOf(*node)) {
      if (entry.kind == JsonTree::Kind::kString && is_meant(entry.content())) return &entry;
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
  for (const JsonNode& entry : edit->tree().ChildrenOf(*node)) {
    entries.emplace_back(entry.content());
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

Result<PolicyEdit> AddTarget(const GrantTarget& grant, const PolicySources& sources,
                             const ChangeTarget& target, std::string text) {
  return Adder(grant, sources, target, std::move(text)).Run();
}

}  // namespace ringfence
