#include "agents/claude/setup/settings_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/contains.h"
#include "base/json.h"
#include "policy/load/trust.h"

namespace ringfence {
namespace {

OrderedJson ToJson(const SettingsRecord& record) {
  OrderedJson json{{"path", record.path}, {"program", record.program}, {"is_new", record.is_new}};
  if (!record.serves.empty()) json["serves"] = record.serves;
  if (record.blank) json["blank"] = *record.blank;
  json["folders"] = record.folders;
  json["containers"] = record.containers;
  json["gaps"] = JsonArray(record.gaps, [](const SettingsRecord::Gap& gap) -> OrderedJson {
    return {{"pointer", gap.pointer}, {"text", gap.text}};
  });
  json["values"] = JsonArray(record.values, [](const SettingsRecord::Value& value) {
    OrderedJson item{{"pointer", value.pointer}, {"now", value.now}};
    if (value.was) item["was"] = *value.was;
    return item;
  });
  json["lists"] = JsonArray(record.lists, [](const SettingsRecord::Texts& list) -> OrderedJson {
    return {{"pointer", list.pointer}, {"texts", list.texts}};
  });
  return json;
}

// Throws nlohmann's exceptions on a wrong shape.
SettingsRecord FromJson(const OrderedJson& json) {
  SettingsRecord record;
  record.path = json.at("path");
  record.program = json.at("program");
  record.is_new = json.at("is_new");
  if (json.contains("serves")) record.serves = json.at("serves");
  if (json.contains("blank")) record.blank = json.at("blank").get<std::string>();
  record.folders = json.at("folders").get<std::vector<std::string>>();
  record.containers = json.at("containers").get<std::vector<std::string>>();
  for (const OrderedJson& gap : json.at("gaps"))
    record.gaps.push_back({gap.at("pointer"), gap.at("text")});
  for (const OrderedJson& value : json.at("values")) {
    SettingsRecord::Value& item =
        record.values.emplace_back(SettingsRecord::Value{value.at("pointer"), value.at("now"), {}});
    if (value.contains("was")) item.was = value.at("was").get<std::string>();
  }
  for (const OrderedJson& list : json.at("lists")) {
    record.lists.push_back({list.at("pointer"), list.at("texts").get<std::vector<std::string>>()});
  }
  return record;
}

}  // namespace

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
  std::vector<SettingsRecord> records;
  try {
    const OrderedJson json = OrderedJson::parse(text);
    for (const OrderedJson& record : json.at("files")) records.push_back(FromJson(record));
  } catch (const OrderedJson::exception& exception) {
    return ConfigError(
        shown, "is not a record of ringfence: " + std::string(exception.what()),
        "move it away; then uninstall removes the hook entries and keeps other keys");
  }
  return records;
}

std::string RenderSettingsRecords(const std::vector<SettingsRecord>& records) {
  return JsonText({{"version", 1}, {"files", JsonArray(records, ToJson)}}, 2) + "\n";
}

std::string SettingsRecordsPath(const std::string& home) {
  return StateFolder(home) + "/registrations.json";
}

SettingsRecord RecordOf(const std::vector<SettingsRecord>& records, const std::string& path) {
  const auto found = std::ranges::find(records, path, &SettingsRecord::path);
  if (found != records.end()) return *found;
  SettingsRecord record;
  record.path = path;
  return record;
}

void PutRecord(std::vector<SettingsRecord>& records, const SettingsRecord& record) {
  const auto found = std::ranges::find(records, record.path, &SettingsRecord::path);
  if (found != records.end()) {
    *found = record;
  } else {
    records.push_back(record);
  }
}

}  // namespace ringfence
