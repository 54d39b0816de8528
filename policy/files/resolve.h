// Where a path leads: component by component as the kernel walks, links followed, through dangling
// links to where a new file would be made. It says where the name leads now; a process may move it
// a moment later. The sandbox is what holds then, not this walk.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "policy/files/file_view.h"

namespace ringfence {

// Asked before anything below a name is touched.
class NameGuard {
 public:
  NameGuard() = default;
  NameGuard(const NameGuard&) = delete;
  NameGuard& operator=(const NameGuard&) = delete;
  virtual ~NameGuard() = default;
  // True stops the walk at `path` without looking at it.
  virtual bool Refuses(const Path& path) const = 0;
};

struct WalkStep {
  Path path;
  FileKind kind = FileKind::kMissing;
  std::string target;  // of a link

  bool operator==(const WalkStep&) const = default;
};

struct Walked {
  enum class Stop : uint8_t {
    kEnd,        // `end` is where the path leads
    kRefused,    // the guard refused `end`
    kLoop,       // more than kMaxLinks links
    kTooLong,    // a component over NAME_MAX or a path over PATH_MAX
    kUnreadable  // `error` says why
  };

  Stop stop = Stop::kEnd;
  Path end;
  FileFacts facts;   // of `end`, never a link
  Path entry;        // the last name of the text itself, in its resolved folder: what a rename
                     // or an unlink of the text would change, be it a link
  std::string rest;  // of the text, where the walk stopped before its end
  std::vector<WalkStep> steps;
  std::vector<Path> links;  // every link that was followed, by its own resolved name
  std::optional<Error> error;
};

// The links that were followed, and the folders that a ".." left again: without one of them the
// same text would lead elsewhere. What lies above the end is not among them.
std::vector<Path> PassedBy(const Walked& walked);

// Walks `text`, which is absolute and may hold "..". A ".." leaves the directory that was reached,
// not the one that was written. Where a component is missing or no directory, the rest is taken as
// text. `guard` may be null.
Walked Walk(std::string_view text, const FileView& files, const NameGuard* guard = nullptr);

}  // namespace ringfence
