#include "cli/common/state.h"

#include <algorithm>

#include "base/contains.h"
#include "base/regular_file.h"
#include "cli/common/file_place.h"

namespace ringfence {
namespace {

constexpr NewFileModes kPrivate{.file = 0600, .folders = 0700};

template <typename Value, typename Parse>
Result<StateFile<Value>> ReadState(const std::string& path, Parse parse, std::string_view remedy) {
  StateFile<Value> file;
  file.path = path;
  Result<std::optional<std::string>> text = ReadIfThere(path);
  if (!text) return text.error();
  file.text = std::move(*text);
  if (!file.text) return file;
  Result<Value> value = parse(*file.text, path);
  if (!value) {
    Error error = value.error();
    error.hint = "move it away, and then " + std::string(remedy);
    return error;
  }
  file.value = std::move(*value);
  return file;
}

Status SaveText(const std::string& path, const std::optional<std::string>& before,
                const std::string& text, FileTransaction& transaction) {
  if (before == text) return Unit{};
  return transaction.Write(path, before, text, kPrivate);
}

}  // namespace

Result<StateFile<std::vector<TrustedProject>>> ReadTrust(const std::string& home) {
  return ReadState<std::vector<TrustedProject>>(TrustStorePath(home), ParseTrustStore,
                                                "trust each project again: ringfence trust");
}

Result<StateFile<Approvals>> ReadApprovalsFile(const std::string& home) {
  return ReadState<Approvals>(ApprovalsPath(home), ParseApprovals,
                              "approve the settings as they are: ringfence init");
}

Result<StateFile<std::vector<SettingsRecord>>> ReadRecords(const std::string& home) {
  return ReadState<std::vector<SettingsRecord>>(
      SettingsRecordsPath(home), ParseSettingsRecords,
      "uninstall removes the hook entries and keeps other keys");
}

Status Save(const StateFile<std::vector<TrustedProject>>& file, FileTransaction& transaction) {
  return SaveText(file.path, file.text, RenderTrustStore(file.value), transaction);
}

Status Save(const StateFile<Approvals>& file, FileTransaction& transaction) {
  return SaveText(file.path, file.text, RenderApprovals(file.value), transaction);
}

Status Save(const StateFile<std::vector<SettingsRecord>>& file, FileTransaction& transaction) {
  return SaveText(file.path, file.text, RenderSettingsRecords(file.value), transaction);
}

SettingsRecord RecordOf(const std::vector<SettingsRecord>& records, const std::string& path) {
  const auto found = std::ranges::find_if(
      records, [&](const SettingsRecord& record) { return LeadToOneFile(record.path, path); });
  SettingsRecord record = found == records.end() ? SettingsRecord() : *found;
  record.path = path;
  return record;
}

void PutRecord(std::vector<SettingsRecord>& records, const SettingsRecord& record) {
  for (SettingsRecord& known : records) {
    if (!LeadToOneFile(known.path, record.path)) continue;
    known = record;
    return;
  }
  records.push_back(record);
}

void DropRecord(std::vector<SettingsRecord>& records, const std::string& path) {
  std::erase_if(records,
                [&](const SettingsRecord& record) { return LeadToOneFile(record.path, path); });
}

void Pin(std::vector<TrustedProject>& projects, const TrustedProject& project) {
  std::erase_if(projects, [&](const TrustedProject& old) { return old.root == project.root; });
  projects.push_back(project);
}

ApprovedFile ApprovedWith(const ClientSettings& settings, std::string_view program,
                          const SettingsRecord& record) {
  ApprovedFile approved = ApprovedAsIs(settings, program);
  const auto ours = std::ranges::find(record.lists, kDenyRules, &SettingsRecord::Texts::pointer);
  for (SettingTexts& list : approved.lists) {
    if (list.pointer != kDenyRules) continue;
    std::erase_if(list.texts, [&](const std::string& text) {
      return ours == record.lists.end() || !Contains(ours->texts, text);
    });
  }
  std::erase_if(approved.lists, [](const SettingTexts& list) {
    return list.pointer == kDenyRules && list.texts.empty();
  });
  return approved;
}

void Approve(Approvals& approvals, const ApprovedFile& file) {
  const auto found = std::ranges::find(approvals.files, file.path, &ApprovedFile::path);
  if (found != approvals.files.end()) {
    *found = file;
  } else {
    approvals.files.push_back(file);
  }
}

}  // namespace ringfence
