// MemoryFiles is a FileView in memory: a fixture lists its files, so that a decision needs no disk.
// It follows links as lstat(2) does, with code independent of Walk(), so that one can be checked
// against the other.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/files/file_view.h"

namespace ringfence {

struct MemoryNode {
  FileFacts facts;
  std::string target;          // of a link
  std::string text;            // of a file
  bool is_unreadable = false;  // a directory that can be neither listed nor searched

  // Hard links have equal inodes: set Links(2) too.
  MemoryNode Inode(uint64_t inode) && { return With(facts.inode, inode); }
  MemoryNode Links(uint64_t links) && { return With(facts.links, links); }
  MemoryNode Owner(uint32_t user) && { return With(facts.owner, user); }
  MemoryNode Mode(uint32_t mode) && { return With(facts.mode, mode); }
  MemoryNode Device(uint64_t device) && { return With(facts.device, device); }

 private:
  template <typename Fact>
  MemoryNode With(Fact& fact, Fact value) {
    fact = value;
    return std::move(*this);
  }
};

MemoryNode File(std::string text = "");
MemoryNode Directory();
MemoryNode UnreadableDirectory();
MemoryNode LinkTo(std::string target);
MemoryNode Special(FileKind kind);

enum class LetterCase { kCounts, kIgnored };

class MemoryFiles final : public FileView {
 public:
  struct Entry {
    std::string path;  // absolute, without ".."
    MemoryNode node;
  };

  // Creates missing parent directories of the entries. An entry without an inode gets a unique one.
  MemoryFiles(std::initializer_list<Entry> entries, LetterCase letter_case = LetterCase::kCounts);
  explicit MemoryFiles(const std::vector<Entry>& entries,
                       LetterCase letter_case = LetterCase::kCounts);

  void Put(const std::string& path, MemoryNode node);
  void Remove(const std::string& path);  // and everything below it

  Result<FileFacts> Look(const Path& path) const override;
  Result<std::string> ReadLink(const Path& path) const override;
  Result<std::string> ReadText(const Path& file, size_t most) const override;
  Result<std::string> ReadStart(const Path& file, size_t most) const override;
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override;

 private:
  struct Stored {
    std::string name;  // in its original letter case
    MemoryNode node;
  };

  std::string Key(std::string_view path) const;
  // Returns the entry at `path`, without following a link in the last component; nullptr if there
  // is none.
  Result<const Stored*> Find(const Path& path) const;

  // The key of an entry, or nullopt. `Step::at` is the key of the current directory, "" for the
  // root.
  using Found = std::optional<std::string>;
  struct Step {
    std::string at;
    std::string_view rest;
  };
  Result<Found> Follow(Step step, bool follow_last, int* links) const;
  // Advances by one component and follows its links; false if it does not exist.
  Result<bool> Enter(Step& step, std::string_view name, bool follow_last, int* links) const;

  LetterCase letter_case_;
  uint64_t next_inode_ = 1000;
  std::map<std::string, Stored> nodes_;  // by Key() of the path
};

}  // namespace ringfence
