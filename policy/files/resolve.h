// Resolves a path component by component, as the kernel does: follows links, including dangling
// ones, to the place where a new file would be created. The result holds for now; a process may
// change it a moment later. Only the sandbox protects against that, not this walk.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/not_copied.h"
#include "base/path.h"
#include "base/result.h"
#include "policy/files/file_view.h"

namespace ringfence {

// Called before anything below a name is accessed.
class NameGuard : NotCopied {
 public:
  virtual ~NameGuard() = default;
  // True stops the walk at `path`, which is then not accessed.
  virtual bool Refuses(const Path& path) const = 0;
};

struct WalkStep {
  Path path;
  FileKind kind = FileKind::kMissing;
  std::string target;  // the target of a link

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
  FileFacts facts;  // of `end`, never a link
  Path entry;       // the last name of the text itself, in its resolved directory: the entry that a
                    // rename or unlink of the text would change, even if it is a link
  std::string rest;  // the rest of the text, if the walk stopped before its end
  std::vector<WalkStep> steps;
  std::vector<Path> links;  // every link that was followed, as its own resolved path
  std::optional<Error> error;

  // True if the path leads to a file of this kind.
  bool EndsAt(FileKind kind) const { return stop == Stop::kEnd && facts.kind == kind; }
};

// Returns the links that were followed and the directories that a ".." left again: without one of
// them, the same text would lead elsewhere. Excludes ancestors of the end.
std::vector<Path> PassedBy(const Walked& walked);

// Walks `text`, which is absolute and may contain "..". A ".." leaves the directory that was
// reached, not the one in the text. After a component that is missing or not a directory, resolves
// the rest as text. `guard` may be null.
Walked Walk(std::string_view text, const FileView& files, const NameGuard* guard = nullptr);

}  // namespace ringfence
