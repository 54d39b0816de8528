#include "staging/store/stage_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "base/directory.h"
#include "base/sha256.h"
#include "base/state_file.h"
#include "base/syscall.h"
#include "files/journal_names.h"
#include "files/remove_tree.h"
#include "staging/store/names.h"

namespace ringfence {
namespace {

constexpr int kStoreLevels = 4;  // ~/.local/state/ringfence/stages
constexpr const char* kRecord = "record";
constexpr const char* kPause = "pause";
constexpr size_t kMaxId = 64;
constexpr size_t kMaxRecordSize = size_t{4} << 20;  // the words of a command take at most 2 MiB

// Letters and digits that are not mistaken for each other.
constexpr std::string_view kIdBytes = "abcdefghjkmnpqrstuvwxyz23456789";
constexpr size_t kIdSize = 4;
constexpr int kIdTries = 100;

std::string NewId() {
  std::array<unsigned char, kIdSize> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) return "";
  std::string id;
  for (const unsigned char byte : bytes) id += kIdBytes[byte % kIdBytes.size()];
  return id;
}

// Fails unless this user owns the directory and no other user has access to it.
Status CheckStageFolder(const UniqueFd& folder, const Path& path) {
  struct stat facts {};
  if (::fstat(folder.get(), &facts) != 0) return SystemError("fstat(" + path.text() + ")");
  if (facts.st_uid == ::geteuid() && (facts.st_mode & 0077) == 0) return Unit{};
  Error error = SystemError("open(" + path.text() + ")", EPERM);
  error.what = "must be yours, with mode 0700";
  return error;
}

}  // namespace

bool IsStageId(std::string_view text) {
  return text.size() == kIdSize && text.find_first_not_of(kIdBytes) == text.npos;
}

Path StageFolder::elsewhere() const { return CopiesBeside(path_.Parent()).Child(path_.name()); }

Path StageFolder::written(const StageRecord& record) const {
  return record.is_elsewhere ? elsewhere().Child(record.project.name())
                             : path_.Child(kStageWritten);
}

Status StageFolder::MakeElsewhere() const {
  const Path copies = CopiesBeside(path_.Parent());
  if (Status s = MakeFolders(copies, kStoreLevels - 1); !s) return s;
  const UniqueFd all(::open(copies.text().c_str(), kOpenDirectory));
  if (!all.valid()) return SystemError("open(" + copies.text() + ")");
  if (Status s = CheckStageFolder(all, copies); !s) return s;
  return CallStatus(::mkdirat(all.get(), std::string(path_.name()).c_str(), 0700) == 0,
                    "mkdir(" + elsewhere().text() + ")");
}

Status StageFolder::Save(const StageRecord& record) const {
  return Write(kRecord, RenderRecord(record));
}

Status StageFolder::Write(const std::string& name, std::string_view bytes) const {
  const std::string written = name + ".new";
  const UniqueFd file(::openat(fd_.get(), written.c_str(),
                               O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  const std::string shown = path_.Child(name).text();
  if (!file.valid()) return SystemError("open(" + shown + ")");
  if (Status s = WriteAll(file.get(), bytes); !s) return s;
  return CallStatus(::renameat(fd_.get(), written.c_str(), fd_.get(), name.c_str()) == 0,
                    "rename(" + shown + ")");
}

Result<StageRecord> StageFolder::Load() const {
  const std::string name = path_.Child(kRecord).text();
  const UniqueFd file(::openat(fd_.get(), kRecord, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.valid()) return SystemError("open(" + name + ")");
  const Result<std::string> text = ReadAll(file.get(), kMaxRecordSize, name);
  if (!text) return text.error();
  return ParseRecord(*text, name);
}

Result<bool> StageFolder::Lock() const {
  constexpr int kMoment = 200;  // milliseconds: IsInUse() of another process is shorter
  return LockFile(fd_.get(), kMoment);
}

bool StageFolder::IsInUse() const {
  if (::flock(fd_.get(), LOCK_SH | LOCK_NB) != 0) return true;
  ::flock(fd_.get(), LOCK_UN);
  return false;
}

bool StageFolder::HasJournal() const { return HasTreeJournal(fd_); }

void StageFolder::NotePause(std::string_view alone) const {
  if (alone.empty()) {
    ::unlinkat(fd_.get(), kPause, 0);
    return;
  }
  const UniqueFd file(
      ::openat(fd_.get(), kPause, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  // Without it, the other command says that this one goes on.
  if (file.valid()) (void)WriteAll(file.get(), alone);
}

std::string StageFolder::PausedFor() const {
  const UniqueFd file(::openat(fd_.get(), kPause, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.valid()) return "";
  const Result<std::string> id = ReadAll(file.get(), kMaxId, kPause);
  return id && IsStageId(*id) ? *id : "";
}

Status StageFolder::Remove() const {
  if (::unlinkat(fd_.get(), kRecord, 0) != 0 && errno != ENOENT) {
    return SystemError("unlink(" + path_.Child(kRecord).text() + ")");
  }
  if (Status s = RemoveTree(elsewhere().text()); !s) return s;
  return RemoveTree(path_.text());
}

Result<UniqueFd> StageStore::OpenOrMake() const {
  if (Status s = MakeFolders(folder_, kStoreLevels); !s) return s.error();
  UniqueFd all(::open(folder_.text().c_str(), kOpenDirectory));
  if (!all.valid()) return SystemError("open(" + folder_.text() + ")");
  if (Status s = CheckStageFolder(all, folder_); !s) return s.error();
  return all;
}

Result<StageFolder> StageStore::Create() const {
  const Result<UniqueFd> opened = OpenOrMake();
  if (!opened) return opened.error();
  const UniqueFd& all = *opened;
  for (int i = 0; i < kIdTries; ++i) {
    const std::string id = NewId();
    if (id.empty()) return SystemError("getrandom");
    if (::mkdirat(all.get(), id.c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      return SystemError("mkdir(" + folder_.Child(id).text() + ")");
    }
    Result<StageFolder> stage = Open(id);
    if (!stage) return stage;
    const Result<bool> is_locked = stage->Lock();
    if (!is_locked) return is_locked.error();
    if (*is_locked) return stage;  // otherwise `gc` has just taken it for an abandoned one
  }
  return SystemError("mkdir(" + folder_.text() + "/ID)", EEXIST);
}

Result<StageFolder> StageStore::Open(std::string_view id) const {
  const Path path = folder_.Child(id);
  if (!IsStageId(id)) return SystemError("open(" + path.text() + ")", ENOENT);
  UniqueFd folder(::open(path.text().c_str(), kOpenDirectory));
  if (!folder.valid()) return SystemError("open(" + path.text() + ")");
  if (Status s = CheckStageFolder(folder, path); !s) return s.error();
  return StageFolder(path, std::move(folder));
}

Result<UniqueFd> StageStore::OpenProjectLock(const Path& project) const {
  const Result<UniqueFd> all = OpenOrMake();
  if (!all) return all.error();
  const std::string name = "lock-" + Sha256Hex(project.text());
  UniqueFd lock(
      ::openat(all->get(), name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock.valid()) return SystemError("open(" + folder_.Child(name).text() + ")");
  return lock;
}

Result<UniqueFd> StageStore::LockProject(const Path& project, int milliseconds) const {
  Result<UniqueFd> lock = OpenProjectLock(project);
  if (!lock) return lock;
  if (milliseconds == kNoLimit) {
    while (::flock(lock->get(), LOCK_EX) != 0) {
      if (errno != EINTR) return SystemError("flock");
    }
    return lock;
  }
  const Result<bool> is_locked = LockFile(lock->get(), milliseconds);
  if (!is_locked) return is_locked.error();
  return *is_locked ? std::move(*lock) : UniqueFd();
}

Result<std::vector<std::string>> StageStore::Ids() const {
  std::vector<std::string> ids;
  const UniqueFd all(::open(folder_.text().c_str(), kOpenDirectory));
  if (!all.valid() && errno == ENOENT) return ids;
  if (!all.valid()) return SystemError("open(" + folder_.text() + ")");
  ForEachName(all, [&ids](const char* name) {
    if (IsStageId(name)) ids.emplace_back(name);
  });
  std::ranges::sort(ids);
  return ids;
}

}  // namespace ringfence
