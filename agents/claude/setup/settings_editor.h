// Registers the hook in a settings file's text and takes it out again. What it changes goes into a
// SettingsRecord, with which Undo() gives back the bytes that were there before.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/claude/setup/settings_record.h"
#include "base/json_edit.h"

namespace ringfence {

// What the client starts for every event.
struct HookCommand {
  std::string program;
  std::vector<std::string> arguments;
};

// The events that the hook serves.
std::span<const std::string_view> ServedEvents();

class SettingsEditor {
 public:
  // `text` holds a JSON object; `record` is of an earlier run, or empty.
  static Result<SettingsEditor> Open(std::string_view text, SettingsRecord record);

  // One entry for each served event, exec form, no matcher. Entries of ours that differ are
  // updated.
  void Register(const HookCommand& command);
  // Sets a flag below containers that are made where they are missing.
  void SetFlag(const std::string& pointer, bool value);
  // Puts back what was there before an earlier run set the flag; one that was set by hand stays.
  void DropFlag(const std::string& pointer);
  bool Has(const std::string& pointer) const { return edit_.At(pointer) != nullptr; }
  // Makes the array hold `texts` beside what the user put there; what an earlier run put there and
  // is no longer wanted goes.
  void SyncTexts(const std::string& pointer, const std::vector<std::string>& texts);

  std::string text() const { return edit_.text(); }
  const SettingsRecord& record() const { return record_; }
  const std::vector<std::string>& changes() const { return changes_; }  // for people

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

// `text` without our entries, and with what `record` says was there before. A value that somebody
// has changed since stays. "" together with `is_empty`: nothing is left of a file that was made by
// us.
struct Undone {
  std::string text;
  bool is_empty = false;  // nothing is left of a file that was not there before
  size_t entries = 0;     // of ours that were removed
};
Result<Undone> Undo(std::string_view text, const SettingsRecord& record, std::string_view program);

}  // namespace ringfence
