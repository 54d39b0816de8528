// Anchors: digests of lines that were sent to the system's log when they were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace ringfence {

struct Anchor {
  std::string time;  // of its line
  uint64_t end = 0;  // where the line ended in its file
  bool is_met = false;
};

class Anchors {
 public:
  // `named` is what anchors call the log.
  explicit Anchors(std::string named) : named_(std::move(named)) {}

  // Takes the anchor that a line of a system's log holds, whatever stands before it. False: it
  // holds none, or one of another log.
  bool Take(std::string_view text);

  // Whether there is one of this line.
  bool Meet(const std::string& digest);

  size_t size() const { return anchors_.size(); }
  // Those that no line has met, in the order of their times.
  std::vector<Anchor> Unmet() const;

 private:
  std::string named_;
  std::unordered_map<std::string, Anchor> anchors_;  // by the line's digest
};

// From `source`: "journal", "journal:FOLDER" (of files of journald's), or a file that a syslog
// daemon wrote. From the journal only what `owner` sent counts.
Status ReadAnchors(const std::string& source, uint32_t owner, Anchors& anchors);

}  // namespace ringfence
