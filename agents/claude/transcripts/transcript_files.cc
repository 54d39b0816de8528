#include "agents/claude/transcripts/transcript_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/directory.h"
#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxUnreadableFiles = 20;
constexpr std::string_view kEnding = ".jsonl";

// Opens `name` below `base` component by component, so that no directory on the way can be a link.
Result<UniqueFd> OpenBelow(int base, std::string_view name, int flags) {
  UniqueFd folder;
  for (;;) {
    const size_t slash = name.find('/');
    const bool is_last = slash == std::string_view::npos;
    const std::string component(name.substr(0, slash));
    const int at = folder.valid() ? folder.get() : base;
    const int how = is_last ? flags : O_RDONLY | O_DIRECTORY | O_NONBLOCK;
    UniqueFd next(::openat(at, component.c_str(), how | O_NOFOLLOW | O_CLOEXEC));
    if (!next.valid()) return SystemError("openat");
    if (is_last) return next;
    folder = std::move(next);
    name.remove_prefix(slash + 1);
  }
}

class TranscriptWalk {
 public:
  explicit TranscriptWalk(TranscriptFiles& found) : found_(found) {}

  // Collects the files below the open directory `folder`, which is `parent`.
  void Take(UniqueFd folder, const TranscriptFile& parent, size_t depth) {
    if (depth > kMaxDepth) return Miss(parent, "too many nested directories");
    const DirectoryStream directory(::fdopendir(folder.get()));
    if (directory == nullptr) return Miss(parent, ErrnoName(errno));
    const int fd = folder.release();
    std::vector<std::string> names;
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(directory.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    if (errno != 0) Miss(parent, ErrnoName(errno));
    for (Entry& entry : Looked(fd, parent, names)) TakeEntry(fd, std::move(entry), depth);
  }

 private:
  struct Entry {
    std::string order;  // puts a session's file before the directory of its subagents
    std::string name;
    TranscriptFile file;
    bool is_folder = false;
  };

  void Miss(const TranscriptFile& file, const std::string& why) {
    if (found_.unreadable_count++ >= kMaxUnreadableFiles) return;
    found_.unreadable.push_back({Error::Kind::kSystem, file.shown, why, ""});
  }

  std::vector<Entry> Looked(int folder, const TranscriptFile& parent,
                            const std::vector<std::string>& names) {
    std::vector<Entry> entries;
    for (const std::string& name : names) {
      struct stat facts {};
      Entry entry{name, name, parent};
      entry.file.name += (parent.name.empty() ? "" : "/") + name;
      entry.file.shown += (parent.shown.ends_with('/') ? "" : "/") + name;
      if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
        Miss(entry.file, ErrnoName(errno));
        continue;
      }
      entry.is_folder = S_ISDIR(facts.st_mode);
      if (entry.is_folder) entry.order += '/';
      if (!entry.is_folder && !(S_ISREG(facts.st_mode) && name.ends_with(kEnding))) continue;
      entry.file.size = static_cast<uint64_t>(facts.st_size);
      entries.push_back(std::move(entry));
    }
    std::ranges::sort(entries, {}, &Entry::order);
    return entries;
  }

  void TakeEntry(int folder, Entry entry, size_t depth) {
    if (!entry.is_folder) {
      found_.size += entry.file.size;
      found_.files.push_back(std::move(entry.file));
      return;
    }
    UniqueFd next(::openat(folder, entry.name.c_str(),
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!next.valid()) return Miss(entry.file, ErrnoName(errno));
    Take(std::move(next), entry.file, depth + 1);
  }

  TranscriptFiles& found_;
};

Status AddNamed(const std::string& path, TranscriptFiles& found) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts {};
  if (!fd.valid() || ::fstat(fd.get(), &facts) != 0) {
    const int code = errno;
    return UsageError(Quote(path),
                      code == ENOENT ? "does not exist" : "cannot be read: " + ErrnoName(code),
                      "name a transcript, or a directory of them");
  }
  if (!S_ISDIR(facts.st_mode)) {
    const uint64_t size = S_ISREG(facts.st_mode) ? static_cast<uint64_t>(facts.st_size) : 0;
    found.size += size;
    found.files.push_back({path, "", nullptr, size});
    return Unit{};
  }
  UniqueFd walked(::openat(fd.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!walked.valid()) return SystemError("open(" + Quote(path) + ")");
  const auto base = std::make_shared<const UniqueFd>(std::move(fd));
  TranscriptWalk(found).Take(std::move(walked), {path, "", base, 0}, 0);
  return Unit{};
}

}  // namespace

Result<TranscriptFiles> FindTranscripts(const std::vector<std::string>& paths) {
  TranscriptFiles found;
  for (const std::string& path : paths) {
    if (Status s = AddNamed(path, found); !s) return s.error();
  }
  return found;
}

Result<UniqueFd> OpenTranscript(const TranscriptFile& file) {
  constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
  const bool is_below = file.base != nullptr;
  Result<UniqueFd> fd = is_below ? OpenBelow(file.base->get(), file.name, kFlags)
                                 : OpenFile(file.shown.c_str(), kFlags);
  if (!fd) return fd;
  if (!fd->valid()) return SystemError("open");
  struct stat facts {};
  if (::fstat(fd->get(), &facts) != 0) return SystemError("fstat");
  if (!S_ISREG(facts.st_mode)) {
    return Error{Error::Kind::kSystem, "", "is not a regular file", ""};
  }
  return fd;
}

}  // namespace ringfence
