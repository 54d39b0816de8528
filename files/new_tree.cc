#include "files/new_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/syscall.h"
#include "files/attributes.h"
#include "files/beneath.h"
#include "files/copy_contents.h"
#include "files/system_calls.h"

namespace ringfence {
namespace {

Status CopyBytes(int from, int to) {
  struct stat facts {};
  if (::fstat(from, &facts) != 0) return SystemError("fstat");
  if (facts.st_size == 0) return Unit{};
  // Cloning or looking for holes takes longer than reading so little.
  constexpr off_t kSmall = off_t{64} << 10;
  if (facts.st_size <= kSmall) {
    constexpr size_t kMost = size_t{1} << 30;  // it can grow meanwhile
    const auto size = static_cast<size_t>(facts.st_size);
    const Result<std::string> bytes = ReadAll(from, kMost, "a file to copy", size);
    return bytes ? WriteAll(to, *bytes) : Status(bytes.error());
  }
  return CopyContents(from, to, facts.st_size);
}

class Creator {
 public:
  Creator(const UniqueFd& folder, const std::string& name, const CopySources& sources)
      : folder_(folder), name_(name), sources_(sources) {}

  Status Create(const NewEntry& entry) {
    const std::string path = PathOf(entry);
    const std::string_view parent = FolderOf(path);
    // Siblings follow each other, so the last directory is usually the right one.
    if (!parent.empty() && parent != parent_path_) {
      if (Status s =
              OpenBeneath(folder_, std::string(parent), O_RDONLY | O_DIRECTORY).MoveTo(parent_);
          !s) {
        return s;
      }
      parent_path_ = parent;
    }
    const UniqueFd& where = parent.empty() ? folder_ : parent_;
    const std::string name(NameOf(path));
    if (entry.kind == EntryKind::kDirectory) return MakeFolder(where, name, entry);
    if (entry.kind == EntryKind::kLink) return MakeLink(where, name, entry);
    if (entry.kind == EntryKind::kSpecial) {
      const bool is_made = MakeWhiteout(where, name);
      return CallStatus(is_made, "mknod(" + name + ")");
    }
    return MakeFile(where, name, entry);
  }

  // Directories get their modes and times when everything is in them.
  Status Finish() {
    for (size_t i = folders_.size(); i > 0; --i) {
      const auto& [path, entry] = folders_[i - 1];
      const Result<UniqueFd> made = OpenBeneath(folder_, path, O_RDONLY | O_DIRECTORY);
      if (!made) return made.error();
      if (!entry->source.empty()) {
        const Result<UniqueFd> source =
            OpenBeneath(*sources_.folder, entry->source, O_RDONLY | O_DIRECTORY);
        if (source) CopyAttributes(source->get(), made->get(), sources_.keeps_marks);
      }
      if (Status s = SetFacts(made->get(), *entry); !s) return s;
    }
    return Unit{};
  }

 private:
  std::string PathOf(const NewEntry& entry) const {
    return entry.below.empty() ? name_ : PathIn(name_, entry.below);
  }

  static Status SetFacts(int fd, const NewEntry& entry) {
    if (::fchmod(fd, static_cast<mode_t>(entry.mode)) != 0) return SystemError("fchmod");
    return SetTime(fd, nullptr, entry);
  }

  static Status SetTime(int fd, const char* name, const NewEntry& entry) {
    if (!entry.mtime) return Unit{};
    constexpr int64_t kSecond = 1'000'000'000;
    const int64_t nanoseconds = ((*entry.mtime % kSecond) + kSecond) % kSecond;
    const timespec time{.tv_sec = (*entry.mtime - nanoseconds) / kSecond, .tv_nsec = nanoseconds};
    const std::array<timespec, 2> times{{{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, time}};
    const int done = name == nullptr ? ::futimens(fd, times.data())
                                     : ::utimensat(fd, name, times.data(), AT_SYMLINK_NOFOLLOW);
    return CallStatus(done == 0, "utimensat");
  }

  Status MakeFolder(const UniqueFd& where, const std::string& name, const NewEntry& entry) {
    if (::mkdirat(where.get(), name.c_str(), 0700) != 0) return SystemError("mkdir(" + name + ")");
    folders_.emplace_back(PathOf(entry), &entry);
    return Unit{};
  }

  static Status MakeLink(const UniqueFd& where, const std::string& name, const NewEntry& entry) {
    if (::symlinkat(entry.target.c_str(), where.get(), name.c_str()) != 0) {
      return SystemError("symlink(" + name + ")");
    }
    return SetTime(where.get(), name.c_str(), entry);
  }

  bool LinkToSource(const UniqueFd& where, const std::string& name, const NewEntry& entry) const {
    const Result<UniqueFd> source = OpenFolderOf(*sources_.folder, entry.source);
    return source && ::linkat(source->get(), std::string(NameOf(entry.source)).c_str(), where.get(),
                              name.c_str(), 0) == 0;
  }

  static Result<UniqueFd> CreateFile(const UniqueFd& where, const std::string& name) {
    UniqueFd file(::openat(where.get(), name.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.valid()) return SystemError("open(" + name + ")");
    return file;
  }

  Status MakeFile(const UniqueFd& where, const std::string& name, const NewEntry& entry) const {
    if (entry.is_link_to_source && LinkToSource(where, name, entry)) return Unit{};
    if (!entry.bytes) return CopyFile(where, name, entry);
    const Result<UniqueFd> file = CreateFile(where, name);
    if (!file) return file.error();
    if (Status s = WriteAll(file->get(), *entry.bytes); !s) return s;
    const auto size = static_cast<off_t>(entry.hole_size);
    if (size > 0 && ::ftruncate(file->get(), size) != 0) return SystemError("ftruncate");
    if (entry.attributes) {
      if (Status s = ReplaceAttributes(file->get(), *entry.attributes); !s) return s;
      return SetFacts(file->get(), entry);
    }
    const Result<UniqueFd> source = OpenSource(entry);
    if (source) CopyAttributes(source->get(), file->get(), sources_.keeps_marks);
    return SetFacts(file->get(), entry);
  }

  Status CopyFile(const UniqueFd& where, const std::string& name, const NewEntry& entry) const {
    const Result<UniqueFd> source = OpenSource(entry);
    if (!source) return LeaveOut(entry, source.error());
    UniqueFd file = CreateClone(source->get(), where, name);
    if (!file.valid()) {
      if (Status s = CreateFile(where, name).MoveTo(file); !s) return s;
      if (Status s = CopyBytes(source->get(), file.get()); !s) return s;
      CopyAttributes(source->get(), file.get(), sources_.keeps_marks);
    }
    return SetFacts(file.get(), entry);
  }

  Status LeaveOut(const NewEntry& entry, const Error& error) const {
    const bool is_left_out = sources_.left_out && (IsMissing(error) || error.code == EACCES);
    if (!is_left_out) return error;
    sources_.left_out(entry, error);
    return Unit{};
  }

  Result<UniqueFd> OpenSource(const NewEntry& entry) const {
    if (entry.source.empty()) return SystemError("open(source)", ENOENT);
    return OpenBeneath(*sources_.folder, entry.source,
                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  }

  const UniqueFd& folder_;
  const std::string& name_;
  const CopySources& sources_;
  UniqueFd parent_;
  std::string parent_path_;
  std::vector<std::pair<std::string, const NewEntry*>> folders_;
};

}  // namespace

Status CreateTree(const UniqueFd& folder, const std::string& name, const NewTree& tree,
                  const CopySources& sources) {
  Creator creator(folder, name, sources);
  for (const NewEntry& entry : tree.entries) {
    if (Status s = creator.Create(entry); !s) return s;
    if (sources.created) sources.created(entry);
  }
  return creator.Finish();
}

namespace {

NewEntry CopyOf(const Entry& entry, const std::string& below, const std::string& source) {
  return {.below = below,
          .kind = entry.kind,
          .mode = entry.mode,
          .target = entry.target,
          .source = source,
          .mtime = entry.mtime};
}

}  // namespace

Result<NewTree> TreeAt(const UniqueFd& folder, const std::string& path) {
  const Result<UniqueFd> parent = OpenFolderOf(folder, path);
  if (!parent) return parent.error();
  const Result<Entry> top = LookAt(parent->get(), std::string(NameOf(path)), path);
  if (!top) return top.error();
  NewTree tree{.entries = {CopyOf(*top, "", path)}};
  if (!top->is_directory()) return tree;
  const Result<UniqueFd> opened = OpenBeneath(folder, path, O_RDONLY | O_DIRECTORY);
  if (!opened) return opened.error();
  const Result<Contents> contents = ContentsOf(*opened);
  if (!contents) return contents.error();
  for (const auto& [below, entry] : *contents) {
    if (entry.kind == EntryKind::kSpecial) continue;
    std::string source = path;
    source.append("/").append(below);
    tree.entries.push_back(CopyOf(entry, below, source));
  }
  return tree;
}

}  // namespace ringfence
