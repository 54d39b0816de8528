// Anchors: digests of lines that were sent to the system's log when they were written.
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
  uint64_t end = 0;  // where the line ended in its file, at least
  bool is_met = false;
  size_t source = 0;  // the last one that has it
};

class Anchors {
 public:
  // `named` is what anchors call the log.
  explicit Anchors(std::string named) : named_(std::move(named)) {}
  Anchors(Anchors&&) = default;

  // What is taken from here on stands in another system's log, in the order in which that got it.
  void BeginSource() { sources_.emplace_back(); }

  // Takes the anchor that a line of a system's log holds, whatever stands before it. False: it
  // holds none, or one of another log.
  bool Take(std::string_view text);

  // The one of this line; null: there is none.
  const Anchor* Meet(const std::string& digest);

  size_t size() const { return anchors_.size(); }
  size_t met() const { return met_; }
  // What anchors that are not of this log call theirs; the first few names.
  const std::set<std::string>& other_logs() const { return other_logs_; }

  // Those that no line has met, in the order of their times. What the log says of itself does not
  // count here, since who wrote it anew wrote that too: only an anchor that a system's log got
  // before the first one that is met may be of a line that was removed with an old file.
  struct Unmet {
    std::vector<Anchor> before, missing;
  };
  Unmet SortUnmet() const;

 private:
  using Source = std::vector<Anchor*>;

  // Of a source, the place of the first one that is met; its size where none is.
  static size_t FirstMet(const Source& source);
  const Anchor* Earliest() const;
  void AddMissing(const Source& source, std::set<const Anchor*>& missing) const;
  void Keep(const std::string& digest, const Anchor& anchor);

  std::string named_;
  std::unordered_map<std::string, Anchor>
      anchors_;  // by the line's digest; they stay where they are
  std::vector<Source> sources_ = std::vector<Source>(1);
  std::set<std::string> other_logs_;
  size_t met_ = 0;
};

// From `source`: "journal", "journal:FOLDER" (of files of journald's), or a file that a syslog
// daemon wrote. From the journal only what `owner` sent counts.
Status ReadAnchors(const std::string& source, uint32_t owner, Anchors& anchors);

}  // namespace ringfence
