#include "cli/setup/program_change.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/sha256.h"
#include "base/syscall.h"
#include "base/text.h"
#include "files/beneath.h"
#include "files/journal_names.h"
#include "files/remove_tree.h"
#include "policy/load/trust.h"
#include "run/messages.h"

namespace ringfence {
namespace {

constexpr const char* kReplacedFiles = "replaced";  // in the state directory, for a moment
constexpr const char* kNothingChanged = "nothing was changed";

// One for each prefix: a journal's paths are relative to it.
std::string ChangeStatePath(const std::string& home, const Path& prefix) {
  constexpr size_t kEnough = 16;
  return StateFolder(home) + "/programs-" + Sha256Hex(prefix.text()).substr(0, kEnough);
}

Error NotPlaced(const Path& prefix, const Error& error) {
  const bool is_full = error.code == ENOSPC || error.code == EDQUOT;
  const bool is_read_only = error.code == EROFS;
  const bool is_denied = error.code == EACCES || error.code == EPERM;
  Error result{Error::Kind::kSystem, prefix.text(), "cannot be changed: ", kNothingChanged,
               error.code};
  if (is_full) {
    result.what += "the disk is full";
    result.hint = "make room, and run the command again; nothing was changed";
  } else if (is_read_only) {
    result.what += "the file system is read-only";
  } else if (is_denied) {
    result.what += "permission denied (" + error.text() + ")";
  } else {
    result.what += error.text();
  }
  return result;
}

// Each directory of the path, outermost first: "a", "a/b" for "a/b/c".
std::vector<std::string> FoldersOf(const std::string& path) {
  std::vector<std::string> folders;
  for (size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    folders.push_back(path.substr(0, at));
  }
  return folders;
}

void RemoveFolder(const UniqueFd& root, const std::string& path) {
  const Result<UniqueFd> parent = OpenFolderOf(root, path);
  if (parent) ::unlinkat(parent->get(), std::string(NameOf(path)).c_str(), AT_REMOVEDIR);
}

}  // namespace

// The state directory stays if it has a journal, or files that another program has changed.
ProgramChange::~ProgramChange() {
  if (!state_.valid() || !state_place_) return;
  if (!HasTreeJournal(state_)) (void)RemoveTreeAt(state_.get(), kReplacedFiles);
  state_place_->RemoveEmptyFolder();
}

Status ProgramChange::Open(const std::string& home) {
  Result<ChangeJournal> lock = ChangeJournal::Lock(home);
  if (!lock) return lock.error();
  lock_.emplace(std::move(*lock));
  Result<FilePlace> place = FilePlace::Find(ChangeStatePath(home, prefix_));
  if (!place) return place.error();
  if (Status s = place->MakeFolder({.mode = 0700}); !s) return s;
  const std::string name(place->path().name());
  state_ = UniqueFd(
      ::openat(place->folder(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!state_.valid()) return SystemError("open(" + place->path().text() + ")");
  state_place_.emplace(std::move(*place));
  const Result<Recovered> recovered = Recover(root_, state_);
  if (!recovered) {
    Error error = recovered.error();
    error.where = prefix_.text() + ": " + error.where;
    error.hint = "an interrupted command could not be undone; its journal is in " +
                 Quote(state_place_->path().text());
    return error;
  }
  if (recovered->was_interrupted) {
    Say("note: a ringfence command was interrupted; the files that it had changed were restored");
  }
  for (const std::string& path : recovered->changed) {
    Say("note: " + Quote(prefix_.Child(path).text()) +
        " was changed by another program since, and stays as it is");
  }
  return RemoveTreeAt(state_.get(), kReplacedFiles);
}

Status ProgramChange::MakeFolder(const std::string& folder) {
  const Result<UniqueFd> parent = OpenFolderOf(root_, folder);
  if (!parent) return parent.error();
  constexpr mode_t kMode = 0755;  // like the files': the umask does not count
  const bool is_made = ::mkdirat(parent->get(), std::string(NameOf(folder)).c_str(), kMode) == 0;
  if (is_made) made_.push_back(folder);
  if (!is_made && errno != EEXIST) return SystemError("mkdir(" + folder + ")");
  const Result<UniqueFd> opened = OpenBeneath(root_, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (opened) {
    const bool is_done = !is_made || ::fchmod(opened->get(), kMode) == 0;
    return CallStatus(is_done, "chmod(" + folder + ")");
  }
  if (!IsMissing(opened.error())) return opened.error();
  return ConfigError(prefix_.Child(folder).text(), "is in the way: a directory is needed here",
                     "move it away, and run the command again; nothing was changed");
}

Status ProgramChange::MakeFolders(const std::vector<TreeStep>& steps) {
  std::string last;  // the steps are sorted, so most have the same directory
  for (const TreeStep& step : steps) {
    if (step.kind != DoneStep::Kind::kPut || FolderOf(step.path) == last) continue;
    for (const std::string& folder : FoldersOf(step.path)) {
      if (Status s = MakeFolder(folder); !s) return s;
    }
    last = FolderOf(step.path);
  }
  return Unit{};
}

void ProgramChange::RemoveEmptyFolders(const std::vector<TreeStep>& steps) const {
  for (const TreeStep& step : steps) {
    if (step.kind != DoneStep::Kind::kRemove) continue;
    const std::vector<std::string> folders = FoldersOf(step.path);
    for (size_t i = folders.size(); i > 0; --i) RemoveFolder(root_, folders[i - 1]);
  }
}

Status ProgramChange::Change(const std::vector<TreeStep>& steps) {
  TreeTransaction transaction({root_, state_, {}});
  const Result<std::optional<std::string>> mismatch = transaction.Perform(steps);
  if (!mismatch) return NotPlaced(prefix_, mismatch.error());
  if (*mismatch) {
    return ConfigError(prefix_.Child(**mismatch).text(),
                       "was changed by another program in the meantime",
                       "run the command again; nothing was changed");
  }
  Status done = transaction.Commit(kReplacedFiles);
  return done ? done : NotPlaced(prefix_, done.error());
}

Status ProgramChange::Perform(const std::vector<TreeStep>& steps) {
  if (steps.empty()) return Unit{};
  Status done = MakeFolders(steps);
  if (!done && done.error().kind == Error::Kind::kSystem) done = NotPlaced(prefix_, done.error());
  if (done) done = Change(steps);
  if (done) {
    RemoveEmptyFolders(steps);
  } else {
    for (size_t i = made_.size(); i > 0; --i) RemoveFolder(root_, made_[i - 1]);
  }
  return done;
}

}  // namespace ringfence
