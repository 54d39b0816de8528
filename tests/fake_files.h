// FakeFiles is a FileView in memory: a test says which files there are and sees what a decision
// makes of them. It follows links on the way to a name as lstat(2) does, with code of its own, so
// that it can also be held against Walk().
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/file_view.h"

namespace ringfence {

struct FakeNode {
  FileFacts facts;
  std::string target;          // of a link
  bool is_unreadable = false;  // a directory that may be neither listed nor searched

  FakeNode Inode(uint64_t inode) &&;  // two names with one inode are hard links: say Links(2) too
  FakeNode Links(uint64_t links) &&;
  FakeNode Owner(uint32_t user) &&;
  FakeNode Mode(uint32_t mode) &&;
  FakeNode Device(uint64_t device) &&;
};

FakeNode File();
FakeNode Directory();
FakeNode UnreadableDirectory();
FakeNode LinkTo(std::string target);
FakeNode Special(FileKind kind);

enum class LetterCase { kCounts, kIgnored };

class FakeFiles final : public FileView {
 public:
  struct Entry {
    std::string path;  // absolute, without ".."
    FakeNode node;
  };

  // The directories on the way to an entry are there without being named. An inode that nobody set
  // is one of its own.
  FakeFiles(std::initializer_list<Entry> entries, LetterCase letter_case = LetterCase::kCounts);
  explicit FakeFiles(const std::vector<Entry>& entries,
                     LetterCase letter_case = LetterCase::kCounts);

  void Put(const std::string& path, FakeNode node);
  void Remove(const std::string& path);  // and everything below it

  Result<FileFacts> Look(const Path& path) const override;
  Result<std::string> ReadLink(const Path& path) const override;
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override;

 private:
  struct Stored {
    std::string name;  // as it was written
    FakeNode node;
  };

  std::string Key(std::string_view path) const;
  // The entry that a name leads to without following its last component; nullptr: there is none.
  Result<const Stored*> Find(const Path& path) const;

  // The key of what a text leads to, or nothing. `at` is the directory's key, "" for the root.
  using Found = std::optional<std::string>;
  struct Step {
    std::string at;
    std::string_view rest;
  };
  Result<Found> Follow(Step step, bool follow_last, int* links) const;

  LetterCase letter_case_;
  uint64_t next_inode_ = 1000;
  std::map<std::string, Stored> nodes_;  // by Key() of the path
};

// Passes everything on and keeps what was asked for, to prove what a decision never touches.
class RecordingFiles final : public FileView {
 public:
  explicit RecordingFiles(const FileView& files) : files_(files) {}

  // Every path that was looked at, read or listed, in order.
  const std::vector<std::string>& touched() const { return touched_; }
  bool HasTouchedBelow(std::string_view folder) const;

  Result<FileFacts> Look(const Path& path) const override;
  Result<std::string> ReadLink(const Path& path) const override;
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override;

 private:
  const FileView& files_;
  mutable std::vector<std::string> touched_;
};

}  // namespace ringfence
