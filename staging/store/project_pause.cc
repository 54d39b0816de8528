#include "staging/store/project_pause.h"

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "base/state_file.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr size_t kMaxPauseText = 64;
constexpr int kPatience = 2'000;  // milliseconds

// The id in the file of the lock; it stays there after the lock.
std::string IdIn(const UniqueFd& lock) {
  std::array<char, kMaxPauseText> text{};
  const ssize_t size = ::pread(lock.get(), text.data(), text.size(), 0);
  std::string id(text.data(), size > 0 ? static_cast<size_t>(size) : 0);
  return IsStageId(id) ? id : "";
}

// The stages of the project whose commands run, without `stage`.
Result<std::vector<StageFolder>> RunningBeside(const StageStore& store, const StageRecord& stage) {
  const Result<std::vector<std::string>> ids = store.Ids();
  if (!ids) return ids.error();
  std::vector<StageFolder> running;
  for (const std::string& id : *ids) {
    if (id == stage.id) continue;
    Result<StageFolder> folder = store.Open(id);
    const Result<StageRecord> record = folder ? folder->Load() : folder.error();
    const bool is_meant = record && record->project == stage.project &&
                          record->state == StageState::kRunning && folder->IsInUse();
    if (is_meant) running.push_back(std::move(*folder));
  }
  return running;
}

}  // namespace

Result<OtherStages> PauseOthers(const StageStore& store, const UniqueFd& lock,
                                const StageRecord& stage) {
  const bool is_written = ::pwrite(lock.get(), stage.id.data(), stage.id.size(), 0) ==
                              static_cast<ssize_t>(stage.id.size()) &&
                          ::ftruncate(lock.get(), static_cast<off_t>(stage.id.size())) == 0;
  if (!is_written) return SystemError("write(lock of the project)");
  Result<std::vector<StageFolder>> running = RunningBeside(store, stage);
  if (!running) return running.error();
  OtherStages others;
  for (int i = 0; i < kPatience && !running->empty(); ++i) {
    if (i > 0) WaitForOthers();
    std::erase_if(*running, [&](const StageFolder& folder) {
      const bool is_paused = folder.PausedFor() == stage.id;
      if (is_paused) others.paused.emplace_back(folder.path().name());
      return is_paused || !folder.IsInUse();
    });
  }
  for (const StageFolder& folder : *running) others.running.emplace_back(folder.path().name());
  return others;
}

std::string StageAlone(const StageStore& store, const Path& project) {
  const Result<UniqueFd> lock = store.OpenProjectLock(project);
  std::string id = lock ? IdIn(*lock) : "";
  const Result<StageFolder> stage = store.Open(id);
  return stage && stage->IsInUse() ? id : "";
}

std::string PauseWatch::Wanted() const {
  std::string id = IdIn(lock_);
  if (id.empty()) return "";
  if (::flock(lock_.get(), LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK ? id : "";
  ::flock(lock_.get(), LOCK_UN);
  return "";
}

}  // namespace ringfence
