#include "staging/stage.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "base/syscall.h"
#include "files/beneath.h"
#include "files/new_tree.h"
#include "files/system_calls.h"
#include "staging/merge_plan.h"
#include "staging/project_copy.h"
#include "staging/store/machine.h"
#include "staging/store/names.h"
#include "staging/upper_layer.h"

namespace ringfence {
namespace {

constexpr int kStageFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Result<std::string> BytesBeneath(const UniqueFd& folder, const std::string& path, size_t limit) {
  const Result<UniqueFd> file = OpenBeneath(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) return file.error();
  return ReadAll(file->get(), limit, path);
}

}  // namespace

// A process that took its number later counts as the same one.
bool IsLost(const StageRecord& record) {
  if (record.buffer_process == 0) return false;
  return record.boot != CurrentBoot() || (::kill(record.buffer_process, 0) != 0 && errno == ESRCH);
}

Result<Stage> Stage::Open(StageFolder folder) {
  Result<StageRecord> record = folder.Load();
  if (!record) return record.error();
  Stage stage(std::move(folder), std::move(*record));
  stage.is_running_ = stage.record_.state == StageState::kRunning && stage.folder_.IsInUse();
  const std::string& project = stage.record_.project.text();
  stage.project_ = UniqueFd(::open(project.c_str(), kStageFolder));
  if (!stage.project_.valid()) return SystemError("open(" + project + ")");
  if (Status s = stage.OpenWritten().MoveTo(stage.written_); !s) return s.error();
  return stage;
}

// A process that holds changes in memory is the launcher, which has locked the stage, or this one.
Result<UniqueFd> Stage::OpenWritten() const {
  const std::string name = folder_.written(record_).text();
  if (record_.buffer_process == 0) {
    UniqueFd written(::open(name.c_str(), kStageFolder));
    if (!written.valid()) return SystemError("open(" + name + ")");
    return written;
  }
  const Error lost{Error::Kind::kSystem, "stage " + record_.id,
                   "its changes were in memory, and are lost: its launcher was killed",
                   "remove what is left: ringfence stage discard " + record_.id};
  if (record_.buffer_process != ::getpid() && !folder_.IsInUse()) return lost;
  const std::string buffer = "/proc/" + std::to_string(record_.buffer_process) + "/fd/" +
                             std::to_string(record_.buffer_fd);
  UniqueFd written(::open(buffer.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!written.valid()) return SystemError("open(" + buffer + ")");
  return written;
}

Status Stage::StoreBuffer() {
  if (record_.buffer_process == 0) return Unit{};
  Result<Contents> contents = ContentsOf(written_, {.leaves_out_deep = true});
  if (!contents) return contents.error();
  NewTree tree{.entries = {{.kind = EntryKind::kDirectory, .mode = 0700, .source = "."}}};
  for (const auto& [path, entry] : *contents) {
    if (entry.kind == EntryKind::kSpecial && !IsWhiteout(written_, path)) continue;
    tree.entries.push_back({.below = path,
                            .kind = entry.kind,
                            .mode = entry.mode,
                            .target = entry.target,
                            .source = path,
                            .mtime = entry.mtime});
    // Memory can hold files that are larger than the disk's file system takes. They are never
    // applied, so their contents are not needed, but the list must have them.
    if (entry.size <= kMaxApplied) continue;
    tree.entries.back().bytes = "";
    tree.entries.back().hole_size = kMaxApplied + 1;
  }
  if (Status s =
          CreateTree(folder_.fd(), kStageWritten, tree, {.folder = &written_, .keeps_marks = true});
      !s) {
    return s;
  }
  record_.buffer_process = 0;
  if (Status s = folder_.Save(record_); !s) return s;
  return OpenWritten().MoveTo(written_);
}

bool Stage::is_dirty() const { return !record_.is_on_disk && record_.boot != CurrentBoot(); }

Status Stage::MakeDurable() {
  if (record_.is_on_disk) return Unit{};
  if (Status s = SyncFileSystem(written_.get()); !s) return s;
  record_.is_on_disk = true;
  if (Status s = folder_.Save(record_); !s) return s;
  return SyncFileSystem(folder_.fd().get());  // an empty record would make the stage unusable
}

Result<ChangeList> Stage::Changes() const {
  return is_copy() ? ReadCopy({folder_, written_, project_}) : ReadUpperLayer(written_, project_);
}

Result<std::string> Stage::StagedBytes(const std::string& path, size_t limit) const {
  return BytesBeneath(written_, path, limit);
}

Result<std::string> Stage::ProjectBytes(const std::string& path, size_t limit) const {
  return BytesBeneath(project_, path, limit);
}

}  // namespace ringfence
