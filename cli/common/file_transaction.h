// Changes several files together: all of them, or none.
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

// Makes each change immediately; until Commit(), the destructor undoes all of them. With Open(),
// that also holds for a command that is killed: the next command undoes its changes with the
// journal. Without Open(), each file is still replaced as a whole.
class FileTransaction {
 public:
  FileTransaction() = default;
  ~FileTransaction();
  FileTransaction(const FileTransaction&) = delete;
  FileTransaction& operator=(const FileTransaction&) = delete;

  // Keeps a journal in the state directory of `home`, and undoes the changes of a command that was
  // killed: call it before reading the files. If one of these was changed since, returns an error
  // and undoes nothing.
  Status Open(const std::string& home);

  // Keeps the mode and owner of an existing file, follows links, and creates missing directories.
  // `expected` is what the caller read: a file that has changed since is an error and stays as it
  // is.
  Status Write(const std::string& path, const std::optional<std::string>& expected,
               const std::string& bytes, NewFileModes modes);
  // Removes the file; `expected` as for Write().
  Status Remove(const std::string& path, const std::optional<std::string>& expected);
  // Removes the directory if it is empty.
  Status RemoveEmptyFolder(const std::string& path);

  // On an error, the destructor still undoes the changes.
  Status Commit();

 private:
  Status Lock();
  // Returns the existing change of the file, or a new one.
  Result<FileChange*> ChangeAt(const FilePlace& place, const std::optional<std::string>& before);
  // Writes all changes to the journal, before the file of `change` is touched.
  Status Keep(const FileChange& change) const;

  std::string home_;  // "" without a journal
  std::optional<ChangeJournal> journal_;
  std::vector<FileChange> changes_;
};

}  // namespace ringfence
