#include "cli/settings/merge_settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agents/claude/settings/settings.h"
#include "agents/claude/setup/settings_editor.h"
#include "agents/claude/setup/settings_files.h"
#include "base/contains.h"
#include "base/text.h"

namespace ringfence {
namespace {

Status CheckKept(const std::string& text, const std::string& path) {
  const ClientSettings settings = ParseClientSettings(text, path, path);
  if (settings.drops.empty()) return Unit{};
  Error error = settings.drops.front();
  error.what += ": because of this the client drops the whole settings file";
  error.hint = "fix it first; nothing was changed";
  return error;
}

class SettingsMerger {
 public:
  SettingsMerger(JsonEdit edit, bool replaces) : edit_(std::move(edit)), replaces_(replaces) {}

  void Object(const std::string& pointer, const OrderedJson& wanted) {
    for (const auto& [key, value] : wanted.items()) Member(pointer, key, value);
  }

  Merged Take() { return {edit_.text(), std::move(conflicts_)}; }

 private:
  void Member(const std::string& pointer, const std::string& key, const OrderedJson& value) {
    const std::string place = pointer + "/" + key;
    const JsonEdit::Node* node = edit_.At(place);
    if (node == nullptr) {
      edit_.AddMember(*edit_.At(pointer), key, value);
    } else if (value.is_object() && node->kind == JsonKind::kObject) {
      Object(place, value);
    } else if (value.is_array() && node->kind == JsonKind::kArray) {
      Array(place, value);
    } else if (edit_.Value(*node) != value) {
      Conflict(place, value);
    }
  }

  void Array(const std::string& place, const OrderedJson& wanted) {
    for (const OrderedJson& element : wanted) {
      const OrderedJson there = edit_.Value(*edit_.At(place));
      const bool is_there = Contains(there, element);
      if (!is_there) edit_.AddElement(*edit_.At(place), element);
    }
  }

  void Conflict(const std::string& place, const OrderedJson& value) {
    std::string name = place.substr(1);
    std::ranges::replace(name, '/', '.');
    const JsonEdit::Node& node = *edit_.At(place);
    const std::string was = Printable(CutText(std::string(edit_.Raw(node)), 80));
    conflicts_.push_back(PlaceText(edit_.tree().name(), edit_.tree().text(), node.begin) + ": " +
                         name + " is " + was + ", and the policy wants " + value.dump());
    if (replaces_) edit_.Replace(node, value);
  }

  JsonEdit edit_;
  bool replaces_;
  std::vector<std::string> conflicts_;
};

}  // namespace

Result<Merged> MergeSettings(const MergeRequest& request) {
  const std::string before = IsBlank(request.text) ? "{}\n" : request.text;
  if (Status s = CheckKept(before, request.path); !s) return s.error();
  SettingsRecord record;
  record.path = request.path;
  Result<SettingsEditor> editor = SettingsEditor::Open(before, record);
  if (!editor) return editor.error();
  editor->Register(request.command);
  Result<JsonEdit> edit = JsonEdit::Open(editor->text(), request.path, false);
  if (!edit) return edit.error();
  OrderedJson rest = request.settings;
  rest.erase("hooks");
  SettingsMerger merger(std::move(*edit), request.replaces);
  merger.Object("", rest);
  Merged merged = merger.Take();
  if (Status s = CheckKept(merged.text, request.path); !s) return s.error();
  return merged;
}

}  // namespace ringfence
