#include "policy/files/mount_table.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <utility>

#include "base/inside.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kMostBytes = size_t{16} << 20;
constexpr const char* kMountInfo = "/proc/self/mountinfo";

// Decodes white space and backslashes, which are written as three octal digits.
std::string Unescaped(std::string_view field) {
  std::string text;
  for (size_t i = 0; i < field.size(); ++i) {
    const std::string_view digits = field.substr(std::min(i + 1, field.size()), 3);
    const bool is_octal = field[i] == '\\' && digits.size() == 3 &&
                          std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '7'; });
    if (!is_octal) {
      text.push_back(field[i]);
      continue;
    }
    text.push_back(
        static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + digits[2] - '0'));
    i += digits.size();
  }
  return text;
}

Path ChildOrSelf(const Path& folder, std::string_view rest) {
  return rest.empty() ? folder : folder.Child(rest);
}

// Returns the type of the file system, which follows the options and any number of other fields.
std::string_view TypeIn(std::string_view line) {
  constexpr std::string_view kEndOfOptions = " - ";
  const size_t end = line.find(kEndOfOptions);
  if (end == std::string_view::npos) return {};
  line.remove_prefix(end + kEndOfOptions.size());
  return TakeUntil(line, ' ');
}

// True if a name may have other spellings because the file system may show a Windows or macOS disk:
// one without a comparison of its own (d_compare, d_add_ci), or NTFS, which ignores short names.
bool HasSpellings(std::string_view type) {
  constexpr std::string_view kTypes[] = {"9p",    "cifs", "fuse",   "fuseblk", "ntfs",
                                         "ntfs3", "smb3", "vboxsf", "virtiofs"};
  return type.starts_with("fuse.") || std::ranges::find(kTypes, type) != std::end(kTypes);
}

// The device number of a file system and its directory that a mount shows, as written in the file.
struct ShownRoot {
  std::string_view device, root;
};

// Orders each directory right before its contents.
bool ComesBefore(const ShownRoot& one, const ShownRoot& other) {
  if (one.device != other.device) return one.device < other.device;
  const auto order = [](char c) { return c == '/' ? '\1' : c; };
  return std::ranges::lexicographical_compare(one.root, other.root, {}, order, order);
}

bool IsInside(const ShownRoot& folder, const ShownRoot& other) {
  if (folder.device != other.device || !other.root.starts_with(folder.root)) return false;
  return folder.root == "/" || folder.root.size() == other.root.size() ||
         other.root[folder.root.size()] == '/';
}

// Tells whether the text needs to be parsed: on most hosts nothing is mounted twice.
struct Survey {
  bool has_twins = false;  // a line shows another line's directory, or one below it
  bool has_spellings = false;
};

Survey SurveyOf(std::string_view text) {
  Survey survey;
  std::vector<ShownRoot> all;
  while (!text.empty()) {
    std::string_view line = TakeUntil(text, '\n');
    TakeUntil(line, ' ');
    TakeUntil(line, ' ');
    const std::string_view device = TakeUntil(line, ' ');
    const std::string_view root = TakeUntil(line, ' ');
    const bool is_own = TakeUntil(line, ' ').starts_with(kOwnDirectory);
    if (root.starts_with('/') && !is_own) all.push_back({device, root});
    survey.has_spellings = survey.has_spellings || HasSpellings(TypeIn(line));
  }
  std::ranges::sort(all, ComesBefore);
  survey.has_twins = std::ranges::adjacent_find(all, IsInside) != all.end();
  return survey;
}

}  // namespace

// "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw"
bool MountTable::ReadLine(std::string_view line, Mount& mount) {
  mount.id = TakeUntil(line, ' ');
  mount.parent = TakeUntil(line, ' ');
  mount.device = TakeUntil(line, ' ');
  const std::string root = Unescaped(TakeUntil(line, ' '));
  const std::optional<Path> point = Path::Parse(Unescaped(TakeUntil(line, ' ')));
  if (!point) return false;
  mount.root = Path::Parse(root);  // absent for "net:[4026531840]" and for a cgroup's "/.."
  mount.point = *point;
  const std::string_view type = TypeIn(line);
  if (HasSpellings(type)) mount.spellings_type = Unescaped(type);
  return true;
}

MountTable MountTable::Parse(std::string_view text) {
  MountTable table;
  const Survey survey = SurveyOf(text);
  if (!survey.has_twins && !survey.has_spellings) return table;
  while (!text.empty()) {
    const std::string_view line = TakeUntil(text, '\n');
    Mount mount;
    // Commands cannot reach ringfence's own mounts in a sandbox.
    const bool counts = ReadLine(line, mount) && !mount.point.IsInside(Path::Clean(kOwnDirectory));
    if (counts) table.mounts_.push_back(std::move(mount));
  }
  table.has_twins_ = survey.has_twins;
  table.FindParents();
  return table;
}

namespace {

// Returns no lines if /proc is not mounted.
Result<std::string> MountLines(const FileView& files) {
  Result<std::string> text = files.ReadText(Path::Clean(kMountInfo), kMostBytes);
  if (text) return text;
  const int code = text.error().code;
  if (code == ENOENT || code == ENOTDIR || code == ENOTSUP) return std::string();
  return text;
}

}  // namespace

Result<MountTable> MountTable::Read(const FileView& files) {
  const Result<std::string> text = MountLines(files);
  if (!text) return text.error();
  return Parse(*text);
}

void MountTable::FindParents() {
  std::vector<std::pair<std::string_view, size_t>> places;
  for (size_t i = 0; i < mounts_.size(); ++i) places.emplace_back(mounts_[i].id, i);
  std::ranges::sort(places);
  for (size_t i = 0; i < mounts_.size(); ++i) {
    const std::pair<std::string_view, size_t> first(mounts_[i].parent, 0);
    const auto parent = std::ranges::lower_bound(places, first);
    const bool is_known = parent != places.end() && parent->first == first.first;
    parents_.push_back(is_known ? parent->second : i);
  }
}

// Walks as the kernel does: from the top mount to the nearest child mount over a directory of the
// path, and so on until there is none. Does not find a mount below a directory that another one
// covers.
const MountTable::Mount* MountTable::MountAt(const Path& path) const {
  constexpr size_t kNone = SIZE_MAX;
  size_t at = kNone;
  for (;;) {  // terminates: each mount has one parent, so the walk reaches no mount twice
    size_t next = kNone;
    for (size_t i = 0; i < mounts_.size(); ++i) {
      const bool is_child = at == kNone ? parents_[i] == i : parents_[i] == at && i != at;
      if (!is_child || !path.IsInside(mounts_[i].point)) continue;
      if (next == kNone || mounts_[next].point.IsInside(mounts_[i].point)) next = i;
    }
    if (next == kNone) return at == kNone ? nullptr : &mounts_[at];
    at = next;
  }
}

MountTable::Inner MountTable::InnerOf(const Path& path) const {
  const Mount* mount = MountAt(path);
  if (mount == nullptr || !mount->root) return {};
  return {mount, ChildOrSelf(*mount->root, *path.Below(mount->point))};
}

std::vector<MountTable::Name> MountTable::OtherNames(const Path& path) const {
  std::vector<Name> names;
  const Inner inner = has_twins_ ? InnerOf(path) : Inner{};
  if (inner.mount == nullptr) return names;
  for (const Mount& mount : mounts_) {
    if (!mount.root || mount.device != inner.mount->device) continue;
    const auto rest = inner.path.Below(*mount.root);
    if (!rest) continue;
    const Path other = ChildOrSelf(mount.point, *rest);
    if (other != path && MountAt(other) == &mount) names.push_back({other, mount.point});
  }
  return names;
}

std::vector<MountTable::Part> MountTable::PartsElsewhere(const Path& directory) const {
  std::vector<Part> parts;
  const Inner inner = has_twins_ ? InnerOf(directory) : Inner{};
  if (inner.mount == nullptr) return parts;
  for (const Mount& mount : mounts_) {
    if (!mount.root || mount.device != inner.mount->device) continue;
    const auto rest = mount.root->Below(inner.path);
    if (!rest || rest->empty() || MountAt(mount.point) != &mount) continue;
    const Path here = directory.Child(*rest);
    if (MountAt(here) == inner.mount) parts.push_back({here, mount.point});
  }
  return parts;
}

std::string_view MountTable::TypeWithSpellings(const Path& path) const {
  for (const Mount& mount : mounts_) {
    const bool may_show = !mount.spellings_type.empty() && path.IsInside(mount.point);
    if (may_show && MountAt(path) == &mount) return mount.spellings_type;
  }
  return "";
}

std::vector<Path> MountTable::MountsBelow(const Path& directory) const {
  std::vector<Path> found;
  if (!has_twins_) return found;
  for (const Mount& mount : mounts_) {
    const bool is_below = mount.point != directory && mount.point.IsInside(directory);
    if (is_below && MountAt(mount.point) == &mount) found.push_back(mount.point);
  }
  return found;
}

Result<MountTable::Around> MountTable::FindAround(const Path& directory, const FileView& files) {
  const Result<std::string> text = MountLines(files);
  if (!text) return text.error();
  Around around;
  Path holder;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view line = TakeUntil(rest, '\n');
    Mount mount;
    if (!ReadLine(line, mount)) continue;
    if (directory.IsInside(mount.point) && mount.point.IsInside(holder)) {
      holder = mount.point;
      around.type = Unescaped(TypeIn(line));
    } else if (mount.point.IsInside(directory)) {
      around.below.push_back(mount.point);
    }
  }
  std::ranges::sort(around.below);
  around.below.erase(std::unique(around.below.begin(), around.below.end()), around.below.end());
  return around;
}

}  // namespace ringfence
