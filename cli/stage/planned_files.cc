#include "cli/stage/planned_files.h"

#include <cerrno>
#include <unordered_set>
#include <utility>

#include "files/beneath.h"

namespace ringfence {
namespace {

FileKind FileKindOf(EntryKind kind) {
  switch (kind) {
    case EntryKind::kNone:
      return FileKind::kMissing;
    case EntryKind::kFile:
      return FileKind::kFile;
    case EntryKind::kDirectory:
      return FileKind::kDirectory;
    case EntryKind::kLink:
      return FileKind::kLink;
    case EntryKind::kSpecial:
      return FileKind::kFifo;
  }
  return FileKind::kMissing;
}

bool StaysDirectory(const Change& change) {
  return change.before.is_directory() && change.after.is_directory();
}

}  // namespace

PlannedFiles::PlannedFiles(const FileView& disk, std::vector<Path> projects,
                           std::vector<const Change*> changes)
    : ForwardingView(disk), projects_(std::move(projects)), changes_(std::move(changes)) {
  for (size_t i = 0; i < changes_.size(); ++i) {
    const std::string& name = changes_[i]->path;
    by_name_.emplace(name, i);
    in_folder_[FolderOf(name)].push_back(i);
  }
}

const Change* PlannedFiles::ChangeAt(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : changes_[found->second];
}

PlannedFiles::Source PlannedFiles::SourceOf(const Path& path) const {
  Source source;
  for (const Path& project : projects_) {
    const std::optional<std::string_view> below = path.Below(project);
    if (!below) continue;
    source.name = *below;
    source.is_in_project = true;
    break;
  }
  if (source.name.empty()) return source;
  // A directory that is new, or that goes, has nothing of the disk.
  for (std::string_view folder = FolderOf(source.name); !folder.empty();
       folder = FolderOf(folder)) {
    const Change* change = ChangeAt(folder);
    if (change == nullptr || StaysDirectory(*change)) continue;
    source.kind = Source::Kind::kNothing;
    if (!change->after.is_directory()) return source;
  }
  const auto found = by_name_.find(source.name);
  if (found == by_name_.end()) return source;
  source.change = found->second;
  const Change& change = *changes_[source.change];
  if (StaysDirectory(change)) return source;
  source.kind = change.after.exists() ? Source::Kind::kChange : Source::Kind::kNothing;
  return source;
}

Result<FileFacts> PlannedFiles::Look(const Path& path) const {
  const Source source = SourceOf(path);
  if (source.kind == Source::Kind::kDisk) return ForwardingView::Look(path);
  if (source.kind == Source::Kind::kNothing) return FileFacts{};
  const Entry& after = After(source);
  // A new file, which differs from all others.
  return FileFacts{.kind = FileKindOf(after.kind),
                   .device = ~uint64_t{0},
                   .inode = source.change + 1,
                   .owner = after.owner,
                   .group = after.group,
                   .mode = after.mode};
}

Result<std::string> PlannedFiles::ReadLink(const Path& path) const {
  const Source source = SourceOf(path);
  if (source.kind == Source::Kind::kDisk) return ForwardingView::ReadLink(path);
  const bool is_link = source.kind == Source::Kind::kChange && After(source).is_link();
  if (!is_link) return SystemError("readlink(" + path.text() + ")", EINVAL);
  return After(source).target;
}

Result<std::string> PlannedFiles::ReadText(const Path& file, size_t most) const {
  const Source source = SourceOf(file);
  if (source.kind == Source::Kind::kDisk) return ForwardingView::ReadText(file, most);
  return SystemError("read(" + file.text() + ")", ENOTSUP);
}

Result<std::vector<DirectoryEntry>> PlannedFiles::List(const Path& directory, size_t most) const {
  const Source source = SourceOf(directory);
  if (source.kind == Source::Kind::kNothing) {
    return SystemError("open(" + directory.text() + ")", ENOENT);
  }
  if (source.kind == Source::Kind::kChange && !After(source).is_directory()) {
    return SystemError("open(" + directory.text() + ")", ENOTDIR);
  }
  std::vector<DirectoryEntry> entries;
  if (source.kind == Source::Kind::kDisk) {
    Result<std::vector<DirectoryEntry>> listed = ForwardingView::List(directory, most);
    if (!listed || !source.is_in_project) return listed;
    entries = std::move(*listed);
  }
  const auto changed = in_folder_.find(source.name);
  if (changed == in_folder_.end()) return entries;
  std::unordered_set<std::string_view> names;
  for (const size_t i : changed->second) names.insert(NameOf(changes_[i]->path));
  std::erase_if(entries, [&](const DirectoryEntry& entry) { return names.contains(entry.name); });
  for (const size_t i : changed->second) {
    const Change& change = *changes_[i];
    if (!change.after.exists()) continue;
    entries.push_back({std::string(NameOf(change.path)), FileKindOf(change.after.kind)});
  }
  if (entries.size() > most) return SystemError("open(" + directory.text() + ")", E2BIG);
  return entries;
}

Result<FileFacts> FilesWithoutName::Look(const Path& path) const {
  if (path.IsInside(name_)) return FileFacts{};
  return ForwardingView::Look(path);
}

Result<std::vector<DirectoryEntry>> FilesWithoutName::List(const Path& directory,
                                                           size_t most) const {
  if (directory.IsInside(name_)) return SystemError("open(" + directory.text() + ")", ENOENT);
  Result<std::vector<DirectoryEntry>> entries = ForwardingView::List(directory, most);
  if (!entries || directory != name_.Parent()) return entries;
  std::erase_if(*entries, [&](const DirectoryEntry& entry) { return entry.name == name_.name(); });
  return entries;
}

}  // namespace ringfence
