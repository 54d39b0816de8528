#include "staging/store/record.h"

#include <algorithm>
#include <array>

#include "base/read_number.h"
#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr std::string_view kStageHeader = "ringfence stage 1\n";

constexpr std::array<std::string_view, 2> kStates = {"running", "ended"};
constexpr std::array<std::string_view, 2> kMechanisms = {"overlay", "copy"};

// The names of the fields.
constexpr std::string_view kId = "id";
constexpr std::string_view kProject = "project";
constexpr std::string_view kWordField = "word";  // one for each word of the command
constexpr std::string_view kProfile = "profile";
constexpr std::string_view kAgent = "agent";
constexpr std::string_view kMechanism = "mechanism";
constexpr std::string_view kElsewhere = "elsewhere";
constexpr std::string_view kStateField = "state";
constexpr std::string_view kStarted = "started";
constexpr std::string_view kWatermark = "watermark";
constexpr std::string_view kClockOffset = "clock_offset";
constexpr std::string_view kBoot = "boot";
constexpr std::string_view kBufferProcess = "buffer_process";
constexpr std::string_view kBufferFd = "buffer_fd";
constexpr std::string_view kStatus = "status";
constexpr std::string_view kOnDisk = "on_disk";

class Writer {
 public:
  void Add(std::string_view name, std::string_view value) {
    text_.append(name) += '=';
    text_.append(value) += '\0';
  }
  void Add(std::string_view name, int64_t value) { Add(name, std::to_string(value)); }

  std::string Take() { return std::move(text_); }

 private:
  std::string text_ = std::string(kStageHeader);
};

template <typename Enum, size_t kSize>
bool ReadWord(std::string_view value, const std::array<std::string_view, kSize>& words,
              Enum& target) {
  const auto found = std::ranges::find(words, value);
  if (found == words.end()) return false;
  target = static_cast<Enum>(found - words.begin());
  return true;
}

bool ReadPath(std::string_view value, Path& target) {
  const std::optional<Path> path = Path::Parse(value);
  if (path) target = *path;
  return path.has_value();
}

bool ReadFlag(std::string_view value, bool& target) {
  target = value == "1";
  return target || value == "0";
}

bool TakeText(std::string_view value, std::string& target) {
  target = value;
  return true;
}

bool AddWord(std::string_view value, std::vector<std::string>& target) {
  target.emplace_back(value);
  return true;
}

// Returns false if the field is unknown or its value is malformed.
bool ReadField(std::string_view name, std::string_view value, StageRecord& record) {
  if (name == kId) return TakeText(value, record.id);
  if (name == kProject) return ReadPath(value, record.project);
  if (name == kWordField) return AddWord(value, record.command);
  if (name == kProfile) return TakeText(value, record.profile);
  if (name == kAgent) return ReadFlag(value, record.is_agent);
  if (name == kMechanism) return ReadWord(value, kMechanisms, record.mechanism);
  if (name == kElsewhere) return ReadFlag(value, record.is_elsewhere);
  if (name == kStateField) return ReadWord(value, kStates, record.state);
  if (name == kStarted) return ReadNumber(value, record.started);
  if (name == kWatermark) return ReadNumber(value, record.watermark);
  if (name == kClockOffset) return ReadNumber(value, record.clock_offset);
  if (name == kBoot) return TakeText(value, record.boot);
  if (name == kBufferProcess) return ReadNumber(value, record.buffer_process);
  if (name == kBufferFd) return ReadNumber(value, record.buffer_fd);
  if (name == kStatus) return ReadNumber(value, record.status);
  return name == kOnDisk && ReadFlag(value, record.is_on_disk);
}

}  // namespace

std::string_view StateName(StageState state) { return kStates[static_cast<size_t>(state)]; }

std::string_view MechanismName(StageMechanism mechanism) {
  return kMechanisms[static_cast<size_t>(mechanism)];
}

std::string RenderRecord(const StageRecord& record) {
  Writer writer;
  writer.Add(kId, record.id);
  writer.Add(kProject, record.project.text());
  for (const std::string& word : record.command) writer.Add(kWordField, word);
  writer.Add(kProfile, record.profile);
  writer.Add(kAgent, int64_t{record.is_agent});
  writer.Add(kMechanism, MechanismName(record.mechanism));
  writer.Add(kElsewhere, int64_t{record.is_elsewhere});
  writer.Add(kStateField, StateName(record.state));
  writer.Add(kStarted, record.started);
  writer.Add(kWatermark, record.watermark);
  writer.Add(kClockOffset, record.clock_offset);
  writer.Add(kBoot, record.boot);
  writer.Add(kBufferProcess, record.buffer_process);
  writer.Add(kBufferFd, record.buffer_fd);
  writer.Add(kStatus, record.status);
  writer.Add(kOnDisk, int64_t{record.is_on_disk});
  return writer.Take();
}

Result<StageRecord> ParseRecord(std::string_view text, const std::string& name) {
  const Error unusable = ConfigError(name, "is damaged or of another version of ringfence");
  if (!text.starts_with(kStageHeader) || !text.ends_with('\0')) return unusable;
  text.remove_prefix(kStageHeader.size());
  StageRecord record;
  while (!text.empty()) {
    std::string_view value = TakeUntil(text, '\0');
    const std::string_view field = TakeUntil(value, '=');
    if (!ReadField(field, value, record)) return unusable;
  }
  if (record.id.empty() || record.project.is_root()) return unusable;
  return record;
}

}  // namespace ringfence
