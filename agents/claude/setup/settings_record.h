// What `ringfence init` did to settings files, so that `ringfence uninstall` can put back exactly
// what was there. Kept at ~/.local/state/ringfence/registrations.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ringfence {

struct SettingsRecord {
  struct Gap {
    std::string pointer;
    std::string text;  // between the brackets of a container that was empty
    bool operator==(const Gap&) const = default;
  };
  struct Value {
    std::string pointer;
    bool now = false;
    std::optional<std::string> was;  // its JSON; nothing: it was not there
    bool operator==(const Value&) const = default;
  };
  struct Texts {
    std::string pointer;             // of the array
    std::vector<std::string> texts;  // that were added to it
    bool operator==(const Texts&) const = default;
  };

  std::string path;
  std::string program;                  // the hook that was registered
  std::string serves;                   // the settings file that has the hook, if it is another one
  std::optional<std::string> blank;     // the whole file held only this
  bool is_new = false;                  // there was no file
  std::vector<std::string> folders;     // that were made for it, outermost first
  std::vector<std::string> containers;  // that were added, outermost first
  std::vector<Gap> gaps;
  std::vector<Value> values;
  std::vector<Texts> lists;

  bool HasContainer(const std::string& pointer) const;
  std::vector<std::string>& TextsOf(const std::string& pointer);  // made where there are none
  bool operator==(const SettingsRecord&) const = default;
};

Result<std::vector<SettingsRecord>> ParseSettingsRecords(const std::string& text,
                                                         const std::string& shown);
std::string RenderSettingsRecords(const std::vector<SettingsRecord>& records);
std::string SettingsRecordsPath(const std::string& home);

// The record of a file; an empty one when there is none.
SettingsRecord RecordOf(const std::vector<SettingsRecord>& records, const std::string& path);
// Puts `record` in the place of the one of the same path.
void PutRecord(std::vector<SettingsRecord>& records, const SettingsRecord& record);

}  // namespace ringfence
