#include "agents/claude/setup/settings_editor.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agents/claude/settings/settings.h"
#include "base/contains.h"
#include "base/json_pointer.h"
#include "base/text.h"

namespace ringfence {

namespace {

// Up to this number, texts removed from one list are named; above it only their count is shown.
constexpr size_t kNamedRemovals = 3;

constexpr int kTimeoutSeconds = 10;

OrderedJson EntryOf(const HookCommand& command) {
  return {{"type", "command"},
          {"command", command.program},
          {"args", command.arguments},
          {"timeout", kTimeoutSeconds},
          {"onFailure", "block"}};
}

// Compares values regardless of key order and the notation of numbers.
bool IsSameJson(const OrderedJson& a, const OrderedJson& b) {
  return nlohmann::json(a) == nlohmann::json(b);
}

std::string ParentOf(const std::string& pointer) { return pointer.substr(0, pointer.rfind('/')); }
std::string KeyOf(const std::string& pointer) { return pointer.substr(pointer.rfind('/') + 1); }

// Returns ringfence's entries, last first, so that removing one leaves the pointers of the others
// valid.
std::vector<HookEntry> OwnEntries(const JsonEdit& edit, std::string_view program) {
  std::vector<HookEntry> own;
  for (HookEntry& entry : ReadClientSettings(edit.tree(), "").hooks) {
    if (Runs(entry, program)) own.push_back(std::move(entry));
  }
  std::ranges::reverse(own);
  return own;
}

// Removes the entry, and its group if that is then empty.
void RemoveEntry(JsonEdit& edit, const std::string& pointer) {
  const std::string group = ParentOf(ParentOf(pointer));
  edit.Remove(*edit.At(pointer));
  if (edit.At(group + "/hooks")->first_child == JsonTree::kNone) edit.Remove(*edit.At(group));
}

const JsonNode* FindText(const JsonEdit& edit, const std::string& array, const std::string& text) {
  const JsonNode* node = edit.At(array);
  if (node == nullptr || node->kind != JsonKind::kArray) return nullptr;
  for (const JsonNode& element : edit.tree().ChildrenOf(*node)) {
    if (element.kind == JsonKind::kString && element.content() == text) return &element;
  }
  return nullptr;
}

bool IsFlag(const JsonNode& node, bool value) {
  return node.kind == (value ? JsonKind::kTrue : JsonKind::kFalse);
}

bool IsEmptyContainer(const JsonNode* node) {
  return node != nullptr && (node->kind == JsonKind::kObject || node->kind == JsonKind::kArray) &&
         node->first_child == JsonTree::kNone;
}

// The client ignores an event that is not an array, so nothing can be registered there.
Status CheckEvents(const JsonEdit& edit) {
  for (const std::string_view event : ServedEvents()) {
    const JsonNode* node = edit.At("/hooks/" + std::string(event));
    if (node == nullptr || node->kind == JsonKind::kArray) continue;
    return ConfigError(edit.tree().PlaceOf(node->begin),
                       "/hooks/" + std::string(event) + " must be an array",
                       "write [] or remove it");
  }
  return Unit{};
}

void UndoEntries(JsonEdit& edit, const SettingsRecord& record, std::string_view program,
                 Undone& undone) {
  const bool is_known = !record.program.empty();
  for (const HookEntry& entry : OwnEntries(edit, program)) {
    const std::string event = ParentOf(ParentOf(ParentOf(entry.pointer)));
    RemoveEntry(edit, entry.pointer);
    ++undone.entries;
    if (is_known || edit.At(event)->first_child != JsonTree::kNone) continue;
    // Without a record of the earlier state, containers that the entry leaves empty are removed.
    edit.Remove(*edit.At(event));
    if (edit.At("/hooks")->first_child == JsonTree::kNone) edit.Remove(*edit.At("/hooks"));
  }
}

void UndoTexts(JsonEdit& edit, const SettingsRecord& record) {
  for (const SettingsRecord::Texts& list : record.lists) {
    for (const std::string& text : list.texts) {
      const JsonNode* node = FindText(edit, list.pointer, text);
      if (node != nullptr) edit.Remove(*node);
    }
  }
}

void UndoValues(JsonEdit& edit, const SettingsRecord& record) {
  for (const SettingsRecord::Value& value : record.values) {
    const JsonNode* node = edit.At(value.pointer);
    if (node == nullptr || !IsFlag(*node, value.now)) continue;
    if (value.was) {
      edit.ReplaceRaw(*node, *value.was);
    } else {
      edit.Remove(*node);
    }
  }
}

}  // namespace

std::span<const std::string_view> ServedEvents() {
  static constexpr std::string_view kEvents[] = {
      "PreToolUse",    "PermissionRequest", "ConfigChange",       "SessionStart",
      "SubagentStart", "PostToolUse",       "PostToolUseFailure",
  };
  return kEvents;
}

SettingsEditor::SettingsEditor(JsonEdit edit, SettingsRecord record)
    : edit_(std::move(edit)), record_(std::move(record)) {}

Result<SettingsEditor> SettingsEditor::Open(std::string_view text, SettingsRecord record) {
  Result<JsonEdit> edit = JsonEdit::Open(text, record.path, false);
  if (!edit) return edit.error();
  if (Status s = CheckEvents(*edit); !s) return s.error();
  return SettingsEditor(std::move(*edit), std::move(record));
}

void SettingsEditor::Register(const HookCommand& command) {
  record_.program = command.program;
  const OrderedJson entry = EntryOf(command);
  size_t added = 0;
  for (const std::string_view event : ServedEvents()) {
    if (RegisterEvent(event, entry)) ++added;
  }
  if (added > 0) changes_.push_back("register the hook for " + std::to_string(added) + " events");
}

// Returns true if an entry was added, rather than found or updated.
bool SettingsEditor::RegisterEvent(std::string_view event, const OrderedJson& entry) {
  const std::string pointer = "/hooks/" + std::string(event);
  bool is_registered = false;
  std::vector<HookEntry> own = OwnEntries(edit_, record_.program);
  std::erase_if(own, [&](const HookEntry& e) { return e.event != event; });
  for (const HookEntry& old : own) {
    const bool is_first = &old == &own.back();
    if (!is_first || !old.is_for_everything()) {
      RemoveEntry(edit_, old.pointer);
      changes_.push_back("remove an old registration for " + std::string(event));
      continue;
    }
    is_registered = true;
    const JsonNode& node = *edit_.At(old.pointer);
    if (IsSameJson(edit_.Value(node), entry)) continue;
    edit_.Replace(node, entry);
    changes_.push_back("update the registration for " + std::string(event));
  }
  if (is_registered) return false;
  edit_.AddElement(Container(pointer, true), OrderedJson{{"hooks", OrderedJson::array({entry})}});
  return true;
}

void SettingsEditor::SetFlag(const std::string& pointer, bool value) {
  const JsonNode* node = edit_.At(pointer);
  if (node != nullptr && IsFlag(*node, value)) return;
  const auto known = std::ranges::find(record_.values, pointer, &SettingsRecord::Value::pointer);
  const bool is_known = known != record_.values.end();
  if (is_known) known->now = value;
  const std::string word = value ? "true" : "false";
  if (node != nullptr) {
    const std::string was(edit_.Raw(*node));
    if (!is_known) record_.values.push_back({pointer, value, was});
    edit_.ReplaceRaw(*node, word);
    changes_.push_back("set " + DottedKey(pointer) + " to " + word + " (was " + Printable(was) +
                       ")");
    return;
  }
  if (!is_known) record_.values.push_back({pointer, value, {}});
  edit_.AddMember(Container(ParentOf(pointer), false), KeyOf(pointer), value);
  changes_.push_back("set " + DottedKey(pointer) + " to " + word);
}

void SettingsEditor::DropFlag(const std::string& pointer) {
  const auto known = std::ranges::find(record_.values, pointer, &SettingsRecord::Value::pointer);
  if (known == record_.values.end()) return;
  const SettingsRecord::Value value = *known;
  record_.values.erase(known);
  const JsonNode* node = edit_.At(pointer);
  if (node == nullptr || !IsFlag(*node, value.now)) return;
  if (value.was) {
    edit_.ReplaceRaw(*node, *value.was);
    changes_.push_back("set " + DottedKey(pointer) + " to " + Printable(*value.was) + " again");
    return;
  }
  edit_.Remove(*node);
  changes_.push_back("remove " + DottedKey(pointer));
  RemoveEmptied(ParentOf(pointer));
}

void SettingsEditor::SyncTexts(const std::string& pointer, const std::vector<std::string>& texts) {
  RemoveStaleTexts(pointer, texts);
  std::vector<std::string> added;
  for (const std::string& text : texts) {
    if (FindText(edit_, pointer, text) == nullptr) added.push_back(text);
  }
  if (added.empty()) return RemoveEmptied(pointer);
  if (Has(pointer)) {
    for (const std::string& text : added) edit_.AddElement(Container(pointer, true), text);
  } else {
    edit_.AddMember(Container(ParentOf(pointer), false), KeyOf(pointer), added);
    if (!record_.HasContainer(pointer)) record_.containers.push_back(pointer);
  }
  std::vector<std::string>& known = record_.TextsOf(pointer);
  known.insert(known.end(), added.begin(), added.end());
  changes_.push_back("add " + std::to_string(added.size()) + " to " + DottedKey(pointer));
}

void SettingsEditor::RemoveStaleTexts(const std::string& pointer,
                                      const std::vector<std::string>& texts) {
  const auto is_stale = [&](const std::string& text) { return !Contains(texts, text); };
  const auto list = std::ranges::find(record_.lists, pointer, &SettingsRecord::Texts::pointer);
  if (list == record_.lists.end()) return;
  std::vector<std::string> removed;
  for (const std::string& text : list->texts) {
    const JsonNode* node = is_stale(text) ? FindText(edit_, pointer, text) : nullptr;
    if (node == nullptr) continue;
    edit_.Remove(*node);
    removed.push_back(Quote(text, 80));
  }
  if (removed.size() > kNamedRemovals) removed = {std::to_string(removed.size())};
  for (const std::string& text : removed) {
    changes_.push_back("remove " + text + " from " + DottedKey(pointer));
  }
  std::erase_if(list->texts, is_stale);
}

// Removes the container if ringfence added it and nothing is left in it; then its parents likewise.
void SettingsEditor::RemoveEmptied(std::string pointer) {
  for (; record_.HasContainer(pointer); pointer = ParentOf(pointer)) {
    const JsonNode* node = edit_.At(pointer);
    if (node != nullptr && !IsEmptyContainer(node)) return;
    if (node != nullptr) edit_.Remove(*node);
    std::erase(record_.containers, pointer);
    std::erase_if(record_.lists, [&](const auto& list) { return list.pointer == pointer; });
  }
}

// Returns the container at `pointer`; creates it and its parents if they are missing.
const JsonNode& SettingsEditor::Container(const std::string& pointer, bool is_array) {
  if (pointer.empty()) {
    NoteGap(pointer);
    return edit_.root();
  }
  if (edit_.At(pointer) == nullptr) {
    const JsonNode& parent = Container(ParentOf(pointer), false);
    edit_.AddMember(parent, KeyOf(pointer),
                    is_array ? OrderedJson::array() : OrderedJson::object());
    if (!record_.HasContainer(pointer)) record_.containers.push_back(pointer);
  }
  NoteGap(pointer);
  return *edit_.At(pointer);
}

void SettingsEditor::NoteGap(const std::string& pointer) {
  const JsonNode& node = *edit_.At(pointer);
  if (node.first_child != JsonTree::kNone || record_.HasContainer(pointer)) return;
  std::erase_if(record_.gaps, [&](const auto& gap) { return gap.pointer == pointer; });
  record_.gaps.push_back({pointer, std::string(edit_.Gap(node))});
}

Result<Undone> Undo(std::string_view text, const SettingsRecord& record, std::string_view program) {
  Result<JsonEdit> edit = JsonEdit::Open(text, record.path, false);
  if (!edit) return edit.error();
  Undone undone;
  UndoEntries(*edit, record, program, undone);
  UndoTexts(*edit, record);
  UndoValues(*edit, record);
  // Innermost first.
  std::vector<std::string> containers = record.containers;
  std::ranges::reverse(containers);
  for (const std::string& pointer : containers) {
    if (IsEmptyContainer(edit->At(pointer))) edit->Remove(*edit->At(pointer));
  }
  for (const SettingsRecord::Gap& gap : record.gaps) {
    if (IsEmptyContainer(edit->At(gap.pointer))) edit->SetGap(*edit->At(gap.pointer), gap.text);
  }
  undone.text = edit->text();
  const bool is_blank = IsEmptyContainer(&edit->root());
  undone.is_empty = is_blank && record.is_new;
  if (is_blank && record.blank) undone.text = *record.blank;
  return undone;
}

}  // namespace ringfence
