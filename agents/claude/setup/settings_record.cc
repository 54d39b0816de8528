#include "agents/claude/setup/settings_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/contains.h"
#include "base/json.h"
#include "policy/load/trust.h"

// A value that is absent is null.
template <typename Value>
struct nlohmann::adl_serializer<std::optional<Value>> {
  static void to_json(json& written, const std::optional<Value>& value) {
    written = value ? json(*value) : json();
  }
  static void from_json(const json& read, std::optional<Value>& value) {
    if (!read.is_null()) value = read.get<Value>();
  }
};

namespace ringfence {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SettingsRecord::Gap, pointer, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SettingsRecord::Value, pointer, now, was)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SettingsRecord::Texts, pointer, texts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SettingsRecord, path, program, is_new, serves,
                                                blank, folders, containers, gaps, values, lists)

bool SettingsRecord::HasContainer(const std::string& pointer) const {
  return Contains(containers, pointer);
}

std::vector<std::string>& SettingsRecord::TextsOf(const std::string& pointer) {
  const auto found = std::ranges::find(lists, pointer, &Texts::pointer);
  if (found != lists.end()) return found->texts;
  return lists.emplace_back(Texts{pointer, {}}).texts;
}

Result<std::vector<SettingsRecord>> ParseSettingsRecords(const std::string& text,
                                                         const std::string& shown) {
  try {
    std::vector<SettingsRecord> records = nlohmann::json::parse(text).at("files");
    const auto is_whole = [](const SettingsRecord& record) {
      return !record.path.empty() && !record.program.empty();
    };
    if (std::ranges::all_of(records, is_whole)) return records;
  } catch (const nlohmann::json::exception&) {
  }
  return ConfigError(shown, "is damaged");
}

std::string RenderSettingsRecords(const std::vector<SettingsRecord>& records) {
  return JsonText({{"version", 1}, {"files", nlohmann::json(records)}}, 2) + "\n";
}

std::string SettingsRecordsPath(const std::string& home) {
  return StateFolder(home) + "/registrations.json";
}

}  // namespace ringfence
