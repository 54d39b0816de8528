// The journal of a change to several files: enough to put each back, written before it is touched.
// It is ~/.local/state/ringfence/journal, mode 0600. No policy lets an agent write there
// (policy/rules/protected.cc), so what it says was written by a command of the same user; a journal
// that is damaged, or that another user owns or can write, is an error and never applied.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "cli/common/file_place.h"

namespace ringfence {

// One file that is written or removed, or one empty folder that is removed.
struct FileChange {
  std::string path;  // without links
  bool is_folder = false;
  std::optional<std::string> before;  // the bytes of the file; nullopt: it did not exist
  FileOwnership ownership;            // before
  std::string temporary;              // the file beside it that replaces it
  std::vector<std::string> folders;   // created for it, outermost first
  std::vector<std::string> ours;      // the digests of what the command wrote, "" where it removed

  bool operator==(const FileChange&) const = default;
};

std::string RenderJournal(const std::vector<FileChange>& changes);
// `name` is the journal's, for errors.
Result<std::vector<FileChange>> ParseJournal(std::string_view text, const std::string& name);

// The journal of one home, locked: two commands that change files wait for each other.
class ChangeJournal {
 public:
  // True if a command is changing files, or was killed while it did.
  static bool IsThere(const std::string& home);
  // Waits up to ten seconds for the other command. Makes the folder of the journal.
  static Result<ChangeJournal> Lock(const std::string& home);
  ~ChangeJournal();
  ChangeJournal(ChangeJournal&&) = default;
  ChangeJournal& operator=(ChangeJournal&&) = delete;
  ChangeJournal(const ChangeJournal&) = delete;
  ChangeJournal& operator=(const ChangeJournal&) = delete;

  const std::string& path() const { return place_.path().text(); }
  // Of the command that was killed; none where the last one came to its end.
  Result<std::vector<FileChange>> Read() const;
  // On return it survives a power failure, and so does its end.
  Status Write(const std::vector<FileChange>& changes) const;
  Status Remove() const;

 private:
  ChangeJournal(FilePlace place, UniqueFd lock)
      : place_(std::move(place)), lock_(std::move(lock)) {}

  FilePlace place_;
  UniqueFd lock_;
};

}  // namespace ringfence
