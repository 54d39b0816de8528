// Anchors: digests of log lines, sent to the system log when the lines were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ringfence {

struct Anchor {
  std::string time;  // of its line
  uint64_t end = 0;  // offset in its file where the line ended, at least
  bool is_met = false;
  size_t source = 0;  // number of the last source that has it
};

class Anchors {
 public:
  // `named` is the log's name in its anchors.
  explicit Anchors(std::string named) : named_(std::move(named)) {}
  Anchors(Anchors&&) = default;

  // Anchors taken from here on are from another system log, in the order in which it received them.
  void BeginSource() { sources_.emplace_back(); }

  // Takes the anchor in a line of a system log, whatever precedes it. Returns false if the line has
  // none, or one of another log.
  bool Take(std::string_view text);

  // Marks the anchor with this digest as met and returns it; nullptr if there is none.
  const Anchor* Meet(const std::string& digest);

  size_t size() const { return anchors_.size(); }
  size_t met() const { return met_; }
  // Names of other logs that have anchors; the first few.
  const std::set<std::string>& other_logs() const { return other_logs_; }

  // The anchors that no line has met, ordered by time. The log's own text does not count here,
  // since an attacker who rewrites the log rewrites that too. Only an anchor that a system log
  // received before its first met one may belong to a line that was removed with an old file
  // (`before`).
  struct Unmet {
    std::vector<Anchor> before, missing;
  };
  Unmet SortUnmet() const;

 private:
  using Source = std::vector<Anchor*>;

  // Returns the index of the first met anchor of a source; the source's size if none is met.
  static size_t FirstMet(const Source& source);
  const Anchor* Earliest() const;
  void AddMissing(const Source& source, std::set<const Anchor*>& missing) const;
  void Keep(const std::string& digest, const Anchor& anchor);

  std::string named_;
  std::unordered_map<std::string, Anchor>
      anchors_;  // by the line's digest; pointers into it stay valid
  std::vector<Source> sources_ = std::vector<Source>(1);
  std::set<std::string> other_logs_;
  size_t met_ = 0;
};

// Reads anchors from `source`: "journal", "journal:DIR" (a directory of journald files), or a file
// that a syslog daemon wrote. In the journal only entries of the user `owner` count.
Status ReadAnchors(const std::string& source, uint32_t owner, Anchors& anchors);

}  // namespace ringfence
