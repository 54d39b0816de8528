// MountTable: under which other names a directory is seen, by /proc/self/mountinfo. A bind mount
// shows a directory a second time, and neither links nor names tell. Two file systems that show the
// same files (an overlay and what lies below it, a share that is mounted twice) are two here.
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
  // Nothing has another name.
  MountTable() = default;

  // The text of proc_pid_mountinfo(5). What is not understood of it is left out.
  static MountTable Parse(std::string_view text);

  // That of this process. Empty where no /proc is mounted; an error where the file is too large or
  // cannot be read.
  static Result<MountTable> Read(const FileView& files);

  // Two mounts show the same directory. Where none do, nothing has another name.
  bool has_twins() const { return has_twins_; }

  // A path that leads to the same file or directory, and where the mount that shows it there is.
  struct Name {
    Path path;
    Path mount;

    bool operator==(const Name&) const = default;
  };
  // The other names of `path`, which has no links.
  std::vector<Name> OtherNames(const Path& path) const;

  // A directory or file below a directory, and where a mount shows it elsewhere.
  struct Part {
    Path here;
    Path elsewhere;

    bool operator==(const Part&) const = default;
  };
  std::vector<Part> PartsElsewhere(const Path& directory) const;

  // The type of the file system that shows `path`, if it may accept several spellings of a name
  // while the kernel keeps an entry for each, so that a mount over one leaves the others. Else "".
  std::string_view TypeWithSpellings(const Path& path) const;

  // Where mounts are, below `directory` and not hidden by others.
  std::vector<Path> MountsBelow(const Path& directory) const;

  bool operator==(const MountTable&) const = default;

 private:
  struct Mount {
    std::string id;
    std::string parent;
    std::string device;
    std::optional<Path> root;  // of the mount in its file system; none: no directory tree
    Path point;
    std::string spellings_type;  // of the file system, or "": TypeWithSpellings()

    bool operator==(const Mount&) const = default;
  };
  static bool ReadLine(std::string_view line, Mount& mount);
  void FindParents();
  const Mount* MountAt(const Path& path) const;
  // The mount that shows `path`, and what the file system itself calls that.
  struct Inner {
    const Mount* mount = nullptr;
    Path path;
  };
  Inner InnerOf(const Path& path) const;

  std::vector<Mount> mounts_;
  std::vector<size_t> parents_;  // of each mount, its place in mounts_; its own where it has none
  bool has_twins_ = false;
};

}  // namespace ringfence
