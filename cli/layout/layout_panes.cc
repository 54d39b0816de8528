#include "cli/layout/layout_panes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/json_tree.h"
#include "base/text.h"

namespace ringfence {
namespace {

const KdlNode* ChildOf(const KdlNode& node, std::string_view name) {
  const auto child = std::ranges::find(node.children, name, &KdlNode::name);
  return child == node.children.end() ? nullptr : &*child;
}

// Returns the value of the property or the child with that name; the property has priority.
const KdlValue* ValueOf(const KdlNode& node, std::string_view name) {
  const auto property = std::ranges::find_if(
      node.entries, [name](const KdlEntry& entry) { return entry.name == name; });
  if (property != node.entries.end()) return &property->value;
  const KdlNode* child = ChildOf(node, name);
  return child == nullptr || child->entries.empty() ? nullptr : &child->entries.front().value;
}

// Swap layouts only arrange existing panes; an empty pane in them starts nothing.
bool IsSwapLayout(const KdlNode& node) {
  return node.name == "swap_tiled_layout" || node.name == "swap_floating_layout";
}

class Finder {
 public:
  Finder(std::string_view text, std::string_view name) : text_(text), document_(name) {}

  Result<std::vector<LayoutPane>> Run(const std::vector<KdlNode>& document) {
    if (Status s = FindIn(document); !s) return s.error();
    return std::move(panes_);
  }

 private:
  Error Wrong(size_t offset, std::string what, std::string hint = "") const {
    return ConfigError(PlaceText(document_, text_, offset), std::move(what), std::move(hint));
  }

  Status FindIn(const std::vector<KdlNode>& document) {
    const auto is_layout = [](const KdlNode& node) { return node.name == "layout"; };
    const auto layout = std::ranges::find_if(document, is_layout);
    if (layout == document.end()) return Wrong(0, "holds no \"layout\"", "name a Zellij layout");
    const auto other = std::find_if(std::next(layout), document.end(), is_layout);
    if (other != document.end()) return Wrong(other->begin, "a second \"layout\"");
    if (Status s = ReadTemplates(*layout); !s) return s.error();
    return Visit(layout->children, false);
  }

  // Reads the templates before the panes: a template may follow the panes that use it.
  Status ReadTemplates(const KdlNode& parent) {
    for (const KdlNode& node : parent.children) {
      if (Status s = ReadTemplates(node); !s) return s.error();
      if (node.name != "pane_template") continue;
      Result<LayoutPane> pane = ReadPane(node);
      if (!pane) return pane.error();
      if (pane->name.empty()) return Wrong(node.begin, "a template without a name");
      const std::string template_name = pane->name;
      if (!templates_.emplace(template_name, std::move(*pane)).second) {
        return Wrong(node.begin, "a second template " + Quote(template_name));
      }
    }
    return Unit{};
  }

  Status Visit(const std::vector<KdlNode>& nodes, bool is_swap) {
    for (const KdlNode& node : nodes) {
      if (node.name == "plugin") continue;  // its settings can have any name
      if (Status s = VisitNode(node, is_swap); !s) return s.error();
      if (Status s = Visit(node.children, is_swap || IsSwapLayout(node)); !s) return s.error();
    }
    return Unit{};
  }

  Status VisitNode(const KdlNode& node, bool is_swap) {
    const auto of_template = templates_.find(node.name);
    const bool is_pane = node.name == "pane" || of_template != templates_.end();
    if (!is_pane) {
      return node.name == "pane_template" ? Status(Unit{}) : RefuseCommand(node);
    }
    Result<LayoutPane> pane = ReadPane(node);
    if (!pane) return pane.error();
    if (of_template != templates_.end()) Inherit(of_template->second, *pane);
    if (Status s = CheckRuns(node, *pane); !s) return s.error();
    if (pane->own_args != nullptr && !pane->command) {
      return Wrong(pane->own_args->begin, "\"args\" without a command");
    }
    if (pane->command && HoldsPanes(node)) {
      return Wrong(node.begin, "a pane with both a command and panes");
    }
    const bool runs = pane->command || pane->edits || (pane->is_shell && !is_swap);
    if (runs) panes_.push_back(std::move(*pane));
    return Unit{};
  }

  static void Inherit(const LayoutPane& base, LayoutPane& pane) {
    if (!pane.command) {
      pane.command = base.command;
      pane.carried = CarriedOver(*base.node, *pane.node);
    }
    if (pane.own_args == nullptr) pane.args = base.args;
    if (!pane.command) pane.edits |= base.edits;
    // A template that is not just a plain pane determines what runs in the pane.
    if (pane.command || pane.edits || !base.is_shell) pane.is_shell = false;
    if (pane.name.empty()) pane.name = base.name;
  }

  // Returns the template's properties that a pane loses when it gets its own command.
  static std::string CarriedOver(const KdlNode& base, const KdlNode& pane) {
    std::string carried;
    for (const char* name : {"close_on_exit", "start_suspended"}) {
      const KdlValue* value = ValueOf(base, name);
      const bool is_on = value != nullptr && value->kind == KdlValue::Kind::kTrue;
      if (is_on && ValueOf(pane, name) == nullptr) carried += " " + std::string(name) + "=true";
    }
    return carried;
  }

  // Refuses a command in any other node, because skipping it would leave it unconfined.
  Status RefuseCommand(const KdlNode& node) const {
    const bool has_command =
        ChildOf(node, "command") != nullptr ||
        std::ranges::any_of(node.entries, [](const KdlEntry& e) { return e.name == "command"; });
    if (!has_command) return Unit{};
    return Wrong(node.begin,
                 Quote(node.name) + " has a command, and is neither a pane nor a template");
  }

  // The pane's command can come from its template.
  Status CheckRuns(const KdlNode& node, const LayoutPane& pane) const {
    if (!pane.command || (!pane.edits && ChildOf(node, "plugin") == nullptr)) return Unit{};
    return Wrong(node.begin, "a pane with a command and something else to run");
  }

  bool HoldsPanes(const KdlNode& node) const {
    return std::ranges::any_of(node.children, [this](const KdlNode& child) {
      return child.name == "pane" || child.name == "children" || templates_.contains(child.name);
    });
  }

  Result<LayoutPane> ReadPane(const KdlNode& node) const {
    LayoutPane pane;
    pane.node = &node;
    const auto name = ReadText(node, "name");
    if (!name) return name.error();
    if (*name != nullptr) pane.name = (*name)->text;
    const auto command = ReadText(node, "command");
    if (!command) return command.error();
    pane.own_command = *command;
    if (pane.own_command != nullptr) pane.command = pane.own_command->text;
    const auto edit = ReadText(node, "edit");
    if (!edit) return edit.error();
    pane.edits = *edit != nullptr;
    const bool has_plugin = ChildOf(node, "plugin") != nullptr;
    if (Status s = CheckRuns(node, pane); !s) return s.error();
    if (Status s = ReadArgs(node, pane); !s) return s.error();
    pane.is_shell = !pane.command && !pane.edits && !has_plugin && !HoldsPanes(node);
    return pane;
  }

  // Returns the property or the child with that name; nullptr if there is none.
  Result<const KdlValue*> ReadText(const KdlNode& node, std::string_view name) const {
    const KdlValue* found = nullptr;
    const auto take = [&](const KdlValue& value) -> Status {
      if (found != nullptr) return Wrong(value.begin, "a second " + Quote(name));
      if (!value.is_string()) return Wrong(value.begin, Quote(name) + " that is not a string");
      found = &value;
      return Unit{};
    };
    for (const KdlEntry& entry : node.entries) {
      if (entry.name != name) continue;
      if (Status s = take(entry.value); !s) return s.error();
    }
    for (const KdlNode& child : node.children) {
      if (child.name != name) continue;
      if (child.entries.size() != 1 || child.entries.front().name) {
        return Wrong(child.begin, Quote(name) + " without one value");
      }
      if (Status s = take(child.entries.front().value); !s) return s.error();
    }
    return found;
  }

  Status ReadArgs(const KdlNode& node, LayoutPane& pane) const {
    for (const KdlEntry& entry : node.entries) {
      if (entry.name == "args") {
        return Wrong(entry.value.begin, "\"args\" as a property, which Zellij does not read",
                     "write it in the pane's block: { args ...; }");
      }
    }
    for (const KdlNode& child : node.children) {
      if (child.name != "args") continue;
      if (pane.own_args != nullptr) return Wrong(child.begin, "a second \"args\"");
      if (child.entries.empty()) return Wrong(child.begin, "\"args\" without a word");
      pane.own_args = &child;
      for (const KdlEntry& entry : child.entries) {
        if (entry.name || !entry.value.is_string()) {
          return Wrong(entry.value.begin, "a word of \"args\" that is not a string", "quote it");
        }
        pane.args.push_back(entry.value.text);
      }
    }
    return Unit{};
  }

  std::string_view text_;
  std::string_view document_;
  std::map<std::string, LayoutPane, std::less<>> templates_;
  std::vector<LayoutPane> panes_;
};

}  // namespace

Result<std::vector<LayoutPane>> FindPanes(const std::vector<KdlNode>& document,
                                          std::string_view text, std::string_view name) {
  return Finder(text, name).Run(document);
}

}  // namespace ringfence
