// Records what `ringfence init` did to settings files, so that `ringfence uninstall` can restore
// them exactly. Stored in ~/.local/state/ringfence/registrations.json.
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
    std::optional<std::string> was;  // the original JSON; no value if there was none
    bool operator==(const Value&) const = default;
  };
  struct Texts {
    std::string pointer;             // of the array
    std::vector<std::string> texts;  // added to the array
    bool operator==(const Texts&) const = default;
  };

  std::string path;
  std::string program;                  // the hook that was registered
  std::string serves;                   // the settings file with the hook, if it is another one
  std::optional<std::string> blank;     // original text of a blank file
  bool is_new = false;                  // the file did not exist
  std::vector<std::string> folders;     // created for it, outermost first
  std::vector<std::string> containers;  // added, outermost first
  std::vector<Gap> gaps;
  std::vector<Value> values;
  std::vector<Texts> lists;

  bool HasContainer(const std::string& pointer) const;
  std::vector<std::string>& TextsOf(const std::string& pointer);  // created if missing
  bool operator==(const SettingsRecord&) const = default;
};

Result<std::vector<SettingsRecord>> ParseSettingsRecords(const std::string& text,
                                                         const std::string& shown);
std::string RenderSettingsRecords(const std::vector<SettingsRecord>& records);
std::string SettingsRecordsPath(const std::string& home);

}  // namespace ringfence
