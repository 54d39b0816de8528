// Changes several files together: all of them, or none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/not_copied.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "cli/common/file_place.h"

namespace ringfence {

// One file that is written or removed, or one empty directory that is removed.
struct FileChange {
  std::string path;  // with links resolved
  bool is_folder = false;
  std::optional<std::string> before;  // the bytes of the file; nullopt: it did not exist
  FileOwnership ownership;            // before the change
  std::string temporary;              // name of the file in the same directory that replaces it
  std::vector<std::string> folders;   // directories created for it, outermost first
  std::vector<std::string> ours;      // digests of what the command wrote; "" for a removal

  bool operator==(const FileChange&) const = default;
};

std::string RenderJournal(const std::vector<FileChange>& changes);
// `name` is the journal's name in errors.
Result<std::vector<FileChange>> ParseJournal(std::string_view text, const std::string& name);

// The locked journal of one home: commands that change files wait for each other. It has all that
// is needed to restore each file, written before the file is touched. It is
// ~/.local/state/ringfence/journal, mode 0600. No policy lets an agent write there
// (policy/rules/protected.cc), so a command of the same user wrote its contents. A journal that is
// damaged, or that another user owns or can write, is an error and is never applied.
class ChangeJournal {
 public:
  // True if a command is changing files, or was killed while changing them.
  static bool IsThere(const std::string& home);
  // Waits up to ten seconds for another command. Creates the directory of the journal.
  static Result<ChangeJournal> Lock(const std::string& home);
  ~ChangeJournal();
  ChangeJournal(ChangeJournal&&) = default;
  ChangeJournal& operator=(ChangeJournal&&) = delete;
  ChangeJournal(const ChangeJournal&) = delete;
  ChangeJournal& operator=(const ChangeJournal&) = delete;

  const std::string& path() const { return place_.path().text(); }
  // Returns the changes of a command that was killed; empty if the last command finished.
  Result<std::vector<FileChange>> Read() const;
  // On return, the new or removed journal survives a power failure.
  Status Write(const std::vector<FileChange>& changes) const;
  Status Remove() const;

 private:
  ChangeJournal(FilePlace place, UniqueFd lock)
      : place_(std::move(place)), lock_(std::move(lock)) {}

  FilePlace place_;
  UniqueFd lock_;
};

struct NewFileModes {
  mode_t file = 0644;
  mode_t folders = 0755;
};

// Makes each change immediately; until Commit(), the destructor undoes all of them. With Open(),
// that also holds for a command that is killed: the next command undoes its changes with the
// journal. Without Open(), each file is still replaced as a whole.
class FileTransaction : NotCopied {
 public:
  ~FileTransaction();

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
