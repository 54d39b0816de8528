#include "files/done_step.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/directory.h"
#include "base/syscall.h"
#include "base/text.h"
#include "files/beneath.h"
#include "files/remove_tree.h"
#include "files/system_calls.h"

namespace ringfence {
namespace {

// Where a file system cannot exchange two names, the old entry has this name for a moment.
std::string SecondName(const DoneStep& step) { return step.temporary + "-old"; }

// Never replaces `to`: fails with EEXIST.
bool MoveTo(const UniqueFd& folder, const std::string& from, const std::string& to) {
  if (RenameToNew(folder, from, to)) return true;
  if (!IsRenameUnsupported(errno)) return false;
  struct stat facts {};
  if (::fstatat(folder.get(), to.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return false;
  }
  return ::renameat(folder.get(), from.c_str(), folder.get(), to.c_str()) == 0;
}

// Afterwards, the temporary name holds the old entry.
bool Exchange(const UniqueFd& folder, const DoneStep& step, const std::string& name) {
  if (ExchangeNames(folder, step.temporary, name)) return true;
  if (!IsRenameUnsupported(errno)) return false;
  return MoveTo(folder, name, SecondName(step)) && MoveTo(folder, step.temporary, name) &&
         MoveTo(folder, SecondName(step), step.temporary);
}

bool IsGone(int code) { return code == ENOENT || code == ENOTDIR || code == EEXIST; }

Result<bool> DoneOrChanged(bool is_done, const DoneStep& step) {
  if (is_done) return true;
  if (IsGone(errno)) return false;
  return SystemError("rename(" + step.path + ")");
}

// True if the entry has its facts and, for a directory, its contents.
Result<bool> Has(const UniqueFd& folder, const std::string& name, const Entry& wanted,
                 const Contents& inside) {
  const Result<Entry> entry = LookAt(folder.get(), name, name);
  if (!entry) return entry.error();
  if (!IsUnchanged(*entry, wanted)) return false;
  if (!wanted.is_directory()) return true;
  const UniqueFd opened(::openat(folder.get(), name.c_str(), kOpenDirectory));
  if (!opened.valid()) return SystemError("open(" + name + ")");
  const Result<Contents> contents = ContentsOf(opened);
  if (!contents) return contents.error();
  if (contents->size() != inside.size()) return false;
  for (size_t i = 0; i < inside.size(); ++i) {
    const bool is_same = (*contents)[i].first == inside[i].first &&
                         IsUnchanged((*contents)[i].second, inside[i].second);
    if (!is_same) return false;
  }
  return true;
}

Status SetMode(const UniqueFd& folder, const DoneStep& step, uint32_t mode) {
  const std::string name(NameOf(step.path));
  const int done =
      ::fchmodat(folder.get(), name.c_str(), static_cast<mode_t>(mode), AT_SYMLINK_NOFOLLOW);
  return CallStatus(done == 0, "chmod(" + step.path + ")");
}

Result<UniqueFd> OpenStepFolder(const UniqueFd& folder, const DoneStep& step) {
  UniqueFd opened(::openat(folder.get(), std::string(NameOf(step.path)).c_str(), kOpenDirectory));
  if (!opened.valid()) return SystemError("open(" + step.path + ")");
  return opened;
}

// While the attributes of a directory are replaced, its owner can write to it.
uint32_t MeanwhileMode(const DoneStep& step) { return step.before.mode | S_IRWXU; }

// Sets the mode last: an access control list changes it.
Status SetFacts(const UniqueFd& folder, const DoneStep& step, uint32_t mode,
                const std::optional<AttributeValues>& attributes) {
  if (attributes) {
    if (Status s = SetMode(folder, step, MeanwhileMode(step)); !s) return s;
    const Result<UniqueFd> opened = OpenStepFolder(folder, step);
    if (!opened) return opened.error();
    if (Status s = ReplaceAttributes(opened->get(), *attributes); !s) return s;
  }
  return SetMode(folder, step, mode);
}

class Reverter {
 public:
  Reverter(const UniqueFd& folder, const DoneStep& step)
      : folder_(folder), step_(step), name_(NameOf(step.path)) {}

  Result<bool> Run() {
    if (Status s = Look(); !s) return s.error();
    switch (step_.kind) {
      case DoneStep::Kind::kPut:
        return step_.before.exists() ? PutBack() : Remove();
      case DoneStep::Kind::kRemove:
        return temporary_.exists() ? Return() : Result<bool>(true);
      case DoneStep::Kind::kMode:
        return ResetMode();
    }
    return true;
  }

 private:
  Status Look() {
    // An exchange in three steps was interrupted before the last one.
    const std::string second = SecondName(step_);
    const Result<Entry> old = LookAt(folder_.get(), second, second);
    if (!old) return old.error();
    if (old->exists() && !Has(name_)) {
      if (!MoveTo(folder_, second, name_)) return SystemError("rename(" + step_.path + ")");
    } else if (old->exists() && !MoveTo(folder_, second, step_.temporary)) {
      return SystemError("rename(" + step_.path + ")");
    }
    if (Status s = LookAt(folder_.get(), name_, step_.path).MoveTo(now_); !s) return s;
    return LookAt(folder_.get(), step_.temporary, step_.path).MoveTo(temporary_);
  }

  bool Has(const std::string& name) const {
    struct stat facts {};
    return ::fstatat(folder_.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
  }

  Result<bool> IsAsPlaced(const std::string& name) const {
    return ringfence::Has(folder_, name, step_.placed, step_.placed_inside);
  }

  // True if the temporary name holds what was there before, and not what is new. It need not be
  // what the step expects: another program can have replaced that.
  bool IsExchanged() const {
    return temporary_.exists() && step_.placed.exists() && !IsSameInode(temporary_, step_.placed);
  }

  // What was created, under its temporary name.
  Result<bool> RemoveTemporary() const {
    if (Status s = RemoveTreeAt(folder_.get(), step_.temporary); !s) return s.error();
    return true;
  }

  // Removes what has just got its temporary name again. Returns false if another program has
  // changed it right before.
  Result<bool> RemovePlaced() const {
    Result<bool> is_ours = IsAsPlaced(step_.temporary);
    return is_ours && *is_ours ? RemoveTemporary() : is_ours;
  }

  Result<bool> PutBack() {
    if (!IsExchanged()) return RemoveTemporary();
    Result<bool> is_ours = IsAsPlaced(name_);
    if (!is_ours || !*is_ours) return is_ours;
    if (!Exchange(folder_, step_, name_)) return SystemError("rename(" + step_.path + ")");
    Result<bool> is_removed = RemovePlaced();
    const bool is_changed = is_removed && !*is_removed;
    if (!is_changed || Exchange(folder_, step_, name_)) return is_removed;
    return SystemError("rename(" + step_.path + ")");
  }

  // Gives the old entry its name back.
  Result<bool> Return() const {
    return DoneOrChanged(MoveTo(folder_, step_.temporary, name_), step_);
  }

  Result<bool> Remove() {
    const bool is_placed = IsSameInode(now_, step_.placed) && !temporary_.exists();
    if (!is_placed) return RemoveTemporary();
    Result<bool> is_ours = IsAsPlaced(name_);
    if (!is_ours || !*is_ours) return is_ours;
    if (!MoveTo(folder_, name_, step_.temporary)) return SystemError("rename(" + step_.path + ")");
    Result<bool> is_removed = RemovePlaced();
    if (is_removed && !*is_removed) MoveTo(folder_, step_.temporary, name_);
    return is_removed;
  }

  Result<bool> ResetMode() {
    if (!IsSameInode(now_, step_.before)) return true;
    const bool has_old_mode = now_.mode == step_.before.mode;
    if (has_old_mode && !step_.attributes) return true;
    const bool is_interrupted = step_.attributes && now_.mode == MeanwhileMode(step_);
    if (!has_old_mode && now_.mode != step_.mode && !is_interrupted) return false;
    Status s = SetFacts(folder_, step_, step_.before.mode, step_.old_attributes);
    return s ? Result<bool>(true) : s.error();
  }

  const UniqueFd& folder_;
  const DoneStep& step_;
  const std::string name_;
  Entry now_, temporary_;
};

}  // namespace

std::string NewTemporaryName() {
  std::array<unsigned char, 10> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) return "";
  std::string name(kTreeTemporary);
  for (const unsigned char byte : bytes) AppendHex(name, byte, 2);
  return name;
}

Result<bool> Place(const UniqueFd& folder, const DoneStep& step) {
  const std::string name(NameOf(step.path));
  switch (step.kind) {
    case DoneStep::Kind::kPut: {
      const bool replaces = step.before.exists();
      const bool is_done =
          replaces ? Exchange(folder, step, name) : MoveTo(folder, step.temporary, name);
      const Result<bool> done = DoneOrChanged(is_done, step);
      return done && *done && replaces ? IsStillExpected(folder, step) : done;
    }
    case DoneStep::Kind::kRemove: {
      const Result<bool> done = DoneOrChanged(MoveTo(folder, name, step.temporary), step);
      return done && *done ? IsStillExpected(folder, step) : done;
    }
    case DoneStep::Kind::kMode: {
      const Result<Entry> now = LookAt(folder.get(), name, step.path);
      if (!now) return now.error();
      if (!IsUnchanged(*now, step.before)) return false;
      Status s = SetFacts(folder, step, step.mode, step.attributes);
      return s ? Result<bool>(true) : s.error();
    }
  }
  return true;
}

Result<bool> IsStillExpected(const UniqueFd& folder, const DoneStep& step) {
  if (step.kind == DoneStep::Kind::kMode || !step.before.exists()) return true;
  return Has(folder, step.temporary, step.before, step.before_inside);
}

Result<bool> IsStillPlaced(const UniqueFd& folder, const DoneStep& step) {
  const std::string name(NameOf(step.path));
  const Result<Entry> now = LookAt(folder.get(), name, step.path);
  if (!now) return now.error();
  if (!IsAsCreated(folder, name, *now, step.placed)) return false;
  if (!step.placed.is_directory()) return true;
  const UniqueFd opened(::openat(folder.get(), name.c_str(), kOpenDirectory));
  if (!opened.valid()) return SystemError("open(" + step.path + ")");
  const Result<Contents> contents = ContentsOf(opened);
  if (!contents) return contents.error();
  return std::ranges::equal(*contents, step.placed_inside, [&](const auto& one, const auto& other) {
    return one.first == other.first && IsAsCreated(opened, one.first, one.second, other.second);
  });
}

Result<bool> TakeBack(const UniqueFd& folder, const DoneStep& step) {
  return Reverter(folder, step).Run();
}

}  // namespace ringfence
