// MountTable: the other names of a directory, from /proc/self/mountinfo. A bind mount shows a
// directory a second time, which neither links nor names reveal. Two file systems that show the
// same files (an overlay and its lower layer, a share that is mounted twice) count as different.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "policy/files/file_view.h"

namespace ringfence {

class MountTable {
 public:
  // An empty table: no path has another name.
  MountTable() = default;

  // Parses the text of proc_pid_mountinfo(5). Skips lines that it does not understand.
  static MountTable Parse(std::string_view text);

  // Reads the table of this process. It is empty if /proc is not mounted; an error if the file is
  // too large or cannot be read.
  static Result<MountTable> Read(const FileView& files);

  // True if two mounts show the same directory. Otherwise no path has another name.
  bool has_twins() const { return has_twins_; }

  // A path that leads to the same file or directory, and the mount point that provides it.
  struct Name {
    Path path;
    Path mount;

    bool operator==(const Name&) const = default;
  };
  // Returns the other names of `path`, which contains no links.
  std::vector<Name> OtherNames(const Path& path) const;

  // A file or directory below a directory, and the other place where a mount shows it.
  struct Part {
    Path here;
    Path elsewhere;

    bool operator==(const Part&) const = default;
  };
  std::vector<Part> PartsElsewhere(const Path& directory) const;

  // Returns the type of the file system that contains `path`, if it may accept several spellings of
  // a name while the kernel keeps an entry for each: a mount over one does not cover the others.
  // Otherwise returns "".
  std::string_view TypeWithSpellings(const Path& path) const;

  // Returns the mount points below `directory` that no other mount hides.
  std::vector<Path> MountsBelow(const Path& directory) const;

  // What is mounted at a directory and below it; known even if no path has another name. Without
  // /proc, nothing.
  struct Around {
    std::string type;         // of the file system that contains the directory; "" if unknown
    std::vector<Path> below;  // mount points, sorted
  };
  static Result<Around> FindAround(const Path& directory, const FileView& files);

  bool operator==(const MountTable&) const = default;

 private:
  struct Mount {
    std::string id;
    std::string parent;
    std::string device;
    std::optional<Path> root;  // mounted directory in its file system; absent if none
    Path point;
    std::string spellings_type;  // file system type for TypeWithSpellings(), or ""

    bool operator==(const Mount&) const = default;
  };
  static bool ReadLine(std::string_view line, Mount& mount);
  void FindParents();
  const Mount* MountAt(const Path& path) const;
  // The mount that contains `path`, and the path within its file system.
  struct Inner {
    const Mount* mount = nullptr;
    Path path;
  };
  Inner InnerOf(const Path& path) const;

  std::vector<Mount> mounts_;
  std::vector<size_t> parents_;  // per mount, its parent's index in mounts_; its own if none
  bool has_twins_ = false;
};

}  // namespace ringfence
