#include "sandbox/linux/location.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/directory.h"
#include "base/same_file.h"
#include "base/short_name.h"
#include "base/syscall.h"
#include "policy/rules/entry_match.h"
#include "sandbox/linux/private_mounts.h"
#include "sandbox/linux/proc_entry.h"

namespace ringfence {
namespace {

// Resolves a path component by component: to the kernel "/proc/self" and the links below it mean
// the supervisor, but here they must mean the caller.
class SlowWalk {
 public:
  explicit SlowWalk(const SupervisedCaller& caller) : caller_(caller) {}

  Result<UniqueFd> Go(const UniqueFd& base, const std::string& text) {
    UniqueFd folder = OpenFolder(base);
    if (!folder.valid()) return Errno(errno);
    return Follow(std::move(folder), text);
  }

 private:
  Result<UniqueFd> Follow(UniqueFd folder, const std::string& text) {
    if (text.starts_with('/')) folder = OpenFolder(caller_.supervision().root);
    std::string_view rest = text;
    for (;;) {
      const std::string name(TakeComponent(rest));
      if (name.empty()) return folder;
      if (Status s = Step(std::move(folder), name).MoveTo(folder); !s) return s.error();
    }
  }

  Result<UniqueFd> Step(UniqueFd folder, const std::string& name) {
    const Result<std::string> target = ReadLinkAt(folder, name);
    if (!target) {  // not a link
      UniqueFd next(
          ::openat(folder.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!next.valid()) return Errno(errno);
      return next;
    }
    if (++links_ > kMaxLinks) return Errno(ELOOP);
    const Result<std::string> path = RealPath(caller_.supervision(), folder);
    if (!path) return path.error();
    if (*path == "/proc" && (name == "self" || name == "thread-self")) {
      return Follow(std::move(folder), std::to_string(caller_.process()));
    }
    if (Covers("/proc", *path)) {  // a magic link: the kernel does not read its text
      return Jump(caller_, {.folder = std::move(folder), .folder_path = *path, .name = name},
                  O_DIRECTORY);
    }
    return Follow(std::move(folder), *target);
  }

  const SupervisedCaller& caller_;
  int links_ = 0;
};

// Opens `parent`, the directory part of the caller's path.
Result<UniqueFd> OpenParent(const SupervisedCaller& caller, const UniqueFd& base,
                            const std::string& parent) {
  const Supervision& supervision = caller.supervision();
  const UniqueFd& start = parent.starts_with('/') ? supervision.root : base;
  UniqueFd folder = OpenFolderByPath(start, parent);
  // The lookup may have gone through the supervisor's own /proc/self instead of the caller's, and
  // failed for that reason.
  if (folder.valid()) {
    const Result<std::string> path = RealPath(supervision, folder);
    if (!path) return path.error();
    if (!Covers(supervision.own_process, *path)) return folder;
  }
  return SlowWalk(caller).Go(start, parent);
}

bool IsSavedName(const Supervision::SavedFolder& saved, std::string_view name) {
  return std::ranges::any_of(saved.names, [&](const std::string& file) {
    return name == file || (name.starts_with(file) && name[file.size()] == '.');
  });
}

// Returns the name under which a listing shows the same file; `name` itself if it is listed or no
// other name is.
std::string ListedNameOf(const UniqueFd& folder, const std::string& name) {
  struct stat wanted {};
  if (::fstatat(folder.get(), name.c_str(), &wanted, AT_SYMLINK_NOFOLLOW) != 0) return name;
  std::string listed = name;
  const auto is_name = [&](const dirent& entry) {
    if (name == entry.d_name) return true;  // any other name is a hard link
    struct stat facts {};
    if (::fstatat(folder.get(), entry.d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
        IsSameFile(facts, wanted)) {
      listed = entry.d_name;
    }
    return false;
  };
  return AnyEntry(folder, is_name).value_or(false) ? name : listed;
}

bool IsFat(const UniqueFd& folder) {
  struct statfs facts {};
  if (::fstatfs(folder.get(), &facts) != 0) return false;
  return facts.f_type == MSDOS_SUPER_MAGIC || facts.f_type == EXFAT_SUPER_MAGIC;
}

// Returns the name that the file system itself uses: FAT has short names, and drops trailing dots
// even from a name that does not exist yet.
std::string LongNameOf(const UniqueFd& folder, std::string name) {
  if (EndsInDots(name) && IsFat(folder)) name = name.substr(0, name.find_last_not_of('.') + 1);
  return MayBeShortName(name) ? ListedNameOf(folder, name) : name;
}

std::string LongPathOf(const Supervision& supervision, const std::string& path) {
  UniqueFd folder = OpenFolder(supervision.root);
  std::string known;
  std::string_view rest = path;
  for (std::string_view part = TakeComponent(rest); !part.empty(); part = TakeComponent(rest)) {
    std::string name(part);
    if (folder.valid()) name = LongNameOf(folder, name);
    known += "/" + name;
    folder = UniqueFd(::openat(folder.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  }
  return known;
}

bool MayHoldOtherName(std::string_view path) {
  for (std::string_view part = TakeComponent(path); !part.empty(); part = TakeComponent(path)) {
    if (MayBeShortName(part) || EndsInDots(part)) return true;
  }
  return false;
}

}  // namespace

UniqueFd OpenFolder(const UniqueFd& at, const char* name) {
  return UniqueFd(::openat(at.get(), name, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

UniqueFd OpenFolderByPath(const UniqueFd& at, const std::string& path) {
  return OpenAs(
      at.get(), path,
      {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .mode = 0, .resolve = RESOLVE_NO_MAGICLINKS});
}

std::string Location::path() const {
  if (name == ".") return folder_path;
  return folder_path == "/" ? "/" + name : folder_path + "/" + name;
}

bool Location::is_in_proc() const { return Covers("/proc", folder_path); }

const UniqueFd& FolderToChange(const Supervision& supervision, const Location& location) {
  for (const Supervision::SavedFolder& saved : supervision.saved) {
    const bool is_here = location.folder_path == saved.path;
    if (is_here && IsSavedName(saved, location.name)) return saved.folder;
  }
  return location.folder;
}

bool IsSavedFile(const Supervision& supervision, const UniqueFd& file, const std::string& path) {
  struct stat facts {};
  if (!Covers(kSavedFolders, path)) return false;
  if (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  for (size_t i = 0; i < supervision.saved.size(); ++i) {
    const std::string folder = std::string(kSavedFolders) + "/" + std::to_string(i) + "/";
    if (!path.starts_with(folder)) continue;
    const std::string name = path.substr(folder.size());
    return name.find('/') == std::string::npos && IsSavedName(supervision.saved[i], name);
  }
  return false;
}

Result<std::string> RealPath(const Supervision& supervision, const UniqueFd& fd) {
  std::array<char, PATH_MAX> path{};
  const std::string name = std::to_string(fd.get());
  const ssize_t size =
      ::readlinkat(supervision.own_fds.get(), name.c_str(), path.data(), path.size());
  if (size < 0) return Errno(errno);
  std::string text(path.data(), static_cast<size_t>(size));
  const bool has_alias = text.starts_with('/') && MayHoldOtherName(text);
  return has_alias ? LongPathOf(supervision, text) : std::move(text);
}

UniqueFd ReopenFile(const Supervision& supervision, const UniqueFd& file, int flags, mode_t mode) {
  return UniqueFd(::openat(supervision.own_fds.get(), std::to_string(file.get()).c_str(),
                           flags | O_CLOEXEC, mode));
}

Result<std::string> ReadLinkAt(const UniqueFd& folder, const std::string& name) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlinkat(folder.get(), name.c_str(), target.data(), target.size());
  if (size < 0) return Errno(errno);
  return std::string(target.data(), static_cast<size_t>(size));
}

Result<Location> LocateBelow(const SupervisedCaller& caller, const UniqueFd& folder,
                             const std::string& text) {
  if (text.empty()) return Errno(ENOENT);
  const Supervision& supervision = caller.supervision();
  Location location;
  const size_t end = text.find_last_not_of('/');
  location.must_be_folder = end + 1 < text.size();
  const std::string_view trimmed =
      end == std::string::npos ? std::string_view("/") : std::string_view(text).substr(0, end + 1);
  const size_t slash = trimmed.rfind('/');
  std::string parent = ".";
  if (slash != std::string::npos) parent = trimmed.substr(0, slash + 1);
  location.name = slash == std::string::npos ? trimmed : trimmed.substr(slash + 1);
  if (location.name.empty()) location.name = ".";
  if (Status s = OpenParent(caller, folder, parent).MoveTo(location.folder); !s) return s.error();
  const auto find_path = [&] {
    return RealPath(supervision, location.folder).MoveTo(location.folder_path);
  };
  if (Status s = find_path(); !s) return s.error();
  if (!location.folder_path.starts_with('/')) return Errno(EACCES);
  if (Covers(kSavedFolders, location.folder_path)) return Errno(EACCES);
  location.name = LongNameOf(location.folder, std::move(location.name));
  if (location.name == "..") {  // resolved, so that the rules see the real path
    location.folder = OpenFolderByPath(location.folder, "..");
    if (!location.folder.valid()) return Errno(errno);
    if (Status s = find_path(); !s) return s.error();
    location.name = ".";
  }
  return location;
}

Result<Location> Locate(const SupervisedCaller& caller, int fd, const std::string& text) {
  if (text.starts_with('/')) return LocateBelow(caller, caller.supervision().root, text);
  Result<UniqueFd> folder = caller.Folder(fd);
  if (!folder) return folder.error();
  return LocateBelow(caller, *folder, text);
}

}  // namespace ringfence
