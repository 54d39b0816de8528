#include "staging/git_bases.h"

#include <fcntl.h>
#include <git2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/read_number.h"
#include "base/syscall.h"
#include "base/text.h"
#include "files/beneath.h"
#include "files/entry.h"
#include "staging/git_handle.h"
#include "staging/libgit2.h"

namespace ringfence {
namespace {

// In the stage's directory: "OBJECT MODE PATH" for each file, each with a NUL after it. The mode is
// decimal.
constexpr const char* kNoted = "git-base";
constexpr size_t kMaxNoted = size_t{64} << 20;

// Null without a repository in this directory, or if another user owns it.
GitHandle<git_repository> OpenRepository(const Path& project) {
  git_repository* opened = nullptr;
  if (!StartLibgit2()) return nullptr;
  const int failed = git_repository_open_ext(&opened, project.text().c_str(),
                                             GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  return GitHandle<git_repository>(failed == 0 ? opened : nullptr);
}

// A time in an index has 32 bits of seconds, and nanoseconds or 0 (gitformat-index(5)).
constexpr int64_t kInSecond = 1'000'000'000;

bool IsTime(const git_index_time& noted, int64_t time) {
  if (noted.seconds != static_cast<int32_t>(time / kInSecond)) return false;
  return noted.nanoseconds == 0 || noted.nanoseconds == time % kInSecond;
}

// False if the file can have changed in the same moment in which the index was written: then its
// times do not show the change.
bool IsOlder(const git_index_time& noted, int64_t index) {
  const auto seconds = static_cast<int32_t>(index / kInSecond);
  if (noted.seconds != seconds) return noted.seconds < seconds;
  return noted.nanoseconds != 0 && noted.nanoseconds < index % kInSecond;
}

bool IsCleanFile(const git_index_entry& noted, const Entry& now) {
  constexpr unsigned kRegular = 0100000;
  constexpr unsigned kType = 0170000;
  constexpr unsigned kUnlike = GIT_INDEX_ENTRY_INTENT_TO_ADD | GIT_INDEX_ENTRY_SKIP_WORKTREE;
  return (noted.mode & kType) == kRegular && now.is_file() && git_index_entry_stage(&noted) == 0 &&
         (noted.flags_extended & kUnlike) == 0 && (noted.flags & GIT_INDEX_ENTRY_VALID) == 0 &&
         noted.file_size == static_cast<uint32_t>(now.size) &&
         noted.ino == static_cast<uint32_t>(now.inode) && IsTime(noted.mtime, now.mtime) &&
         IsTime(noted.ctime, now.ctime);
}

}  // namespace

Status NoteGitBases(const Stage& stage) {
  const GitHandle<git_repository> repository = OpenRepository(stage.record().project);
  git_index* opened = nullptr;
  if (!repository || git_repository_index(&opened, repository.get()) != 0) return Unit{};
  const GitHandle<git_index> index(opened);
  const Result<Entry> written = LookAt(AT_FDCWD, git_index_path(index.get()), "index");
  // What is read now is at least as new as that.
  if (!written || git_index_read(index.get(), 1) != 0) return Unit{};
  std::string text;
  const size_t count = git_index_entrycount(index.get());
  for (size_t i = 0; i < count && text.size() < kMaxNoted; ++i) {
    const git_index_entry& noted = *git_index_get_byindex(index.get(), i);
    const Result<Entry> now = LookAt(stage.project().get(), noted.path, noted.path);
    const bool is_base = now && now->ctime < stage.record().watermark &&
                         IsOlder(noted.mtime, written->mtime) && IsCleanFile(noted, *now);
    if (!is_base) continue;
    std::array<char, GIT_OID_HEXSZ + 1> object{};
    git_oid_tostr(object.data(), object.size(), &noted.id);
    text += std::string(object.data()) + " " + std::to_string(now->mode) + " " + noted.path + '\0';
  }
  return stage.folder().Write(kNoted, text);
}

// The objects of the project's repository.
class GitBases::ObjectStore {
 public:
  explicit ObjectStore(const Path& project) : repository_(OpenRepository(project)) {
    git_odb* opened = nullptr;
    if (repository_ && git_repository_odb(&opened, repository_.get()) == 0) objects_.reset(opened);
  }

  std::optional<std::string> Read(const std::string& object, size_t limit) const {
    git_oid id{};
    size_t size = 0;
    git_object_t type = GIT_OBJECT_INVALID;
    const bool is_text = objects_ && git_oid_fromstr(&id, object.c_str()) == 0 &&
                         git_odb_read_header(&size, &type, objects_.get(), &id) == 0 &&
                         type == GIT_OBJECT_BLOB && size <= limit;
    git_odb_object* read = nullptr;
    if (!is_text || git_odb_read(&read, objects_.get(), &id) != 0) return {};
    const GitHandle<git_odb_object> blob(read);
    return std::string(static_cast<const char*>(git_odb_object_data(read)),
                       git_odb_object_size(read));
  }

 private:
  GitHandle<git_repository> repository_;
  GitHandle<git_odb> objects_;
};

GitBases::GitBases(const StageFolder& folder, Path project) : project_(std::move(project)) {
  const Result<UniqueFd> file = OpenBeneath(folder.fd(), kNoted, O_RDONLY);
  if (!file || !ReadAll(file->get(), 2 * kMaxNoted, kNoted).MoveTo(text_)) return;
  for (std::string_view rest = text_; !rest.empty();) {
    Noted noted{.path = TakeUntil(rest, '\0')};
    noted.object = TakeUntil(noted.path, ' ');
    if (ReadNumber(TakeUntil(noted.path, ' '), noted.mode)) noted_.push_back(noted);
  }
  std::ranges::sort(noted_, {}, &Noted::path);
}

GitBases::~GitBases() = default;

const GitBases::Noted* GitBases::Find(std::string_view path) const {
  const auto found = std::ranges::lower_bound(noted_, path, {}, &Noted::path);
  return found != noted_.end() && found->path == path ? &*found : nullptr;
}

std::optional<uint32_t> GitBases::Mode(std::string_view path) const {
  const Noted* noted = Find(path);
  return noted != nullptr ? std::optional(noted->mode) : std::nullopt;
}

std::optional<std::string> GitBases::Text(const std::string& path, size_t limit) {
  const Noted* noted = Find(path);
  if (noted == nullptr) return {};
  if (!objects_) objects_ = std::make_unique<ObjectStore>(project_);
  return objects_->Read(std::string(noted->object), limit);
}

}  // namespace ringfence
