#include "staging/project_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "base/syscall.h"
#include "base/text.h"
#include "files/attributes.h"
#include "files/beneath.h"
#include "files/new_tree.h"
#include "files/remove_tree.h"
#include "files/step_journal.h"
#include "files/system_calls.h"
#include "staging/removed_names.h"

namespace ringfence {
namespace {

// Lists of files in the stage's directory (RenderContents()).
constexpr const char* kCopied = "copied";        // as they were in the copy
constexpr const char* kOriginals = "originals";  // and in the project
constexpr size_t kMaxOriginals = size_t{1} << 30;

Status WriteList(const StageFolder& folder, const char* name, const Contents& contents) {
  const UniqueFd file(::openat(folder.fd().get(), name,
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return SystemError("open(" + folder.path().Child(name).text() + ")");
  return WriteAll(file.get(), RenderContents(contents));
}

Result<Contents> ReadList(const StageFolder& folder, const char* name) {
  const std::string path = folder.path().Child(name).text();
  const Result<UniqueFd> file = OpenBeneath(folder.fd(), name, O_RDONLY);
  if (!file) return file.error();
  const Result<std::string> text = ReadAll(file->get(), kMaxOriginals, path);
  return text ? ParseContents(*text, path) : text.error();
}

// Describes the copy: its entries, and what they were in the project.
class CopySurvey {
 public:
  explicit CopySurvey(const UniqueFd& project)
      : project_(project), mount_(MountIdOf(project.get(), "")) {}

  Status Look() {
    const Result<Entry> top = LookAt(project_.get(), ".", "");
    if (!top) return top.error();
    tree_.entries.push_back(CopiedEntry(project_.get(), ".", "", *top));
    return Walk(project_, "", 0);
  }

  NewTree& tree() { return tree_; }
  const Contents& originals() const { return originals_; }
  std::vector<std::string>& unread() { return unread_; }
  uint64_t bytes() const { return bytes_; }

 private:
  // What the user may do with a file of another user is what the mode of the copy's owner allows.
  static uint32_t ModeOf(int folder, const char* name, const Entry& entry) {
    constexpr uint32_t kPermissions = 0777;
    if (entry.owner == ::geteuid()) return entry.mode;
    uint32_t mode = entry.mode & kPermissions & ~uint32_t{S_IRWXU};
    const auto may = [&](int access) { return ::faccessat(folder, name, access, AT_EACCESS) == 0; };
    if (may(R_OK)) mode |= S_IRUSR;
    if (may(W_OK)) mode |= S_IWUSR;
    if (may(X_OK)) mode |= S_IXUSR;
    return mode;
  }

  static NewEntry CopiedEntry(int folder, const char* name, const std::string& path,
                              const Entry& entry) {
    return {.below = path,
            .kind = entry.kind,
            .mode = entry.is_link() ? entry.mode : ModeOf(folder, name, entry),
            .target = entry.target,
            .source = path.empty() ? "." : path,
            .mtime = entry.mtime};
  }

  Status Walk(const UniqueFd& folder, const std::string& path, int depth) {
    if (depth > kMaxDepth) {
      return Error{Error::Kind::kSystem, path, "is nested too deeply to be copied", ""};
    }
    Result<std::vector<std::string>> names = NamesIn(folder);
    if (!names) return names.error();
    std::ranges::sort(*names);
    for (const std::string& name : *names) {
      if (Status s = Visit(folder, name, PathIn(path, name), depth); !s) {
        return s;
      }
    }
    return Unit{};
  }

  Status Visit(const UniqueFd& folder, const std::string& name, const std::string& path,
               int depth) {
    const Result<Entry> entry = LookAt(folder.get(), name, path);
    if (!entry) return entry.error();
    if (!entry->exists()) return Unit{};  // removed meanwhile
    NewEntry copy = CopiedEntry(folder.get(), name.c_str(), path, *entry);
    const bool is_mounted = mount_ != 0 && MountIdOf(folder.get(), name.c_str()) != mount_;
    if (is_mounted) {
      AddMountPoint(std::move(copy));
      return Unit{};
    }
    if (entry->kind == EntryKind::kSpecial) return Unit{};
    originals_.emplace_back(path, *entry);
    if (entry->is_file()) AddFile(folder, name, *entry, copy);
    tree_.entries.push_back(std::move(copy));
    return entry->is_directory() ? Enter(folder, name, path, depth) : Status(Unit{});
  }

  // Something to mount over.
  void AddMountPoint(NewEntry copy) {
    copy.source.clear();
    if (copy.kind != EntryKind::kDirectory) {
      copy.kind = EntryKind::kFile;
      copy.bytes = "";
    }
    tree_.entries.push_back(std::move(copy));
  }

  void AddFile(const UniqueFd& folder, const std::string& name, const Entry& entry,
               NewEntry& copy) {
    const bool is_readable = entry.owner == ::geteuid() && (entry.mode & S_IRUSR) != 0;
    if (!is_readable && ::faccessat(folder.get(), name.c_str(), R_OK, AT_EACCESS) != 0) {
      copy.source.clear();
      copy.bytes = "";
      unread_.push_back(copy.below);
      return;
    }
    constexpr uint64_t kBlock = 4096;
    constexpr uint64_t kMayHaveHoles = uint64_t{1} << 20;
    uint64_t bytes = entry.size;
    struct stat facts {};
    if (bytes > kMayHaveHoles &&
        ::fstatat(folder.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0) {
      constexpr uint64_t kUnit = 512;  // of st_blocks
      bytes = std::min(bytes, static_cast<uint64_t>(facts.st_blocks) * kUnit);
    }
    bytes_ += (bytes + kBlock - 1) / kBlock * kBlock;
  }

  Status Enter(const UniqueFd& folder, const std::string& name, const std::string& path,
               int depth) {
    const UniqueFd inner(::openat(folder.get(), name.c_str(),
                                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (inner.valid()) return Walk(inner, path, depth + 1);
    const int code = errno;
    if (code == EACCES) {
      unread_.push_back(path);
      tree_.entries.back().mode |= S_IRUSR | S_IXUSR;  // it is empty
    }
    const bool is_left_out = code == EACCES || code == ENOENT || code == ENOTDIR;
    return is_left_out ? Status(Unit{}) : SystemError("open(" + path + ")", code);
  }

  const UniqueFd& project_;
  uint64_t mount_;
  NewTree tree_;
  Contents originals_;
  std::vector<std::string> unread_;
  uint64_t bytes_ = 0;
};

// True if the file system copies files without writing their bytes again.
bool Reflinks(const UniqueFd& project, const NewTree& tree, const UniqueFd& place) {
  for (const NewEntry& entry : tree.entries) {
    if (entry.kind != EntryKind::kFile || entry.bytes) continue;
    const Result<UniqueFd> source = OpenBeneath(project, entry.source, O_RDONLY | O_NONBLOCK);
    struct stat facts {};
    if (!source || ::fstat(source->get(), &facts) != 0 || facts.st_size == 0) continue;
    return CanClone(source->get(), place);
  }
  return false;
}

Status CheckSpace(uint64_t bytes, const UniqueFd& place, const Path& path) {
  struct statvfs facts {};
  if (::fstatvfs(place.get(), &facts) != 0) return SystemError("statvfs(" + path.text() + ")");
  const uint64_t free = uint64_t{facts.f_bavail} * facts.f_frsize;
  if (bytes <= free) return Unit{};
  const auto mebibytes = [](uint64_t number) {
    constexpr uint64_t kMebibyte = uint64_t{1} << 20;
    return std::to_string((number + kMebibyte - 1) / kMebibyte) + " MiB";
  };
  return Error{Error::Kind::kSystem, "stage",
               "the copy of the project takes " + mebibytes(bytes) + ", and " + Quote(path.text()) +
                   " has " + mebibytes(free) + " free",
               ""};
}

// Keeps what was not changed while it was copied. `unknown` is missing or empty in the copy: what
// the command writes there is not based on the project's version, and must not replace it.
Contents Unchanged(const UniqueFd& project, const Contents& originals,
                   const std::set<std::string>& unknown) {
  Contents unchanged;
  for (const auto& [path, entry] : originals) {
    if (unknown.contains(path)) continue;
    const Result<UniqueFd> folder = OpenFolderOf(project, path);
    if (!folder) continue;
    const Result<Entry> now = LookAt(folder->get(), std::string(NameOf(path)), path);
    const bool is_same =
        now && IsUnchanged(*now, entry) && (entry.is_directory() || now->ctime == entry.ctime);
    if (is_same) unchanged.emplace_back(path, entry);
  }
  return unchanged;
}

constexpr int kCopyFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

Result<CopiedProject> CopyProject(const StageFolder& folder, const StageRecord& record,
                                  const CopyProgress& progress) {
  const UniqueFd project(::open(record.project.text().c_str(), kCopyFolder));
  if (!project.valid()) return SystemError("open(" + record.project.text() + ")");
  const Path written = folder.written(record);
  const Path above = written.Parent();
  const UniqueFd place(::open(above.text().c_str(), kCopyFolder));
  if (!place.valid()) return SystemError("open(" + above.text() + ")");
  CopySurvey survey(project);
  if (Status s = survey.Look(); !s) return s.error();
  if (!Reflinks(project, survey.tree(), place)) {
    if (Status s = CheckSpace(survey.bytes(), place, above); !s) return s.error();
  }
  size_t done = 0;
  const size_t all = survey.tree().entries.size();
  std::set<std::string> unknown(survey.unread().begin(), survey.unread().end());
  const CopySources sources{.folder = &project,
                            .created = [&](const NewEntry&) { progress(++done, all); },
                            .left_out =
                                [&](const NewEntry& entry, const Error& error) {
                                  unknown.insert(entry.below);
                                  if (!IsMissing(error)) survey.unread().push_back(entry.below);
                                }};
  const std::string name(written.name());
  // An overlay that could not be mounted leaves an empty one.
  ::unlinkat(place.get(), name.c_str(), AT_REMOVEDIR);
  if (Status s = CreateTree(place, name, survey.tree(), sources); !s) return s.error();
  const Result<UniqueFd> copy = OpenBeneath(place, name, O_RDONLY | O_DIRECTORY);
  if (!copy) return copy.error();
  const Result<Contents> copied = ContentsOf(*copy, {.has_attributes = true});
  if (!copied) return copied.error();
  const Contents originals = Unchanged(project, survey.originals(), unknown);
  if (Status s = WriteList(folder, kOriginals, originals); !s) return s.error();
  if (Status s = WriteList(folder, kCopied, *copied); !s) return s.error();
  return CopiedProject{std::move(survey.unread())};
}

Status CopyProjectAs(const UniqueFd& project, const UniqueFd& place, const std::string& name) {
  CopySurvey survey(project);
  if (Status s = survey.Look(); !s) return s;
  return CreateTree(place, name, survey.tree(),
                    {.folder = &project, .left_out = [](const NewEntry&, const Error&) {}});
}

Result<Originals> ReadOriginals(const StageFolder& folder) {
  Result<Contents> list = ReadList(folder, kOriginals);
  if (!list) return list.error();
  Originals originals;
  for (auto& [path, entry] : *list) {
    originals.emplace_hint(originals.end(), std::move(path), std::move(entry));
  }
  return originals;
}

namespace {

class CopyReader {
 public:
  explicit CopyReader(const CopyFolders& folders) : folders_(folders) {}

  Result<ChangeList> Read() {
    const Result<Contents> copied = ReadList(folders_.stage, kCopied);
    if (!copied) return copied.error();
    const Result<Contents> now =
        ContentsOf(folders_.written, {.has_attributes = true, .leaves_out_deep = true});
    if (!now) return now.error();
    const Entries before = ByPath(*copied);
    const Entries after = ByPath(*now);
    for (const auto& [path, entry] : *now) {
      const auto known = before.find(path);
      const Entry* const was = known == before.end() ? nullptr : known->second;
      if (was != nullptr && IsAsCopied(entry, *was)) continue;
      const bool keeps_attributes = was != nullptr && was->attributes == entry.attributes;
      const Written written{entry, was != nullptr && was->is_file(), keeps_attributes};
      if (Status s = AddWritten(path, written); !s) return s.error();
    }
    for (const auto& [path, entry] : *copied) {
      if (after.contains(path) || !IsInFolder(path, after)) continue;
      if (Status s = AddGone(path); !s) return s.error();
    }
    std::ranges::sort(changes_, PathBefore, &Change::path);
    return std::move(changes_);
  }

 private:
  using Entries = std::map<std::string_view, const Entry*>;

  static Entries ByPath(const Contents& contents) {
    Entries entries;
    for (const auto& [path, entry] : contents) entries.emplace(path, &entry);
    return entries;
  }

  // Renaming a file, or giving it another link, changes its ctime, too, but nothing else does
  // without the command.
  static bool IsAsCopied(const Entry& now, const Entry& copied) {
    if (now.is_directory()) return copied.is_directory() && HasSameFacts(now, copied);
    return IsUnchanged(now, copied) && now.ctime == copied.ctime;
  }

  // A directory that is gone is listed with what the project has in it.
  static bool IsInFolder(std::string_view path, const Entries& entries) {
    const std::string_view folder = FolderOf(path);
    if (folder.empty()) return true;
    const auto found = entries.find(folder);
    return found != entries.end() && found->second->is_directory();
  }

  // A name in the copy that the command has created or changed.
  struct Written {
    const Entry& entry;
    bool is_edit;           // a file that was copied
    bool keeps_attributes;  // those that it was copied with
  };

  Status AddWritten(const std::string& path, const Written& written) {
    const Result<UniqueFd> folder = OpenFolderOf(folders_.project, path);
    Change change{.path = path, .after = written.entry, .is_edit = written.is_edit};
    const Entry& entry = written.entry;
    if (folder) {
      const std::string name(NameOf(path));
      if (Status s = LookAt(folder->get(), name, path).MoveTo(change.before); !s) return s;
      AddAttributes(folder->get(), name, change.before);
      // The user can have changed them meanwhile, and the copy can lack some.
      if (written.keeps_attributes) change.after.attributes = change.before.attributes;
    }
    if (entry.is_directory()) {
      change.is_too_deep = IsTooDeep(path);
      const bool is_same =
          change.before.is_directory() && HasSameFacts(change.before, change.after);
      if (!is_same || change.is_too_deep) Add(change);
      return Unit{};
    }
    change.is_too_deep = change.before.is_directory() && IsTooDeep(path);
    if (change.before.is_directory()) {
      if (Status s = AddRemovedInside(*folder, path, changes_); !s) return s;
    }
    const Result<UniqueFd> own = OpenFolderOf(folders_.written, path);
    if (!own) return own.error();
    if (change.before.exists()) {
      if (Status s = IsSameContent(*folder, *own, change).MoveTo(change.is_same_content); !s) {
        return s;
      }
    }
    if (!change.is_same_content || !HasSameFacts(change.before, change.after)) Add(change);
    return Unit{};
  }

  Status AddGone(const std::string& path) {
    const Result<UniqueFd> folder = OpenFolderOf(folders_.project, path);
    return folder ? AddRemoved(*folder, path, changes_) : Status(Unit{});
  }

  void Add(const Change& change) { changes_.push_back(change); }

  const CopyFolders& folders_;
  ChangeList changes_;
};

}  // namespace

Result<ChangeList> ReadCopy(const CopyFolders& folders) { return CopyReader(folders).Read(); }

}  // namespace ringfence
