#include "staging/moves.h"

#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "files/beneath.h"

namespace ringfence {
namespace {

constexpr uint64_t kMaxRead = uint64_t{16} << 20;

class MoveFinder {
 public:
  MoveFinder(ChangeList& changes, const ReadBytes& removed, const ReadBytes& created)
      : changes_(changes), read_removed_(removed), read_created_(created) {}

  void Find() {
    const Sizes removed = SizesOf(&Change::before);
    const Sizes created = SizesOf(&Change::after);
    for (const auto& [size, indexes] : removed) {
      const auto same = created.find(size);
      if (same != created.end()) Pair(indexes, same->second);
    }
    for (size_t i = 0; i < changes_.size(); ++i) {
      if (changes_[i].is_removed()) removed_[changes_[i].path] = i;
    }
    for (size_t i = 0; i < changes_.size(); ++i) FindFolder(i);
  }

 private:
  using Indexes = std::vector<size_t>;
  using Sizes = std::map<uint64_t, Indexes>;

  // The files that exist only before, or only after, by their size. Empty files are all the same.
  Sizes SizesOf(Entry Change::*side) const {
    Sizes sizes;
    for (size_t i = 0; i < changes_.size(); ++i) {
      const Change& change = changes_[i];
      const bool is_one_sided = change.is_added() || change.is_removed();
      const Entry& entry = change.*side;
      if (!is_one_sided || !entry.is_file() || entry.size == 0 || entry.size > kMaxRead) continue;
      sizes[entry.size].push_back(i);
    }
    return sizes;
  }

  std::map<std::string, Indexes> DigestsOf(const Indexes& indexes, const ReadBytes& read) const {
    std::map<std::string, Indexes> digests;
    for (const size_t i : indexes) {
      const Result<std::string> bytes = read(changes_[i].path);
      if (bytes) digests[Sha256Hex(*bytes)].push_back(i);
    }
    return digests;
  }

  // With several files of the same content, the only one of the same name counts.
  void Pair(const Indexes& removed, const Indexes& created) {
    const auto from = DigestsOf(removed, read_removed_);
    const auto to = DigestsOf(created, read_created_);
    for (const auto& [digest, sources] : from) {
      const auto targets = to.find(digest);
      if (targets == to.end()) continue;
      const bool is_one = sources.size() == 1 && targets->second.size() == 1;
      const Names names = NamesOf(sources);
      for (const size_t target : targets->second) {
        const size_t source = is_one ? sources.front() : SourceOf(target, names);
        if (source != kNone && used_.insert(source).second) Move(target, source);
      }
    }
  }

  void Move(size_t target, size_t source) {
    changes_[target].moved_from = changes_[source].path;
    changes_[target].moved = changes_[source].before;
  }

  // By the last part of the path; kNone where several have it.
  using Names = std::map<std::string_view, size_t>;

  Names NamesOf(const Indexes& indexes) const {
    Names names;
    for (const size_t i : indexes) {
      const auto [named, is_first] = names.emplace(NameOf(changes_[i].path), i);
      if (!is_first) named->second = kNone;
    }
    return names;
  }

  size_t SourceOf(size_t target, const Names& sources) const {
    const auto found = sources.find(NameOf(changes_[target].path));
    return found == sources.end() ? kNone : found->second;
  }

  // A new directory was moved if everything in it was in another directory that is gone, and
  // nothing else was.
  void FindFolder(size_t i) {
    Change& folder = changes_[i];
    if (!folder.is_added() || !folder.after.is_directory()) return;
    const std::string start = folder.path + "/";
    size_t end = i + 1;
    std::string from;
    for (; end < changes_.size() && changes_[end].path.starts_with(start); ++end) {
      const std::string& source = changes_[end].moved_from;
      const std::string below = "/" + changes_[end].path.substr(start.size());
      if (!from.empty() || !source.ends_with(below)) continue;
      from = source.substr(0, source.size() - below.size());
    }
    if (from.empty() || !WasRemovedWith(from, end - i - 1)) return;
    for (size_t at = i + 1; at < end; ++at) {
      if (!IsCopyOf(changes_[at], from + "/" + changes_[at].path.substr(start.size()))) return;
    }
    Move(i, removed_.find(from)->second);
    for (size_t at = i + 1; at < end; ++at) {
      Move(at, removed_.find(from + "/" + changes_[at].path.substr(start.size()))->second);
    }
  }

  // True if the directory was removed with this number of names in it.
  bool WasRemovedWith(const std::string& folder, size_t names) const {
    const auto first = removed_.find(folder);
    if (first == removed_.end()) return false;
    constexpr const char* kAfterSlash = "0";
    const auto begin = removed_.lower_bound(folder + "/");
    const auto end = removed_.lower_bound(folder + kAfterSlash);
    return static_cast<size_t>(std::distance(begin, end)) == names;
  }

  bool IsCopyOf(const Change& change, const std::string& source) const {
    if (change.is_too_deep) return false;
    if (!change.moved_from.empty()) return change.moved_from == source;
    const auto removed = removed_.find(source);
    if (removed == removed_.end()) return false;
    const Entry& before = changes_[removed->second].before;
    return before.kind == change.after.kind && before.target == change.after.target &&
           (!before.is_file() || (before.size == 0 && change.after.size == 0));
  }

  static constexpr size_t kNone = SIZE_MAX;

  ChangeList& changes_;
  const ReadBytes& read_removed_;
  const ReadBytes& read_created_;
  std::map<std::string, size_t> removed_;  // the names that exist no more
  std::set<size_t> used_;
};

}  // namespace

void FindMoves(ChangeList& changes, const ReadBytes& removed, const ReadBytes& created) {
  MoveFinder(changes, removed, created).Find();
}

}  // namespace ringfence
