#include "policy/files/cached_files.h"

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/eight_bytes.h"
#include "base/name_bits.h"

namespace ringfence {
namespace {

constexpr int kQuestionsBeforeListing = 40;  // costs as much as listing about 150 names
constexpr size_t kMaxListed = 4096;          // names; in a larger directory, each is looked up
constexpr size_t kUsuallySeen = 48;
constexpr size_t kMaxSeen = 256;  // searching more would take longer than asking again

}  // namespace

struct CachedFiles::Folder {
  Path path;
  int questions = 0;
  bool is_listed = false;
  std::vector<DirectoryEntry> entries = {};  // sorted by name
  NameFilter names = {};                     // of the entries
  // The last name and its directory (nullptr if it is not one), because rules come in groups that
  // begin with the same name.
  std::string last_name = {};
  FileKind last_kind = FileKind::kMissing;
  Folder* last_child = nullptr;

  bool IsAskedOften() { return questions++ >= kQuestionsBeforeListing; }
  void ExpectMany() { questions = kQuestionsBeforeListing; }
  void ExpectFew() { questions = std::numeric_limits<int>::min(); }  // because it cannot be listed
  bool is_unlistable() const { return questions < 0; }

  void TakeList(std::vector<DirectoryEntry> list) {
    entries = std::move(list);
    std::ranges::sort(entries, {}, &DirectoryEntry::name);
    for (const DirectoryEntry& entry : entries) names.Add(entry.name);
    is_listed = true;
  }

  const DirectoryEntry* Find(std::string_view name) const {
    if (!names.MayHave(NameFilter::IndexOf(name))) return nullptr;
    const auto name_of = [](const DirectoryEntry& entry) -> std::string_view { return entry.name; };
    const auto entry = std::ranges::lower_bound(entries, name, {}, name_of);
    return entry == entries.end() || entry->name != name ? nullptr : &*entry;
  }

  bool BeginsWithLast(std::string_view below) const {
    const size_t size = last_name.size();
    if (size == 0 || below.size() < size) return false;
    if (below.size() > size && below[size] != '/') return false;
    return BeginsWith(below, last_name);
  }
};

CachedFiles::CachedFiles(const FileView& files) : files_(files) {}
CachedFiles::~CachedFiles() = default;

const CachedFiles::Seen* CachedFiles::Known(const Path& path, uint64_t hash) const {
  for (const Seen& seen : seen_) {
    if (seen.hash == hash && seen.path == path.text()) return &seen;
  }
  return nullptr;
}

Result<FileFacts> CachedFiles::FactsOf(const Seen& seen) const {
  if (seen.error != 0) return errors_[seen.error - 1];
  return seen.facts;
}

Result<FileFacts> CachedFiles::Look(const Path& path) const {
  const uint64_t hash = HashText(path.text());
  if (const Seen* known = Known(path, hash)) return FactsOf(*known);
  if (IsListedMissing(path)) return FileFacts{};
  return LookUncached(path, hash);
}

Result<FileFacts> CachedFiles::LookUncached(const Path& path, uint64_t hash) const {
  Result<FileFacts> facts = files_.Look(path);
  if (!facts) Note(facts.error());
  if (seen_.size() >= kMaxSeen) return facts;
  if (seen_.empty()) seen_.reserve(kUsuallySeen);
  Seen& seen = seen_.emplace_back(Seen{.hash = hash, .path = path.text(), .facts = {}});
  if (facts) {
    seen.facts = *facts;
  } else {
    errors_.push_back(facts.error());
    seen.error = errors_.size();
  }
  return facts;
}

void CachedFiles::Note(const Error& error) const {
  const bool about_files = error.code == EACCES || error.code == ENAMETOOLONG ||
                           error.code == ELOOP || error.code == E2BIG;
  if (!about_files) Fail(error);
}

Result<std::string> CachedFiles::ReadLink(const Path& path) const {
  Result<std::string> target = files_.ReadLink(path);
  if (!target) Note(target.error());
  return target;
}

// Not cached: rarely called, and never twice for one file.
Result<std::string> CachedFiles::ReadText(const Path& file, size_t most) const {
  return files_.ReadText(file, most);
}

Result<std::string> CachedFiles::ReadStart(const Path& file, size_t most) const {
  return files_.ReadStart(file, most);
}

Result<std::vector<DirectoryEntry>> CachedFiles::List(const Path& directory, size_t most) const {
  Result<std::vector<DirectoryEntry>> entries = files_.List(directory, most);
  if (entries) return entries;
  const int code = entries.error().code;
  if (code == ENOENT || code == ENOTDIR) return std::vector<DirectoryEntry>();
  Note(entries.error());
  return entries;
}

// Returns the position of the directory in folders_, or the position to insert it at.
std::vector<std::unique_ptr<CachedFiles::Folder>>::iterator CachedFiles::PlaceOf(
    const Path& directory) const {
  const auto text_of = [](const std::unique_ptr<Folder>& folder) -> const std::string& {
    return folder->path.text();
  };
  return std::ranges::lower_bound(folders_, directory.text(), {}, text_of);
}

CachedFiles::Folder* CachedFiles::FindFolder(const Path& directory) const {
  const auto at = PlaceOf(directory);
  return at == folders_.end() || (*at)->path != directory ? nullptr : at->get();
}

CachedFiles::Folder& CachedFiles::FolderOf(const Path& directory) const {
  const auto at = PlaceOf(directory);
  if (at != folders_.end() && (*at)->path == directory) return **at;
  return **folders_.insert(at, std::make_unique<Folder>(Folder{directory}));
}

bool CachedFiles::IsListedMissing(const Path& path) const {
  if (folders_.empty()) return false;
  const Folder* folder = FindFolder(path.Parent());
  return folder != nullptr && folder->is_listed && folder->Find(path.name()) == nullptr;
}

Result<FileKind> CachedFiles::LookKind(const Path& path) const {
  const Result<FileFacts> facts = Look(path);
  if (!facts) return facts.error();
  return facts->kind;
}

// Lists the directory unless that was done before. True if the list is available.
bool CachedFiles::IsListed(Folder& folder) const {
  if (folder.is_listed) return true;
  if (folder.is_unlistable()) return false;
  Result<std::vector<DirectoryEntry>> entries = List(folder.path, kMaxListed);
  if (entries) {
    folder.TakeList(std::move(*entries));
  } else {
    folder.ExpectFew();
  }
  return folder.is_listed;
}

Result<FileKind> CachedFiles::ChildKind(Folder& folder, std::string_view name) const {
  if (!folder.is_listed) {
    const Path child = folder.path.Child(name);
    const uint64_t hash = HashText(child.text());
    const Seen* known = Known(child, hash);
    if (known != nullptr || !folder.IsAskedOften()) {
      const Result<FileFacts> facts = known ? FactsOf(*known) : LookUncached(child, hash);
      if (!facts) return facts.error();
      return facts->kind;
    }
    if (!IsListed(folder)) return LookKind(child);
  }
  const DirectoryEntry* entry = folder.Find(name);
  if (entry == nullptr) return FileKind::kMissing;
  if (entry->kind == FileKind::kMissing) return LookKind(folder.path.Child(name));
  return entry->kind;
}

NameFilter CachedFiles::NamesIn(Folder& base, std::string_view below) const {
  NameFilter all;
  all.AddAll();
  Folder* folder = &base;
  while (!below.empty()) {
    const std::string_view name = TakeComponent(below);
    const Result<FileKind> kind = ChildKind(*folder, name);
    if (kind && *kind == FileKind::kMissing) return {};
    if (!kind || *kind != FileKind::kDirectory) return all;
    folder = &FolderOf(folder->path.Child(name));
  }
  return IsListed(*folder) ? folder->names : all;
}

void CachedFiles::ExpectMany(const Path& directory) const { FolderOf(directory).ExpectMany(); }

Result<FileKind> CachedFiles::KindBelow(Folder& base, std::string_view below) const {
  if (below.empty()) return FileKind::kDirectory;
  Folder* folder = &base;
  while (folder->BeginsWithLast(below)) {
    TakeComponent(below);
    if (below.empty()) return folder->last_kind;
    folder = folder->last_child;
    if (folder == nullptr) return FileKind::kMissing;
  }
  for (;;) {
    const std::string_view name = TakeComponent(below);
    Result<FileKind> kind = ChildKind(*folder, name);
    if (!kind || *kind == FileKind::kLink) return kind;
    if (*kind == FileKind::kMissing && folder->is_listed) return kind;
    Folder* child = nullptr;
    if (*kind == FileKind::kDirectory) child = &FolderOf(folder->path.Child(name));
    folder->last_name = name;
    folder->last_kind = *kind;
    folder->last_child = child;
    if (below.empty()) return kind;
    if (child == nullptr) return FileKind::kMissing;
    folder = child;
  }
}

Result<bool> CachedFiles::HasLinkBelow(Folder& base, std::string_view below) const {
  const Result<FileKind> kind = KindBelow(base, below);
  if (!kind) return kind.error();
  return *kind == FileKind::kLink;
}

const MountTable& CachedFiles::Mounts() const {
  if (mounts_) return *mounts_;
  Result<MountTable> mounts = MountTable::Read(files_);
  if (!mounts) Fail(mounts.error());
  return mounts_.emplace(mounts ? std::move(*mounts) : MountTable());
}

void CachedFiles::Fail(const Error& error) const {
  if (!failure_) failure_ = error;
}

}  // namespace ringfence
