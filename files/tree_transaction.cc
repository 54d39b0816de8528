#include "files/tree_transaction.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/syscall.h"
#include "files/beneath.h"
#include "files/journal_names.h"
#include "files/move_out.h"
#include "files/remove_tree.h"
#include "files/step_journal.h"
#include "files/system_calls.h"

namespace ringfence {
namespace {

constexpr const char* kNewJournal = "journal.new";
constexpr const char* kUndoName = "undo.name";  // the name of the directory that a commit makes
constexpr const char* kNewUndo = "undo.new";    // that directory before the commit
constexpr const char* kKept = "kept";
constexpr size_t kMaxJournal = size_t{1} << 30;

// Writes a file as a whole, so that it survives a power failure.
Status WriteDurably(const UniqueFd& folder, const char* name, std::string_view text) {
  const UniqueFd file(::openat(folder.get(), kNewJournal,
                               O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return SystemError("open(" + std::string(name) + ")");
  if (text.size() > kMaxJournal) return SystemError("write(" + std::string(name) + ")", EFBIG);
  if (Status s = WriteAll(file.get(), text); !s) return s;
  if (Status s = SyncFile(file.get()); !s) return s;
  if (::renameat(folder.get(), kNewJournal, folder.get(), name) != 0) {
    return SystemError("rename(" + std::string(name) + ")");
  }
  return SyncFile(folder.get());
}

// Returns nothing if the file does not exist.
Result<std::optional<std::string>> ReadStateFile(const UniqueFd& folder, const char* name) {
  const UniqueFd file(::openat(folder.get(), name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.valid() && errno == ENOENT) return std::optional<std::string>();
  if (!file.valid()) return SystemError("open(" + std::string(name) + ")");
  Result<std::string> text = ReadAll(file.get(), kMaxJournal, name);
  if (!text) return text.error();
  return std::optional(std::move(*text));
}

Result<UniqueFd> MakeFolderIn(const UniqueFd& state, const char* name) {
  if (::mkdirat(state.get(), name, 0700) != 0 && errno != EEXIST) {
    return SystemError("mkdir(" + std::string(name) + ")");
  }
  return OpenBeneath(state, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

// The directories of steps. Steps of one directory follow each other, so only the last is kept
// open.
class StepFolders {
 public:
  explicit StepFolders(const UniqueFd& root) : root_(root) {}

  Result<const UniqueFd*> Of(const DoneStep& step) {
    const std::string_view parent = FolderOf(step.path);
    if (!folder_.valid() || parent != path_) {
      if (Status s = OpenFolderOf(root_, step.path).MoveTo(folder_); !s) return s.error();
      path_ = parent;
    }
    return &folder_;
  }

 private:
  const UniqueFd& root_;
  UniqueFd folder_;
  std::string path_;
};

bool HasReplaced(const DoneStep& step) {
  return step.kind != DoneStep::Kind::kMode && step.before.exists();
}

// Copies what the steps have replaced to another file system, where that can fail: nothing can be
// undone after the commit.
Status CopyReplaced(const TreeFolders& folders, const std::vector<DoneStep>& steps) {
  if (Status s = RemoveTreeAt(folders.state.get(), kNewUndo); !s) return s;
  const Result<UniqueFd> undo = MakeFolderIn(folders.state, kNewUndo);
  if (!undo) return undo.error();
  StepFolders parents(folders.root);
  for (size_t i = 0; i < steps.size(); ++i) {
    const DoneStep& step = steps[i];
    if (!HasReplaced(step)) continue;
    const Result<const UniqueFd*> folder = parents.Of(step);
    if (!folder) return folder.error();
    if (Status s = CopyOut({**folder, step.temporary}, {*undo, std::to_string(i)}); !s) return s;
  }
  return SyncFileSystem(undo->get());
}

// Opens the directory `name` in the state, which gets what CopyReplaced() has copied.
Result<UniqueFd> MakeUndo(const UniqueFd& state, const std::string& name) {
  if (::renameat(state.get(), kNewUndo, state.get(), name.c_str()) != 0 && errno != ENOENT) {
    return SystemError("rename(" + name + ")");
  }
  return MakeFolderIn(state, name.c_str());
}

// Everything that a committed transaction still has to do; can be repeated.
Status FinishCommit(const TreeFolders& folders, const std::vector<DoneStep>& steps) {
  const Result<std::optional<std::string>> name = ReadStateFile(folders.state, kUndoName);
  if (!name) return name.error();
  if (!*name) return SystemError("open(" + std::string(kUndoName) + ")", ENOENT);
  const Result<UniqueFd> undo = MakeUndo(folders.state, **name);
  if (!undo) return undo.error();
  bool has_copies = false;
  StepFolders parents(folders.root);
  for (size_t i = 0; i < steps.size(); ++i) {
    const DoneStep& step = steps[i];
    if (!HasReplaced(step)) continue;
    const Result<const UniqueFd*> folder = parents.Of(step);
    // After a crash, the user can have removed the directory, with what was replaced in it.
    if (!folder && IsMissing(folder.error())) continue;
    if (!folder) return folder.error();
    const Result<bool> is_copy = MoveOut({**folder, step.temporary}, {*undo, std::to_string(i)});
    if (!is_copy) return is_copy.error();
    has_copies = has_copies || *is_copy;
  }
  // The temporary names are gone before the journal is.
  if (has_copies) {
    if (Status s = SyncFileSystem(folders.root.get()); !s) return s;
  }
  if (::renameat(folders.state.get(), kCommittedJournal, undo->get(), kUndoSteps) != 0) {
    return SystemError("rename(" + std::string(kCommittedJournal) + ")");
  }
  ::unlinkat(folders.state.get(), kUndoName, 0);
  return Unit{};
}

// Undoes the steps, from the last to the first, and removes the journal.
Status TakeAllBack(const TreeFolders& folders, const std::vector<DoneStep>& steps,
                   std::vector<std::string>& changed) {
  StepFolders parents(folders.root);
  for (size_t i = steps.size(); i > 0; --i) {
    const DoneStep& step = steps[i - 1];
    const Result<const UniqueFd*> folder = parents.Of(step);
    if (!folder && IsMissing(folder.error())) {
      changed.push_back(step.path);  // another program has removed the directory
      continue;
    }
    if (!folder) return folder.error();
    const Result<bool> is_back = TakeBack(**folder, step);
    if (!is_back) return is_back.error();
    if (*is_back) continue;
    changed.push_back(step.path);
    const Result<UniqueFd> kept = MakeFolderIn(folders.state, kKept);
    if (!kept) return kept.error();
    // Never in place of what an earlier transaction has left there.
    const std::string name = std::to_string(i - 1) + step.temporary;
    const Result<bool> moved = MoveOut({**folder, step.temporary}, {*kept, name});
    if (!moved) return moved.error();
  }
  if (Status s = RemoveTreeAt(folders.state.get(), kNewUndo); !s) return s;
  // Everything has its old name on the disk before the journal is gone.
  if (Status s = SyncFileSystem(folders.root.get()); !s) return s;
  ::unlinkat(folders.state.get(), kUndoName, 0);
  const bool is_gone = ::unlinkat(folders.state.get(), kTreeJournal, 0) == 0 || errno == ENOENT;
  return CallStatus(is_gone, "unlink(journal)");
}

DoneStep Planned(const TreeStep& step) {
  return {.kind = step.kind,
          .path = step.path,
          .temporary = NewTemporaryName(),
          .before = step.expected,
          .before_inside = step.expected_inside,
          .mode = step.mode,
          .mark = step.mark};
}

// The facts of what was created for a step.
Status LookAtCreated(const UniqueFd& folder, const NewTree& tree, DoneStep& step) {
  if (Status s = LookAt(folder.get(), step.temporary, step.path).MoveTo(step.placed); !s) return s;
  std::unordered_map<std::string_view, std::string_view> digests;
  for (const NewEntry& entry : tree.entries) digests.emplace(entry.below, entry.digest);
  const auto digest = [&digests](const std::string& below, const UniqueFd& in,
                                 const std::string& name) {
    const auto known = digests.find(below);
    const bool is_known = known != digests.end() && !known->second.empty();
    return is_known ? std::string(known->second) : DigestOf(in, name);
  };
  if (step.placed.is_file()) step.placed.digest = digest("", folder, step.temporary);
  if (!step.placed.is_directory()) return Unit{};
  const Result<UniqueFd> created =
      OpenBeneath(folder, step.temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!created) return created.error();
  if (Status s = ContentsOf(*created).MoveTo(step.placed_inside); !s) return s;
  for (auto& [path, entry] : step.placed_inside) {
    if (entry.is_file()) entry.digest = digest(path, *created, path);
  }
  return Unit{};
}

// Renaming what was created has changed its ctime.
Status NoteLastTime(const UniqueFd& folder, DoneStep& step) {
  if (!step.placed.exists()) return Unit{};
  const Result<Entry> now = LookAt(folder.get(), std::string(NameOf(step.path)), step.path);
  if (!now) return now.error();
  if (IsUnchanged(*now, step.placed)) step.placed.ctime = now->ctime;
  return Unit{};
}

// The tree of a step that keeps the attributes of the file that it replaces.
Result<std::optional<NewTree>> TreeWithOldAttributes(const UniqueFd& root, const TreeStep& step) {
  if (!step.keeps_attributes) return std::optional<NewTree>();
  const Result<UniqueFd> old =
      OpenBeneath(root, step.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  // It was removed meanwhile; the comparison before the exchange finds that out.
  if (!old && IsMissing(old.error())) return std::optional<NewTree>();
  if (!old) return old.error();
  Result<AttributeValues> values = ReadAttributes(old->get());
  if (!values) return values.error();
  NewTree tree = step.tree;
  tree.entries.front().attributes = std::move(*values);
  return std::optional(std::move(tree));
}

// A file that replaces another one keeps its group, if the user may set it.
void KeepGroup(const UniqueFd& folder, const DoneStep& step) {
  const bool differs = step.before.exists() && step.before.group != step.placed.group;
  if (!differs || step.placed.is_directory()) return;
  const int done = ::fchownat(folder.get(), step.temporary.c_str(), static_cast<uid_t>(-1),
                              step.before.group, AT_SYMLINK_NOFOLLOW);
  if (done != 0 || step.placed.is_link()) return;
  // chown(2) has removed these bits.
  ::fchmodat(folder.get(), step.temporary.c_str(), static_cast<mode_t>(step.placed.mode), 0);
}

}  // namespace

TreeTransaction::~TreeTransaction() {
  if (has_journal_) (void)RollBack();  // otherwise the next Recover() does it
}

// Reads the attributes that kMode replaces, and those from the sources.
Status TreeTransaction::ReadAllAttributes(const std::vector<TreeStep>& steps) {
  constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  const auto read = [](const UniqueFd& root, const std::string& path) -> Result<AttributeValues> {
    const Result<UniqueFd> folder = OpenBeneath(root, path, kFolder);
    if (!folder) return folder.error();
    Result<AttributeValues> values = ReadAttributes(folder->get());
    if (values || values.error().code != E2BIG) return values;
    return Error{Error::Kind::kSystem, path, "has more than 1 MiB of extended attributes", ""};
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    const TreeStep& step = steps[i];
    if (!step.attributes && step.source.empty()) continue;
    Result<AttributeValues> old = read(folders_.root, step.path);
    if (!old) return old.error();
    Result<AttributeValues> wanted =
        step.attributes ? *step.attributes : read(*folders_.sources.folder, step.source);
    if (!wanted) return wanted.error();
    done_[i].old_attributes = std::move(*old);
    done_[i].attributes = std::move(*wanted);
  }
  return Unit{};
}

Status TreeTransaction::CreateAll(const std::vector<TreeStep>& steps) {
  StepFolders parents(folders_.root);
  for (size_t i = 0; i < steps.size(); ++i) {
    DoneStep& done = done_[i];
    if (done.kind != DoneStep::Kind::kPut) continue;
    const Result<const UniqueFd*> folder = parents.Of(done);
    if (!folder) return folder.error();
    const auto create = [&](const NewTree& tree) {
      return CreateTree(**folder, done.temporary, tree, folders_.sources);
    };
    Result<std::optional<NewTree>> own = TreeWithOldAttributes(folders_.root, steps[i]);
    if (!own) return own.error();
    if (Status s = create(*own ? **own : steps[i].tree); !s) {
      Error error = s.error();
      error.where = done.path + ": " + error.where;
      return error;
    }
    if (Status s = LookAtCreated(**folder, steps[i].tree, done); !s) return s;
    if (!steps[i].tree.entries.front().is_link_to_source) KeepGroup(**folder, done);
  }
  return SyncFileSystem(folders_.root.get());
}

Result<std::optional<std::string>> TreeTransaction::PlaceAll() {
  StepFolders parents(folders_.root);
  for (DoneStep& step : done_) {
    const Result<const UniqueFd*> folder = parents.Of(step);
    if (!folder) return folder.error();
    const Result<bool> is_expected = Place(**folder, step);
    if (!is_expected) return is_expected.error();
    if (!*is_expected) return std::optional(step.path);
    if (Status s = NoteLastTime(**folder, step); !s) return s.error();
  }
  // A program that had an old file open can have written to it after it was taken away.
  for (const DoneStep& step : done_) {
    const Result<const UniqueFd*> folder = parents.Of(step);
    if (!folder) return folder.error();
    const Result<bool> is_expected = IsStillExpected(**folder, step);
    if (!is_expected) return is_expected.error();
    if (!*is_expected) return std::optional(step.path);
  }
  return std::optional<std::string>();
}

Result<std::optional<std::string>> TreeTransaction::Perform(const std::vector<TreeStep>& steps) {
  for (const TreeStep& step : steps) done_.push_back(Planned(step));
  if (Status s = ReadAllAttributes(steps); !s) return s.error();
  has_journal_ = true;
  if (Status s = WriteDurably(folders_.state, kTreeJournal, RenderSteps(done_)); !s)
    return s.error();
  if (Status s = CreateAll(steps); !s) return s.error();
  // From here on, each step can be told from the changes of other programs.
  if (Status s = WriteDurably(folders_.state, kTreeJournal, RenderSteps(done_)); !s)
    return s.error();
  Result<std::optional<std::string>> mismatch = PlaceAll();
  if (!mismatch || *mismatch) {
    if (Status s = RollBack(); !s) return s.error();
  }
  return mismatch;
}

Status TreeTransaction::RollBack() {
  has_journal_ = false;
  return TakeAllBack(folders_, done_, changed_);
}

Status TreeTransaction::Commit(const std::string& undo) {
  if (Status s = SyncFileSystem(folders_.root.get()); !s) return s;
  if (IsElsewhere(folders_.root, folders_.state)) {
    if (Status s = CopyReplaced(folders_, done_); !s) return s;
  }
  // With the times that PlaceAll() has noted.
  if (Status s = WriteDurably(folders_.state, kTreeJournal, RenderSteps(done_)); !s) return s;
  if (Status s = WriteDurably(folders_.state, kUndoName, undo); !s) return s;
  if (::renameat(folders_.state.get(), kTreeJournal, folders_.state.get(), kCommittedJournal) !=
      0) {
    return SystemError("rename(journal)");
  }
  has_journal_ = false;
  if (Status s = SyncFile(folders_.state.get()); !s) return s;
  return FinishCommit(folders_, done_);
}

Result<Recovered> Recover(const UniqueFd& root, const UniqueFd& state) {
  const TreeFolders folders{root, state, {}};
  Recovered recovered;
  ::unlinkat(state.get(), kNewJournal, 0);
  for (const char* name : {kCommittedJournal, kTreeJournal}) {
    const Result<std::optional<std::string>> text = ReadStateFile(state, name);
    if (!text) return text.error();
    if (!*text) continue;
    const Result<std::vector<DoneStep>> steps = ParseSteps(**text, name);
    if (!steps) return steps.error();
    recovered.was_interrupted = name == kTreeJournal;
    const Status done = recovered.was_interrupted ? TakeAllBack(folders, *steps, recovered.changed)
                                                  : FinishCommit(folders, *steps);
    if (!done) return done.error();
  }
  ::unlinkat(state.get(), kUndoName, 0);  // left by a commit that was interrupted at its end
  return recovered;
}

Result<std::vector<DoneStep>> ReadUndo(const UniqueFd& undo) {
  const Result<std::optional<std::string>> text = ReadStateFile(undo, kUndoSteps);
  if (!text) return text.error();
  if (!*text) return SystemError("open(steps)", ENOENT);
  return ParseSteps(**text, kUndoSteps);
}

}  // namespace ringfence
