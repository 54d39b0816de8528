#include "staging/upper_layer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "base/directory.h"
#include "base/syscall.h"
#include "files/beneath.h"

namespace ringfence {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// The kernel's marks, as they are named without privileges (mount option "userxattr").
constexpr const char* kOpaque = "user.overlay.opaque";
constexpr const char* kWhiteout = "user.overlay.whiteout";
constexpr const char* kOrigin = "user.overlay.origin";

bool HasMark(int fd, const char* name) { return ::fgetxattr(fd, name, nullptr, 0) >= 0; }

bool IsOpaque(const UniqueFd& folder) {
  char value = 0;
  return ::fgetxattr(folder.get(), kOpaque, &value, 1) == 1 && value == 'y';
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
    if (Status s = Walk({written, project, "", false, 0}); !s) return s.error();
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
    int depth = 0;

    std::string PathOf(const std::string& name) const {
      return path.empty() ? name : path + "/" + name;
    }
  };

  static Result<UniqueFd> OpenFolder(const UniqueFd& folder, const std::string& name,
                                     const std::string& path) {
    UniqueFd opened(::openat(folder.get(), name.c_str(), kFolder));
    if (!opened.valid()) return SystemError("open(" + path + ")");
    return opened;
  }

  // Programs can change both sides meanwhile. What is applied is compared again.
  static Status UnlessMissing(const Error& error) {
    return IsMissing(error) ? Status(Unit{}) : Status(error);
  }

  static Result<std::vector<std::string>> NamesIn(const UniqueFd& folder, const std::string& path) {
    std::vector<std::string> names;
    const std::optional<bool> read = AnyEntry(folder, [&names](const dirent& entry) {
      names.emplace_back(entry.d_name);
      return false;
    });
    if (!read) return SystemError("readdir(" + path + ")");
    return names;
  }

  Status Walk(const Pair& pair) {
    if (pair.depth > kMaxDepth) {
      return Error{Error::Kind::kSystem, pair.path, "is nested too deeply to be looked at", ""};
    }
    Result<std::vector<std::string>> names = NamesIn(pair.upper, pair.path);
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
    }
    if (upper->entry.is_directory()) return VisitFolder(pair, name, upper->entry, before);
    if (before.is_directory()) {
      if (Status s = RemoveInside(pair.lower, name, path); !s) return s;
    }
    if (upper->is_whiteout) {
      if (before.exists()) Add({.path = path, .before = before, .is_edit = true});
      return Unit{};
    }
    Change change{.path = path, .before = before, .after = upper->entry, .is_edit = upper->is_edit};
    if (Status s = AreSame(pair, change).MoveTo(change.is_same_content); !s) return s;
    if (!change.is_same_content || before.mode != change.after.mode) Add(std::move(change));
    return Unit{};
  }

  static Result<Upper> LookAtUpper(const UniqueFd& folder, const std::string& name,
                                   const std::string& path) {
    Upper upper;
    if (Status s = LookAt(folder.get(), name, path).MoveTo(upper.entry); !s) return s.error();
    if (upper.entry.kind == EntryKind::kSpecial) {
      struct stat facts {};
      const bool is_stat = ::fstatat(folder.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
      if (is_stat && S_ISCHR(facts.st_mode) && facts.st_rdev == 0) {
        return Upper{.entry = {}, .is_whiteout = true};
      }
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

  // True if the files have the same bytes, or the links the same target.
  static Result<bool> AreSame(const Pair& pair, const Change& change) {
    const Entry& after = change.after;
    const Entry& before = change.before;
    if (after.kind != before.kind) return false;
    if (after.is_link()) return after.target == before.target;
    if (!after.is_file() || after.size != before.size) return false;
    const std::string name = change.path.substr(change.path.rfind('/') + 1);
    return HaveSameBytes(pair.upper.get(), pair.lower.get(), name, change.path);
  }

  Status VisitFolder(const Pair& pair, const std::string& name, const Entry& after,
                     const Entry& before) {
    const std::string path = pair.PathOf(name);
    Result<UniqueFd> upper = OpenFolder(pair.upper, name, path);
    if (!upper) return UnlessMissing(upper.error());
    UniqueFd lower;
    if (before.is_directory()) {
      const Status opened = OpenFolder(pair.lower, name, path).MoveTo(lower);
      if (!opened && !IsMissing(opened.error())) return opened.error();
    }
    const bool is_same = before.is_directory() && before.mode == after.mode;
    if (!is_same) Add({.path = path, .before = before, .after = after});
    const bool is_opaque = pair.is_opaque || IsOpaque(*upper);
    return Walk({*upper, lower, path, is_opaque, pair.depth + 1});
  }

  // The project's names in a replaced directory, except those that the stage has too.
  Status RemoveOthers(const Pair& pair, const std::vector<std::string>& kept) {
    const Result<std::vector<std::string>> names = NamesIn(pair.lower, pair.path);
    if (!names) return names.error();
    for (const std::string& name : *names) {
      if (std::ranges::binary_search(kept, name)) continue;
      if (Status s = Remove(pair.lower, name, pair.PathOf(name), pair.depth); !s) return s;
    }
    return Unit{};
  }

  Status Remove(const UniqueFd& folder, const std::string& name, const std::string& path,
                int depth) {
    Result<Entry> before = LookAt(folder.get(), name, path);
    if (!before) return before.error();
    if (before->is_directory()) {
      if (Status s = RemoveInside(folder, name, path, depth + 1); !s) return s;
    }
    if (before->exists()) Add({.path = path, .before = std::move(*before), .is_edit = true});
    return Unit{};
  }

  Status RemoveInside(const UniqueFd& folder, const std::string& name, const std::string& path,
                      int depth = 0) {
    if (depth > kMaxDepth) {
      return Error{Error::Kind::kSystem, path, "is nested too deeply to be looked at", ""};
    }
    const Result<UniqueFd> inner = OpenFolder(folder, name, path);
    if (!inner) return UnlessMissing(inner.error());
    const Result<std::vector<std::string>> names = NamesIn(*inner, path);
    if (!names) return names.error();
    for (const std::string& child : *names) {
      if (Status s = Remove(*inner, child, path + "/" + child, depth); !s) return s;
    }
    return Unit{};
  }

  void Add(Change change) { changes_.push_back(std::move(change)); }

  ChangeList changes_;
};

}  // namespace

Result<ChangeList> ReadUpperLayer(const UniqueFd& written, const UniqueFd& project) {
  return UpperReader().Read(written, project);
}

}  // namespace ringfence
