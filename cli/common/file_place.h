// Files that users name or edit: their names, and the place of one of them.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/folder_walk.h"
#include "base/path.h"
#include "base/result.h"

namespace ringfence {

// Returns the file to write for `path`: follows a link, so that the link itself stays.
Result<std::string> FollowedPath(const std::string& path);

// True if both names lead to the same file, which need not exist.
bool LeadToOneFile(const std::string& one, const std::string& other);

// The missing directories of a path, outermost first.
std::vector<std::string> MissingFolders(const std::string& path);

// Returns an error if the file or a directory of its path is a dangling link. The target may be on
// a disk that is not mounted, so it is neither created nor replaced.
Status RefuseDanglingLinks(const std::string& path);

// Mode and owner of a file. An owner or group of -1 is left as the system sets it.
struct FileOwnership {
  mode_t mode = 0644;
  uid_t owner = static_cast<uid_t>(-1);
  gid_t group = static_cast<gid_t>(-1);

  bool operator==(const FileOwnership&) const = default;
};
FileOwnership OwnershipOf(const struct stat& facts);

// The place of one file: its directory, opened once, and its name there. All operations use that
// descriptor, so a link that is later put into the path cannot redirect them.
class FilePlace {
 public:
  // Follows links. A dangling link is an error: its target may be on a disk that is not mounted.
  static Result<FilePlace> Find(const std::string& path);
  // The same for the directories of the path only: the name itself may be a link.
  static Result<FilePlace> FindName(const Path& path);
  // Refuses links in the directories of the path.
  static Result<FilePlace> FindPlain(const Path& path);

  const Path& path() const { return path_; }
  // The descriptor of the directory, or of the nearest ancestor that exists.
  int folder() const { return nearest_.fd.get(); }
  // The missing directories of the path, outermost first.
  std::vector<std::string> MissingFolders() const;
  Status MakeFolders(mode_t mode);

  // Facts about the file of this name, or nullopt. Does not follow a link.
  Result<std::optional<struct stat>> Facts() const;
  // Reads a regular file of any size; nullopt if it does not exist.
  Result<std::optional<std::string>> Read() const;

  // Writes the whole file or nothing: writes `bytes` to `temporary` in the same directory, gives it
  // the mode and owner of the file that it replaces, or else `if_new`, and renames it. The new file
  // has no extended attributes, and other hard links keep the old content. A link is an error, or
  // is itself replaced.
  enum class OldLink : uint8_t { kRefuse, kReplace };
  Status Replace(const std::string& temporary, const std::string& bytes,
                 const FileOwnership& if_new, OldLink link = OldLink::kRefuse) const;
  // Creates the directory of this name, or gives an existing one this mode and owner.
  Status MakeFolder(const FileOwnership& wanted) const;
  // Both succeed if the name does not exist. RemoveEmptyFolder() ignores other errors too, because
  // the directory can be in use.
  Status Remove() const;
  void RemoveEmptyFolder() const;

 private:
  FilePlace(Path path, NearestFolder nearest)
      : path_(std::move(path)), name_(path_.name()), nearest_(std::move(nearest)) {}
  bool has_folder() const { return nearest_.missing.empty(); }
  // Makes sure that changes in the directory survive a power failure.
  Status Sync() const;

  Path path_;
  std::string name_;
  NearestFolder nearest_;
};

// A unique name for FilePlace::Replace(), which begins with the prefix.
inline constexpr std::string_view kTemporaryPrefix = ".ringfence-";
std::string TemporaryName();

// Writes a file that the user named, in an existing directory: the whole file or nothing. Keeps the
// mode and owner of the file that it replaces; of the mode of a new file, the umask takes its part.
// A symbolic link is replaced itself: in a directory that an agent may write, it could lead to any
// file of the user's.
Status WriteWhole(const std::string& path, const std::string& bytes, mode_t mode_if_new = 0644);

}  // namespace ringfence
