// KnownFolders: which directories a project had under their names when a stage first changed
// something in them. If the user has moved another directory there since, its files can be older
// than the stage and still not be the ones that the stage has seen. Files whose texts are kept are
// noted, too, with their permissions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "staging/store/stage_store.h"

namespace ringfence {

class KnownFolders {
 public:
  // Reads what was noted. `stage` must outlive the result.
  static Result<KnownFolders> Of(const StageFolder& stage);

  // The inode number of the directory; nothing if it is not known. "" is the project.
  std::optional<uint64_t> InodeOf(std::string_view path) const;

  // The permissions that the directory or file had then; nothing if they are not known.
  std::optional<uint32_t> ModeOf(std::string_view path) const;

  // AttributesDigest() of the directory then; nothing if it is not known.
  std::optional<std::string> AttributesOf(std::string_view path) const;

  struct Facts {
    uint32_t mode = 0;
    std::string attributes;  // AttributesDigest() of a directory; the copy of a file has its own
  };
  // The first note of a path counts.
  void Note(std::string_view path, uint64_t inode, const std::optional<Facts>& facts = {});
  // Writes what was noted since. Another process can do the same.
  Status Save();

 private:
  explicit KnownFolders(const StageFolder& stage) : stage_(&stage) {}
  void Parse(std::string_view text);

  struct Known {
    uint64_t inode = 0;
    std::optional<Facts> facts;
  };

  const StageFolder* stage_;
  std::map<std::string, Known, std::less<>> known_;
  std::string unsaved_;  // records
};

}  // namespace ringfence
