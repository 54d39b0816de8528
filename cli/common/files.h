// Files that a person relies on: read whole, written whole or not at all.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ringfence {

// The bytes of a regular file, or nothing when there is none.
Result<std::optional<std::string>> ReadIfThere(const std::string& path);

// Where writing `path` would end: a link to a file is followed, so that the link itself stays.
Result<std::string> FollowedPath(const std::string& path);

// Both names lead to one file, whether it exists or not.
bool LeadToOneFile(const std::string& one, const std::string& other);

// The folders on the way to a file that are not there, outermost first.
std::vector<std::string> MissingFolders(const std::string& path);

// Writes a file that a person named, whatever is in it: whole or not at all, in a folder that is
// there, keeping the mode and owner of the file that it takes the place of. A link is followed.
Status WriteWhole(const std::string& path, const std::string& bytes, mode_t mode_if_new = 0644);

struct NewFileModes {
  mode_t file = 0644;
  mode_t folders = 0755;
};

// Several files that are written together: until Commit() everything is put back by the destructor.
class Transaction {
 public:
  Transaction() = default;
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // Through a temporary file beside it, keeping mode and owner of an existing file; folders that
  // are missing are made. `expected` is what the caller read: a file that changed meanwhile is left
  // alone.
  Status Write(const std::string& path, const std::optional<std::string>& expected,
               const std::string& bytes, NewFileModes modes);
  // Removes the file.
  Status Remove(const std::string& path, const std::optional<std::string>& expected);
  void Commit() { done_.clear(); }

 private:
  struct Done {
    std::string path;
    std::optional<std::string> before;
    mode_t mode = 0600;  // of a file that was removed
    std::vector<std::string> folders;
  };

  std::vector<Done> done_;
};

}  // namespace ringfence
