#include "staging/base_versions.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <utility>

#include "base/open_path.h"
#include "base/regular_file.h"
#include "base/sha256.h"
#include "base/syscall.h"
#include "files/attributes.h"
#include "files/beneath.h"
#include "files/done_step.h"
#include "files/journal_names.h"
#include "files/new_tree.h"
#include "staging/store/machine.h"
#include "staging/undo.h"

namespace ringfence {
namespace {

constexpr const char* kBaseFolder = "base";  // in the stage's directory; names are digests of paths
// A copy has the permissions of its file, and those of this program to read and write it.
constexpr uint32_t kKeptMode = 0177;
constexpr uint32_t kOwnersMode = 0600;

// A clock that was set back gives new changes old times. After a restart of the machine, there is
// nothing to compare with.
bool HasSoundTimes(const StageRecord& record) {
  constexpr int64_t kTolerance = 1'000'000'000;  // nanoseconds
  if (record.boot != CurrentBoot()) return true;
  const int64_t offset = Nanoseconds(CLOCK_REALTIME) - TimeSinceBoot();
  return offset > record.clock_offset - kTolerance;
}

// The directory of the project that has this name; "" is the project.
Result<Entry> FolderNow(const UniqueFd& project, const std::string& path) {
  return LookAt(project.get(), path.empty() ? "." : path, path);
}

// The same with its attributes.
Result<Entry> FolderWithAttributes(const UniqueFd& project, const std::string& path) {
  const Result<UniqueFd> folder =
      OpenBeneath(project, path.empty() ? "." : path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!folder) return folder.error();
  Result<Entry> entry = LookAt(folder->get(), ".", path);
  if (entry) AddAttributes(folder->get(), ".", *entry);
  return entry;
}

}  // namespace

BaseVersions::BaseVersions(const Stage& stage)
    : project_(stage.project()),
      folder_(stage.folder()),
      watermark_(stage.record().watermark),
      has_sound_times_(HasSoundTimes(stage.record())),
      put_back_(ReadPutBack(stage.folder())),
      git_(std::make_unique<GitBases>(stage.folder(), stage.record().project)) {}

Result<BaseVersions> BaseVersions::Of(const Stage& stage, const StageStore& store) {
  BaseVersions base(stage);
  if (stage.is_copy()) {
    Result<Originals> originals = ReadOriginals(stage.folder());
    if (!originals) return originals.error();
    base.originals_ = std::move(*originals);
  }
  Result<KnownFolders> folders = KnownFolders::Of(stage.folder());
  if (!folders) return folders.error();
  base.folders_ = std::make_unique<KnownFolders>(std::move(*folders));
  if (Status s = base.AddRestored(stage); !s) return s.error();
  const Result<std::vector<std::string>> ids = store.Ids();
  if (!ids) return ids.error();
  for (const std::string& id : *ids) {
    const Result<StageFolder> other = store.Open(id);
    if (!other || id == stage.record().id) continue;
    const Result<StageRecord> record = other->Load();
    if (!record || record->project != stage.record().project) continue;
    base.AddReplacedBy(*other);
  }
  return base;
}

Status BaseVersions::AddRestored(const Stage& stage) {
  const Result<ApplyNumbers> numbers = FindApplies(stage.folder());
  if (!numbers) return numbers.error();
  for (const uint64_t number : numbers->undone) {
    const Result<std::vector<DoneStep>> steps = StepsIn(stage.folder(), UndoneName(number));
    if (!steps) return steps.error();
    for (const DoneStep& step : *steps) {
      if (step.kind != DoneStep::Kind::kMode) AddRestored(step);
    }
  }
  return Unit{};
}

// Without the mark, it has the changes that the user had made before the apply.
void BaseVersions::AddRestored(const DoneStep& step) {
  const auto add = [&](const std::string& path, const Entry& entry) {
    if (step.mark) {
      restored_[path] = entry;
    } else {
      restored_.erase(path);
    }
  };
  add(step.path, step.placed);
  for (const auto& [below, entry] : step.placed_inside) add(step.path + "/" + below, entry);
}

void BaseVersions::AddReplacedBy(const StageFolder& other) {
  const Result<ApplyNumbers> numbers = FindApplies(other);
  if (!numbers) return;
  for (const uint64_t number : numbers->undone) {
    AddReplacedIn(other, TakenBackName(number), false);
  }
  for (const uint64_t number : numbers->applied) AddReplacedIn(other, UndoName(number), true);
}

// What is not known is a conflict.
void BaseVersions::AddReplacedIn(const StageFolder& other, const std::string& name,
                                 bool has_copies) {
  const Result<Entry> journal = LookAt(other.fd().get(), PathIn(name, kUndoSteps), name);
  if (!journal || journal->mtime < watermark_) return;
  const Result<std::vector<DoneStep>> steps = StepsIn(other, name);
  if (!steps) return;
  const auto copy = [&](const std::string& below) {
    return has_copies ? Path::Parse(other.path().Child(name).text() + "/" + below) : std::nullopt;
  };
  for (size_t i = 0; i < steps->size(); ++i) {
    const DoneStep& step = (*steps)[i];
    if (!WasReplacedLater(step, journal->mtime)) continue;
    const std::string number = std::to_string(i);
    AddReplaced(step.path, step.before, copy(number));
    for (const auto& [below, entry] : step.before_inside) {
      AddReplaced(PathIn(step.path, below), entry, copy(PathIn(number, below)));
    }
  }
}

// True if the step was done after the stage began: an earlier one has replaced what was before the
// version that this stage has seen. `committed` is when the transaction ended.
bool BaseVersions::WasReplacedLater(const DoneStep& step, int64_t committed) const {
  if (step.kind == DoneStep::Kind::kMode) return false;
  return (step.placed.exists() ? step.placed.ctime : committed) >= watermark_;
}

void BaseVersions::AddReplaced(const std::string& path, const Entry& before,
                               const std::optional<Path>& copy) {
  if (!before.is_file() && !before.is_link()) return;
  const auto known = replaced_.find(path);
  const bool is_known = known != replaced_.end() && !before.digest.empty() &&
                        known->second.before.digest == before.digest;
  const bool is_base =
      originals_ ? IsOriginal(path, before) : has_sound_times_ && before.ctime < watermark_;
  if (!is_known && !is_base) return;
  Replaced& replaced = replaced_[path];
  if (is_base) replaced.before = before;
  if (copy) replaced.copy = copy;
}

bool BaseVersions::IsUnchanged(const std::string& path, const Entry& now) const {
  return IsUntouched(path, now) || HasBaseContent(path, now);
}

bool BaseVersions::IsUntouched(const std::string& path, const Entry& now) const {
  if (originals_) return IsOriginal(path, now);
  if (!has_sound_times_) return false;
  if (IsPutBack(path, now)) return true;
  if (now.exists() && now.ctime < watermark_) return IsInSameFolders(path);
  const auto restored = restored_.find(path);
  if (restored != restored_.end()) return IsAsCreated(project_, path, now, restored->second);
  return !now.exists() && WasMissing(path) && IsInSameFolders(path);
}

// True unless the user has moved another directory to this name since the stage began. That changes
// the ctime of both directories, and so does what comes and goes in them; but only the latter
// changes the mtime as well.
bool BaseVersions::IsSameFolder(const std::string& path) const {
  const Result<Entry> now = FolderNow(project_, path);
  if (!now) return false;
  if (!now->is_directory()) return true;  // it holds nothing
  const auto restored = restored_.find(path);
  if (restored != restored_.end() && IsSameInode(*now, restored->second)) return true;
  if (const std::optional<uint64_t> known = folders_->InodeOf(path)) return *known == now->inode;
  if (now->ctime < watermark_ || now->ctime == now->mtime) return true;
  const Result<Entry> outer = FolderNow(project_, std::string(FolderOf(path)));
  return !path.empty() && outer && outer->ctime < watermark_;
}

bool BaseVersions::IsInSameFolders(std::string_view path) const {
  while (!path.empty()) {
    path = FolderOf(path);
    if (!IsSameFolder(std::string(path))) return false;
  }
  return true;
}

// One that is known not to be the same stays unknown.
void BaseVersions::NoteIfSame(const std::string& path) const {
  const bool has_inodes = !originals_ && has_sound_times_;
  if (!has_inodes || folders_->InodeOf(path) || !IsSameFolder(path)) return;
  const Result<Entry> now = FolderWithAttributes(project_, path);
  if (!now || !now->is_directory()) return;
  // Changing the permissions or the attributes changes the ctime only.
  const bool has_facts = now->ctime < watermark_ || now->ctime == now->mtime;
  std::optional<KnownFolders::Facts> facts;
  if (has_facts) facts = {now->mode, AttributesDigest(*now)};
  folders_->Note(path, now->inode, facts);
}

Status BaseVersions::NoteFolder(const std::string& path) const {
  NoteIfSame(path);
  return folders_->Save();
}

Status BaseVersions::NoteFolders(const ChangeList& changes) const {
  std::set<std::string_view> seen;
  for (const Change& change : changes) {
    std::string_view folder =
        change.before.is_directory() ? std::string_view(change.path) : FolderOf(change.path);
    while (seen.insert(folder).second) {
      NoteIfSame(std::string(folder));
      folder = FolderOf(folder);
    }
  }
  return folders_->Save();
}

// Programs write files again as they were, and so does taking back an apply of another stage.
bool BaseVersions::HasBaseContent(const std::string& path, const Entry& now) const {
  const auto found = replaced_.find(path);
  if (found == replaced_.end()) return IsAsKept(path, now);
  const Entry& before = found->second.before;
  if (now.kind != before.kind) return false;
  if (now.is_link()) return now.target == before.target;
  if (before.digest.empty()) return IsAsKept(path, now);
  return now.mode == before.mode && now.size == before.size &&
         DigestOf(project_, path) == before.digest;
}

bool BaseVersions::IsAsKept(const std::string& path, const Entry& now) const {
  if (!now.is_file() || now.size > kMaxKept || Mode(path, now) != now.mode) return false;
  const std::optional<std::string> base = Text(path);
  const Result<UniqueFd> file = OpenBeneath(project_, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (!base || !file) return false;
  const Result<std::string> bytes = ReadAll(file->get(), kMaxKept, path);
  return bytes && *bytes == *base;
}

// What was changed while the project was copied is no original, but a name that was missing then
// and is missing now is unchanged.
bool BaseVersions::IsOriginal(const std::string& path, const Entry& now) const {
  const auto restored = restored_.find(path);
  if (restored != restored_.end() && IsAsCreated(project_, path, now, restored->second))
    return true;
  if (IsPutBack(path, now)) return true;
  const auto original = originals_->find(path);
  if (original == originals_->end()) return !now.exists();
  return ringfence::IsUnchanged(now, original->second) &&
         (now.is_directory() || now.ctime == original->second.ctime);
}

bool BaseVersions::IsPutBack(const std::string& path, const Entry& now) const {
  const auto found = put_back_.find(path);
  return found != put_back_.end() && ringfence::IsUnchanged(now, found->second) &&
         now.ctime == found->second.ctime;
}

bool BaseVersions::WasMissing(std::string_view path) const {
  for (std::string_view folder = FolderOf(path);; folder = FolderOf(folder)) {
    const Result<UniqueFd> opened =
        OpenBeneath(project_, folder.empty() ? "." : std::string(folder), kOpenPath | O_DIRECTORY);
    if (opened) {
      const Result<Entry> facts = LookAt(opened->get(), ".", std::string(folder));
      return facts && facts->ctime < watermark_;
    }
    if (folder.empty() || opened.error().code != ENOENT) return false;
  }
}

std::optional<std::string> BaseVersions::Text(const std::string& path) const {
  const std::string kept = std::string(kBaseFolder) + "/" + Sha256Hex(path);
  const Result<UniqueFd> file = OpenBeneath(folder_.fd(), kept, O_RDONLY);
  if (file) {
    Result<std::string> text = ReadAll(file->get(), kMaxKept, path);
    return text ? std::optional(std::move(*text)) : std::nullopt;
  }
  const auto replaced = replaced_.find(path);
  if (replaced != replaced_.end() && !replaced->second.before.is_file()) return {};
  if (replaced == replaced_.end() || !replaced->second.copy) return git_->Text(path, kMaxKept);
  const Result<std::optional<std::string>> text = ReadIfThere(replaced->second.copy->text());
  return text ? *text : std::optional<std::string>();
}

std::optional<uint32_t> BaseVersions::Mode(const std::string& path, const Entry& now) const {
  if (now.is_directory()) return FolderMode(path);
  const std::string kept = std::string(kBaseFolder) + "/" + Sha256Hex(path);
  const Result<Entry> copy = LookAt(folder_.fd().get(), kept, path);
  if (copy && copy->is_file()) {
    const std::optional<uint32_t> noted = folders_->ModeOf(path);
    // An earlier version has noted none.
    return noted ? noted : (copy->mode & kKeptMode) | (now.mode & kOwnersMode);
  }
  const auto replaced = replaced_.find(path);
  if (replaced == replaced_.end()) return git_->Mode(path);
  const Entry& before = replaced->second.before;
  return before.is_file() ? std::optional(before.mode) : std::nullopt;
}

std::optional<std::string> BaseVersions::Attributes(const std::string& path,
                                                    const Entry& now) const {
  // The list of a copy has the user's attributes where the command has changed none.
  if (now.is_directory() && originals_) return {};
  if (now.is_directory()) return folders_->AttributesOf(path);
  const std::string kept = std::string(kBaseFolder) + "/" + Sha256Hex(path);
  Result<Entry> copy = LookAt(folder_.fd().get(), kept, path);
  if (!copy || !copy->is_file()) return {};
  AddAttributes(folder_.fd().get(), kept, *copy);
  return AttributesDigest(*copy);
}

std::optional<uint32_t> BaseVersions::FolderMode(const std::string& path) const {
  if (!originals_) return folders_->ModeOf(path);
  const auto original = originals_->find(path);
  const bool is_known = original != originals_->end() && original->second.is_directory();
  return is_known ? std::optional(original->second.mode) : std::nullopt;
}

Result<UniqueFd> BaseVersions::OpenKept() const {
  if (::mkdirat(folder_.fd().get(), kBaseFolder, 0700) != 0 && errno != EEXIST) {
    return SystemError("mkdir(" + folder_.path().Child(kBaseFolder).text() + ")");
  }
  return OpenBeneath(folder_.fd(), kBaseFolder, O_RDONLY | O_DIRECTORY);
}

Status BaseVersions::Keep(const ChangeList& changes) const {
  if (Status s = NoteFolders(changes); !s) return s;
  const Result<UniqueFd> kept = OpenKept();
  if (!kept) return kept.error();
  for (const Change& change : changes) {
    const bool is_text = change.before.is_file() && change.after.is_file() &&
                         !change.is_same_content && change.before.size <= kMaxKept;
    if (!is_text || !IsUnchanged(change.path, change.before)) continue;
    if (Status s = KeepOne(*kept, change.path); !s) return s;
  }
  return Unit{};
}

Status BaseVersions::KeepCurrent(const std::string& path) const {
  const Result<UniqueFd> folder = OpenFolderOf(project_, path);
  if (!folder) return Unit{};  // a new file
  const Result<Entry> now = LookAt(folder->get(), std::string(NameOf(path)), path);
  const bool is_base = now && now->is_file() && now->size <= kMaxKept && IsUnchanged(path, *now);
  if (!is_base) return Unit{};
  const Result<UniqueFd> kept = OpenKept();
  return kept ? KeepOne(*kept, path) : kept.error();
}

// The copy counts only once it has its name, and only if the file was not changed while it was
// copied.
Status BaseVersions::KeepOne(const UniqueFd& kept, const std::string& path) const {
  const std::string name = Sha256Hex(path);
  if (::faccessat(kept.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return Unit{};
  const std::string copy = NewTemporaryName();
  const NewTree tree{.entries = {{.mode = kOwnersMode, .source = path}}};
  Status copied = CreateTree(kept, copy, tree, {&project_});
  if (!copied && copied.error().code == ENOENT) return Unit{};  // removed meanwhile
  if (!copied) return copied;
  const Result<UniqueFd> folder = OpenFolderOf(project_, path);
  if (!folder) return Unit{};
  const Result<Entry> now = LookAt(folder->get(), std::string(NameOf(path)), path);
  const bool is_base = now && IsUnchanged(path, *now);
  if (is_base) {
    // It must be known by the time at which the copy counts.
    folders_->Note(path, now->inode, KnownFolders::Facts{now->mode, ""});
    if (Status s = folders_->Save(); !s) return s;
    const uint32_t mode = (now->mode & kKeptMode) | kOwnersMode;
    if (::fchmodat(kept.get(), copy.c_str(), static_cast<mode_t>(mode), 0) != 0)
      return SystemError("chmod(" + copy + ")");
  }
  const int done = is_base ? ::renameat(kept.get(), copy.c_str(), kept.get(), name.c_str())
                           : ::unlinkat(kept.get(), copy.c_str(), 0);
  return CallStatus(done == 0, "rename(" + copy + ")");
}

}  // namespace ringfence
