#include "staging/stage.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "base/syscall.h"
#include "files/beneath.h"
#include "staging/upper_layer.h"

namespace ringfence {
namespace {

Result<std::string> BytesOf(const UniqueFd& folder, const std::string& path, size_t limit) {
  const Result<UniqueFd> file = OpenBeneath(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) return file.error();
  return ReadAll(file->get(), limit, path);
}

}  // namespace

Result<Stage> Stage::Open(StageFolder folder) {
  Result<StageRecord> record = folder.Load();
  if (!record) return record.error();
  Stage stage(std::move(folder), std::move(*record));
  stage.is_running_ = stage.record_.state == StageState::kRunning && stage.folder_.IsInUse();
  constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const std::string& project = stage.record_.project.text();
  stage.project_ = UniqueFd(::open(project.c_str(), kFolder));
  if (!stage.project_.valid()) return SystemError("open(" + project + ")");
  const std::string written = stage.folder_.written().text();
  stage.written_ = UniqueFd(::open(written.c_str(), kFolder));
  if (!stage.written_.valid()) return SystemError("open(" + written + ")");
  return stage;
}

bool Stage::is_dirty() const { return !record_.is_on_disk && record_.boot != CurrentBoot(); }

Status Stage::MakeDurable() {
  if (record_.is_on_disk) return Unit{};
  if (::syncfs(written_.get()) != 0) return SystemError("syncfs");
  record_.is_on_disk = true;
  return folder_.Save(record_);
}

Result<ChangeList> Stage::Changes() const { return ReadUpperLayer(written_, project_); }

Result<std::string> Stage::StagedBytes(const std::string& path, size_t limit) const {
  return BytesOf(written_, path, limit);
}

Result<std::string> Stage::ProjectBytes(const std::string& path, size_t limit) const {
  return BytesOf(project_, path, limit);
}

}  // namespace ringfence
