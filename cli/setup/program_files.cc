#include "cli/setup/program_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/folder_walk.h"
#include "base/program.h"
#include "base/sha256.h"
#include "base/syscall.h"
#include "base/text.h"
#include "files/beneath.h"

namespace ringfence {
namespace {

constexpr size_t kMaxFileList = size_t{1} << 20;
constexpr size_t kMaxProgramFile = size_t{64} << 20;
constexpr size_t kDigits = 64;
constexpr std::string_view kAfterDigest = "  ";

bool IsListable(std::string_view path) {
  // Path::Clean() would change every path that is not plain.
  if (path.empty() || path.size() > kMaxPathBytes / 2 || path == kFileList) return false;
  const bool has_control = std::ranges::any_of(
      path, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  return !has_control && Path::Clean("/" + std::string(path)).text().substr(1) == path;
}

std::optional<ListedFile> ParseLine(std::string_view line) {
  const size_t start = kDigits + kAfterDigest.size();
  if (line.size() <= start || line.substr(kDigits, kAfterDigest.size()) != kAfterDigest) return {};
  const std::string_view digest = line.substr(0, kDigits);
  const std::string_view path = line.substr(start);
  if (!IsLowerHex(digest, kDigits) || !IsListable(path)) return {};
  return ListedFile{std::string(path), std::string(digest)};
}

// True if a file is listed twice, or has another one below it.
bool Overlap(const std::vector<ListedFile>& files) {
  const auto has = [&files](std::string_view path) {
    const auto at = std::ranges::lower_bound(files, path, {}, &ListedFile::path);
    return at != files.end() && at->path == path;
  };
  const auto is_same = [](const auto& one, const auto& other) { return one.path == other.path; };
  if (std::ranges::adjacent_find(files, is_same) != files.end()) return true;
  return std::ranges::any_of(files, [&has](const ListedFile& file) {
    for (std::string_view folder = FolderOf(file.path); !folder.empty(); folder = FolderOf(folder))
      if (has(folder)) return true;
    return false;
  });
}

Error ThroughLink(const ProgramTree& tree, const std::string& path) {
  return ConfigError(tree.prefix.Child(path).text(),
                     "this file or a directory of its path is a symbolic link",
                     "remove the link, or name another directory: --prefix DIR");
}

// Returns an invalid descriptor if the file does not exist.
Result<UniqueFd> OpenListed(const ProgramTree& tree, const std::string& path) {
  Result<UniqueFd> file =
      OpenBeneath(tree.root, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  const bool is_missing = !file && (file.error().code == ENOENT || file.error().code == ENOTDIR);
  if (is_missing) return UniqueFd();
  if (!file && file.error().code == ELOOP) return ThroughLink(tree, path);
  if (!file) return file.error();
  struct stat facts {};
  if (::fstat(file->get(), &facts) != 0) return SystemError("fstat(" + path + ")");
  if (!S_ISREG(facts.st_mode))
    return ConfigError(tree.prefix.Child(path).text(), "is not a regular file");
  return file;
}

// The command that removes a package, by the database that exists.
std::string PackageCommands() {
  if (::access("/var/lib/dpkg/info/ringfence.list", F_OK) == 0) return "apt remove ringfence";
  const bool has_dpkg = ::access("/var/lib/dpkg/status", F_OK) == 0;
  const bool has_rpm =
      ::access("/usr/lib/sysimage/rpm", F_OK) == 0 || ::access("/var/lib/rpm", F_OK) == 0;
  if (has_rpm && !has_dpkg) return "dnf remove ringfence";
  return "apt remove ringfence or dnf remove ringfence";
}

Error WithoutList(const Path& prefix) {
  if (prefix.text() == "/usr") {
    return ConfigError(prefix.text(), "a package manager installed ringfence here",
                       "to remove it: " + PackageCommands());
  }
  return ConfigError(prefix.Child(kFileList).text(),
                     "does not exist, so the files of this installation are not known",
                     "if a package manager installed ringfence, remove it with " +
                         PackageCommands() + "; else install it again first");
}

}  // namespace

Result<std::vector<ListedFile>> ParseFileList(std::string_view text, const std::string& name) {
  std::vector<ListedFile> files;
  size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    ++number;
    const bool is_whole = rest.find('\n') != std::string_view::npos;
    std::optional<ListedFile> file = ParseLine(TakeUntil(rest, '\n'));
    if (!file || !is_whole) {
      return ConfigError(name + ":" + std::to_string(number),
                         "is not a digest with a path below the prefix",
                         "the list is damaged: install ringfence again");
    }
    files.push_back(std::move(*file));
  }
  std::ranges::sort(files, {}, &ListedFile::path);
  if (!files.empty() && !Overlap(files)) return files;
  return ConfigError(name, files.empty() ? "names no files" : "names a file twice",
                     "the list is damaged: install ringfence again");
}

bool IsNpms(const std::string& path) { return path.find("/node_modules/") != std::string::npos; }

const ListedFile* ProgramTree::Find(const std::string& path) const {
  const auto at = std::ranges::lower_bound(files, path, {}, &ListedFile::path);
  return at != files.end() && at->path == path ? &*at : nullptr;
}

Status ReadFileList(ProgramTree& tree) {
  const Result<UniqueFd> file = OpenListed(tree, kFileList);
  if (!file) return file.error();
  if (!file->valid()) return Unit{};
  const std::string name = tree.prefix.Child(kFileList).text();
  if (Status s = ReadAll(file->get(), kMaxFileList, name).MoveTo(tree.list); !s) return s;
  return ParseFileList(tree.list, name).MoveTo(tree.files);
}

Result<ProgramTree> OwnTree() {
  const Result<std::string> program = OwnProgramReal();
  if (!program) return program.error();
  const Path path = Path::Clean(*program);
  if (program->empty() || path.Parent().name() != "bin") {
    return ConfigError(program->empty() ? "/proc/self/exe" : *program,
                       "is not in the directory bin of an installation",
                       "install it first: ./install.sh");
  }
  ProgramTree tree{.prefix = path.Parent().Parent()};
  const Result<UniqueFd> prefix = OpenPlainFolder(tree.prefix);
  if (!prefix) return prefix.error();
  if (Status s = OpenBeneath(*prefix, ".", O_RDONLY | O_DIRECTORY).MoveTo(tree.root); !s) {
    return s.error();
  }
  if (Status s = ReadFileList(tree); !s) return s.error();
  if (tree.list.empty()) return WithoutList(tree.prefix);
  const std::string own = "bin/" + std::string(path.name());
  if (tree.Find(own) != nullptr) return tree;
  return ConfigError(tree.prefix.Child(kFileList).text(), "does not name " + Quote(own),
                     "the list is damaged: install ringfence again");
}

Result<std::string> ReadListed(const ProgramTree& tree, const ListedFile& file) {
  const std::string name = tree.prefix.Child(file.path).text();
  const Result<UniqueFd> opened = OpenListed(tree, file.path);
  if (!opened) return opened.error();
  if (!opened->valid()) {
    return ConfigError(name, "does not exist", "the installation is damaged: install it again");
  }
  Result<std::string> bytes = ReadAll(opened->get(), kMaxProgramFile, name);
  if (!bytes || Sha256Hex(*bytes) == file.digest) return bytes;
  return ConfigError(name, "is not the file that " + std::string(kFileList) + " names",
                     "it is damaged or was changed: install ringfence again");
}

Result<Entry> EntryBelow(const ProgramTree& tree, const std::string& path) {
  const Result<UniqueFd> folder = OpenFolderOf(tree.root, path);
  if (folder) return LookAt(folder->get(), std::string(NameOf(path)), path);
  if (folder.error().code == ELOOP) return ThroughLink(tree, path);
  return IsMissing(folder.error()) ? Result<Entry>(Entry{}) : folder.error();
}

bool HasBytes(const ProgramTree& tree, const Entry& entry, const std::string& path,
              std::string_view bytes) {
  if (!entry.is_file() || entry.size != bytes.size()) return false;
  const Result<UniqueFd> file = OpenListed(tree, path);
  if (!file || !file->valid()) return false;
  const Result<std::string> now = ReadAll(file->get(), kMaxProgramFile, path, bytes.size());
  return now && *now == bytes;
}

bool HasDigest(const ProgramTree& tree, const Entry& entry, const ListedFile& file) {
  if (!entry.is_file() || entry.size > kMaxProgramFile) return false;
  const Result<UniqueFd> folder = OpenFolderOf(tree.root, file.path);
  return folder && DigestOf(*folder, std::string(NameOf(file.path))) == file.digest;
}

}  // namespace ringfence
