// Determines the order in which the files of an audit log were written. Pure.
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
  std::string begins;     // the chain of its first line; "" if that is not a line of ringfence
  std::string ends;       // the chain that a line after its last one must have
  bool is_live = false;   // the log itself, which hooks write to
  bool is_apart = false;  // set by InOrder(): the chain of digests bypasses it
};

// Orders the files by their digests, or in the given order (by name) if those say nothing: the
// clock may have been set back between two rotations. Returns all files. The live log is always
// last, so that nothing follows what a reader takes for the end.
std::vector<LogFile> InOrder(std::vector<LogFile> files);

}  // namespace ringfence
