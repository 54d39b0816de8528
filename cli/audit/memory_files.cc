#include "cli/audit/memory_files.h"

#include <cerrno>
#include <utility>

#include "base/case_fold.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr size_t kMaxFileName = 255;

MemoryNode NodeOf(FileKind kind, uint32_t mode) {
  MemoryNode node;
  node.facts.kind = kind;
  node.facts.device = 1;
  node.facts.owner = 1000;
  node.facts.group = 1000;
  node.facts.mode = mode;
  return node;
}

}  // namespace

MemoryNode File(std::string text) {
  MemoryNode node = NodeOf(FileKind::kFile, 0644);
  node.text = std::move(text);
  return node;
}
MemoryNode Directory() { return NodeOf(FileKind::kDirectory, 0755); }
MemoryNode UnreadableDirectory() {
  MemoryNode node = NodeOf(FileKind::kDirectory, 0);
  node.is_unreadable = true;
  return node;
}
MemoryNode LinkTo(std::string target) {
  MemoryNode node = NodeOf(FileKind::kLink, 0777);
  node.target = std::move(target);
  return node;
}
MemoryNode Special(FileKind kind) { return NodeOf(kind, 0600); }

MemoryFiles::MemoryFiles(std::initializer_list<Entry> entries, LetterCase letter_case)
    : MemoryFiles(std::vector<Entry>(entries), letter_case) {}

MemoryFiles::MemoryFiles(const std::vector<Entry>& entries, LetterCase letter_case)
    : letter_case_(letter_case) {
  Put("/", Directory());
  for (const Entry& entry : entries) Put(entry.path, entry.node);
}

std::string MemoryFiles::Key(std::string_view path) const {
  return letter_case_ == LetterCase::kIgnored ? FoldName(path) : std::string(path);
}

void MemoryFiles::Put(const std::string& path, MemoryNode node) {
  const Path clean = Path::Clean(path);
  if (!clean.is_root() && !nodes_.contains(Key(clean.Parent().text()))) {
    Put(clean.Parent().text(), Directory());
  }
  if (node.facts.inode == 0) node.facts.inode = next_inode_++;
  nodes_[Key(clean.text())] = {std::string(clean.name()), std::move(node)};
}

void MemoryFiles::Remove(const std::string& path) {
  const Path folder = Path::Clean(Key(path));
  std::erase_if(nodes_, [&](const auto& item) { return Path::Clean(item.first).IsInside(folder); });
}

// Resolves one component after another. Returns nullopt if one does not exist, or if any but the
// last is not a directory.
Result<MemoryFiles::Found> MemoryFiles::Follow(Step step, bool follow_last, int* links) const {
  while (true) {
    const std::string_view name = TakeComponent(step.rest);
    if (name.empty()) return Found(step.at.empty() ? "/" : step.at);
    const Result<bool> is_there = Enter(step, name, follow_last, links);
    if (!is_there) return is_there.error();
    if (!*is_there) return Found();
  }
}

Result<bool> MemoryFiles::Enter(Step& step, std::string_view name, bool follow_last,
                                int* links) const {
  const MemoryNode& folder = nodes_.at(step.at.empty() ? "/" : step.at).node;
  if (folder.facts.kind != FileKind::kDirectory) return false;
  if (folder.is_unreadable) return SystemError("look", EACCES);
  if (name.size() > kMaxFileName) return SystemError("look", ENAMETOOLONG);
  if (name == ".") return true;
  if (name == "..") {
    step.at.resize(step.at.empty() ? 0 : step.at.rfind('/'));
    return true;
  }
  const std::string here = step.at + "/" + Key(name);
  const auto found = nodes_.find(here);
  if (found == nodes_.end()) return false;
  const MemoryNode& node = found->second.node;
  const bool is_last = step.rest.find_first_not_of('/') == std::string_view::npos;
  if (node.facts.kind != FileKind::kLink || (is_last && !follow_last)) {
    step.at = here;
    return true;
  }
  if (++*links > kMaxLinks) return SystemError("look", ELOOP);
  const std::string from = node.target.starts_with('/') ? "" : step.at;
  const Result<Found> target = Follow({from, node.target}, true, links);
  if (!target) return target.error();
  if (!target->has_value()) return false;
  step.at = **target == "/" ? "" : **target;
  return true;
}

Result<const MemoryFiles::Stored*> MemoryFiles::Find(const Path& path) const {
  int links = 0;
  const Result<Found> key = Follow({"", path.text()}, false, &links);
  if (!key) return key.error();
  if (!key->has_value()) return static_cast<const Stored*>(nullptr);
  return &nodes_.at(**key);
}

Result<FileFacts> MemoryFiles::Look(const Path& path) const {
  Result<const Stored*> stored = Find(path);
  if (!stored) return SystemError("lstat(" + path.text() + ")", stored.error().code);
  return *stored == nullptr ? FileFacts{} : (*stored)->node.facts;
}

Result<std::string> MemoryFiles::ReadLink(const Path& path) const {
  Result<const Stored*> stored = Find(path);
  if (!stored) return stored.error();
  if (*stored == nullptr) return SystemError("readlink(" + path.text() + ")", ENOENT);
  if ((*stored)->node.facts.kind != FileKind::kLink) {
    return SystemError("readlink(" + path.text() + ")", EINVAL);
  }
  return (*stored)->node.target;
}

Result<std::string> MemoryFiles::ReadText(const Path& file, size_t most) const {
  Result<const Stored*> stored = Find(file);
  if (!stored) return stored.error();
  if (*stored == nullptr) return SystemError("open(" + file.text() + ")", ENOENT);
  const MemoryNode& node = (*stored)->node;
  if (node.facts.kind == FileKind::kLink) return SystemError("open(" + file.text() + ")", ELOOP);
  if (node.facts.kind != FileKind::kFile) return SystemError("open(" + file.text() + ")", EINVAL);
  if (node.text.size() > most) return SystemError("open(" + file.text() + ")", E2BIG);
  return node.text;
}

Result<std::string> MemoryFiles::ReadStart(const Path& file, size_t most) const {
  Result<std::string> text = ReadText(file, std::string().max_size());
  return text ? text->substr(0, most) : text;
}

Result<std::vector<DirectoryEntry>> MemoryFiles::List(const Path& directory, size_t most) const {
  int links = 0;
  const Result<Found> key = Follow({"", directory.text()}, true, &links);
  if (!key) return key.error();
  if (!key->has_value()) return SystemError("open(" + directory.text() + ")", ENOENT);
  const MemoryNode& node = nodes_.at(**key).node;
  if (node.facts.kind != FileKind::kDirectory) {
    return SystemError("open(" + directory.text() + ")", ENOTDIR);
  }
  if (node.is_unreadable) return SystemError("open(" + directory.text() + ")", EACCES);
  std::vector<DirectoryEntry> entries;
  const Path folder = Path::Clean(**key);
  for (const auto& [text, stored] : nodes_) {
    const Path path = Path::Clean(text);
    if (path.is_root() || path.Parent() != folder) continue;
    entries.push_back({stored.name, stored.node.facts.kind});
  }
  if (entries.size() > most) return SystemError("open(" + directory.text() + ")", E2BIG);
  return entries;
}

}  // namespace ringfence
