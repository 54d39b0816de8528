// In which order the files of an audit log were written. Pure.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace ringfence {

// One file of a log.
struct LogFile {
  std::string name;
  std::pair<dev_t, ino_t> id;
  std::string begins;     // the chain of its first line; "": that is no line of ringfence
  std::string ends;       // the chain that a line behind its last one has
  bool is_live = false;   // the log itself, which hooks write to
  bool is_apart = false;  // InOrder() says so: its digests lead around it
};

// By their digests, and where those say nothing in the order that is given: by their names. The
// clock may have been set back between two rotations. All of them, whatever they say of each other:
// the log itself is the last one always, so that nothing is behind what a reader takes for the end.
std::vector<LogFile> InOrder(std::vector<LogFile> files);

}  // namespace ringfence
