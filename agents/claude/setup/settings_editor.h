// Registers the hook in the text of a settings file and removes it again. Records its changes in a
// SettingsRecord, from which Undo() restores the original bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/claude/setup/settings_record.h"
#include "base/json_edit.h"

namespace ringfence {

// The command that the client starts for every event.
struct HookCommand {
  std::string program;
  std::vector<std::string> arguments;
};

// The events that the hook serves.
std::span<const std::string_view> ServedEvents();

class SettingsEditor {
 public:
  // `text` is a JSON object; `record` is from an earlier run, or empty.
  static Result<SettingsEditor> Open(std::string_view text, SettingsRecord record);

  // Adds one entry for each served event, in exec form, without a matcher. Updates entries of
  // ringfence that differ.
  void Register(const HookCommand& command);
  // Sets a flag and creates missing containers around it.
  void SetFlag(const std::string& pointer, bool value);
  // Restores what was there before an earlier run set the flag; keeps a flag that was set by hand.
  void DropFlag(const std::string& pointer);
  bool Has(const std::string& pointer) const { return edit_.At(pointer) != nullptr; }
  // Makes the array contain `texts` in addition to the user's entries; removes entries of an
  // earlier run that are not in `texts`.
  void SyncTexts(const std::string& pointer, const std::vector<std::string>& texts);

  std::string text() const { return edit_.text(); }
  const SettingsRecord& record() const { return record_; }
  const std::vector<std::string>& changes() const { return changes_; }  // for the user

 private:
  SettingsEditor(JsonEdit edit, SettingsRecord record);

  const JsonTree::Node& Container(const std::string& pointer, bool is_array);
  void NoteGap(const std::string& pointer);
  bool RegisterEvent(std::string_view event, const OrderedJson& entry);
  void RemoveStaleTexts(const std::string& pointer, const std::vector<std::string>& texts);
  void RemoveEmptied(std::string pointer);

  JsonEdit edit_;
  SettingsRecord record_;
  std::vector<std::string> changes_;
};

// `text` without ringfence's entries, and with the original values from `record`. A value that was
// changed since then is kept.
struct Undone {
  std::string text;
  bool is_empty = false;  // nothing is left of a file that ringfence created
  size_t entries = 0;     // number of ringfence's entries removed
};
Result<Undone> Undo(std::string_view text, const SettingsRecord& record, std::string_view program);

}  // namespace ringfence
