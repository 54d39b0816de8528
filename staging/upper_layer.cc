#include "staging/upper_layer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "base/directory.h"
#include "base/syscall.h"
#include "files/attributes.h"
#include "files/beneath.h"
#include "files/remove_tree.h"
#include "files/system_calls.h"
#include "staging/removed_names.h"

namespace ringfence {
namespace {

// The kernel's marks, as they are named without privileges (mount option "userxattr").
constexpr const char* kOpaque = "user.overlay.opaque";
constexpr const char* kWhiteout = "user.overlay.whiteout";
constexpr const char* kOrigin = "user.overlay.origin";

bool HasMark(int fd, const char* name) { return ReadAttribute(fd, name, nullptr, 0) >= 0; }

bool IsOpaque(const UniqueFd& folder) {
  char value = 0;
  return ReadAttribute(folder.get(), kOpaque, &value, 1) == 1 && value == 'y';
}

// The facts of one name in the upper layer.
struct Upper {
  Entry entry;  // none for a whiteout
  bool is_whiteout = false;
  bool is_edit = false;  // the file was copied from the project
};

class UpperReader {
 public:
  Result<ChangeList> Read(const UniqueFd& written, const UniqueFd& project) {
    if (Status s = Walk({written, project, "", false}); !s) return s.error();
    std::ranges::sort(changes_, PathBefore, &Change::path);
    return std::move(changes_);
  }

 private:
  // A directory of the upper layer and, if it exists, that of the project.
  struct Pair {
    const UniqueFd& upper;
    const UniqueFd& lower;  // invalid if the project has no such directory
    std::string path;
    bool is_opaque = false;  // nothing of the project's is in it

    std::string PathOf(const std::string& name) const { return PathIn(path, name); }
  };

  static Result<UniqueFd> OpenFolder(const UniqueFd& folder, const std::string& name,
                                     const std::string& path) {
    UniqueFd opened(::openat(folder.get(), name.c_str(), kOpenDirectory));
    if (!opened.valid()) return SystemError("open(" + path + ")");
    return opened;
  }

  // Programs can change both sides meanwhile. What is applied is compared again.
  static Status UnlessMissing(const Error& error) {
    return IsMissing(error) ? Status(Unit{}) : Status(error);
  }

  Status Walk(const Pair& pair) {
    Result<std::vector<std::string>> names = NamesIn(pair.upper);
    if (!names) return names.error();
    std::ranges::sort(*names);
    for (const std::string& name : *names) {
      if (Status s = Visit(pair, name); !s) return s;
    }
    return pair.is_opaque && pair.lower.valid() ? RemoveOthers(pair, *names) : Status(Unit{});
  }

  Status Visit(const Pair& pair, const std::string& name) {
    const std::string path = pair.PathOf(name);
    Result<Upper> upper = LookAtUpper(pair.upper, name, path);
    if (!upper) return upper.error();
    if (!upper->is_whiteout && !upper->entry.exists()) return Unit{};  // removed meanwhile
    Entry before;
    if (pair.lower.valid()) {
      if (Status s = LookAt(pair.lower.get(), name, path).MoveTo(before); !s) return s;
      AddAttributes(pair.lower.get(), name, before);
    }
    if (upper->entry.is_directory()) return VisitFolder(pair, name, upper->entry, before);
    const bool is_too_deep = before.is_directory() && IsTooDeep(path);
    if (before.is_directory()) {
      if (Status s = AddRemovedInside(pair.lower, path, changes_); !s) return s;
    }
    if (upper->is_whiteout) {
      if (before.exists()) {
        Add({.path = path, .before = before, .is_edit = true, .is_too_deep = is_too_deep});
      }
      return Unit{};
    }
    Change change{.path = path,
                  .before = before,
                  .after = upper->entry,
                  .is_edit = upper->is_edit,
                  .is_too_deep = is_too_deep};
    if (Status s = IsSameContent(pair.lower, pair.upper, change).MoveTo(change.is_same_content);
        !s) {
      return s;
    }
    if (!change.is_same_content || !HasSameFacts(before, change.after)) Add(std::move(change));
    return Unit{};
  }

  static Result<Upper> LookAtUpper(const UniqueFd& folder, const std::string& name,
                                   const std::string& path) {
    Upper upper;
    if (Status s = LookAt(folder.get(), name, path).MoveTo(upper.entry); !s) return s.error();
    AddAttributes(folder.get(), name, upper.entry);
    if (upper.entry.kind == EntryKind::kSpecial) {
      if (IsWhiteout(folder, name)) return Upper{.entry = {}, .is_whiteout = true};
    }
    if (!upper.entry.is_file()) return upper;
    // Without O_RDONLY the mode could forbid it; fgetxattr(2) does not work with O_PATH.
    const UniqueFd file(
        ::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.valid()) return upper;
    upper.is_edit = HasMark(file.get(), kOrigin);
    if (upper.entry.size == 0 && HasMark(file.get(), kWhiteout)) {
      return Upper{.entry = {}, .is_whiteout = true};
    }
    return upper;
  }

  Status VisitFolder(const Pair& pair, const std::string& name, const Entry& after,
                     const Entry& before) {
    const std::string path = pair.PathOf(name);
    if (IsTooDeep(path)) {
      Add({.path = path, .before = before, .after = after, .is_too_deep = true});
      return Unit{};
    }
    Result<UniqueFd> upper = OpenFolder(pair.upper, name, path);
    if (!upper) return UnlessMissing(upper.error());
    UniqueFd lower;
    if (before.is_directory()) {
      const Status opened = OpenFolder(pair.lower, name, path).MoveTo(lower);
      if (!opened && !IsMissing(opened.error())) return opened.error();
    }
    const bool is_same = before.is_directory() && HasSameFacts(before, after);
    if (!is_same) Add({.path = path, .before = before, .after = after});
    const bool is_opaque = pair.is_opaque || IsOpaque(*upper);
    return Walk({*upper, lower, path, is_opaque});
  }

  // The project's names in a replaced directory, except those that the stage has too.
  Status RemoveOthers(const Pair& pair, const std::vector<std::string>& kept) {
    const Result<std::vector<std::string>> names = NamesIn(pair.lower);
    if (!names) return names.error();
    for (const std::string& name : *names) {
      if (std::ranges::binary_search(kept, name)) continue;
      if (Status s = AddRemoved(pair.lower, pair.PathOf(name), changes_); !s) return s;
    }
    return Unit{};
  }

  void Add(Change change) { changes_.push_back(std::move(change)); }

  ChangeList changes_;
};

}  // namespace

bool IsWhiteout(const UniqueFd& folder, const std::string& path) {
  struct stat facts {};
  return ::fstatat(folder.get(), path.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISCHR(facts.st_mode) && facts.st_rdev == 0;
}

Result<ChangeList> ReadUpperLayer(const UniqueFd& written, const UniqueFd& project) {
  return UpperReader().Read(written, project);
}

}  // namespace ringfence
