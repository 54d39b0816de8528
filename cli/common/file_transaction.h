// Several files that are changed together: all of them, or none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/common/change_journal.h"
#include "cli/common/file_place.h"

namespace ringfence {

struct NewFileModes {
  mode_t file = 0644;
  mode_t folders = 0755;
};

// Each change is made at once; until Commit() the destructor takes all of them back. With Open()
// that also holds for a command that is killed: the next one takes its changes back from the
// journal. Without it each file is still replaced as a whole.
class FileTransaction {
 public:
  FileTransaction() = default;
  ~FileTransaction();
  FileTransaction(const FileTransaction&) = delete;
  FileTransaction& operator=(const FileTransaction&) = delete;

  // Keeps a journal in the state of `home`, and takes back what a command that was killed had
  // changed: call it before the files are read. A file that was changed since is an error, and then
  // nothing is taken back.
  Status Open(const std::string& home);

  // Keeps mode and owner of an existing file, follows links, and makes missing folders. `expected`
  // is what the caller read: a file that changed meanwhile is left alone.
  Status Write(const std::string& path, const std::optional<std::string>& expected,
               const std::string& bytes, NewFileModes modes);
  // Removes the file.
  Status Remove(const std::string& path, const std::optional<std::string>& expected);
  // Removes the folder if it is empty.
  Status RemoveEmptyFolder(const std::string& path);

  // On an error the changes are still taken back.
  Status Commit();

 private:
  Status Lock();
  // The change of the file so far, or a new one.
  Result<FileChange*> ChangeAt(const FilePlace& place, const std::optional<std::string>& before);
  // Puts it in the journal, before its file is touched.
  Status Keep(const FileChange& change) const;

  std::string home_;  // "" without a journal
  std::optional<ChangeJournal> journal_;
  std::vector<FileChange> changes_;
};

}  // namespace ringfence
