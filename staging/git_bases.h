// Contents of files when a stage began, from the git repository of the project. They are known for
// files that the user changes before the command does, too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "staging/stage.h"

namespace ringfence {

// Notes in the stage's directory which files are as git's index has them and have not changed since
// the stage began. Looks at all files that git tracks. Does nothing if the project has no
// repository that the user owns.
Status NoteGitBases(const Stage& stage);

class GitBases {
 public:
  // Reads what NoteGitBases() has noted.
  GitBases(const StageFolder& folder, Path project);
  ~GitBases();
  GitBases(const GitBases&) = delete;
  GitBases& operator=(const GitBases&) = delete;

  // The content of a noted file when the stage began; nothing if it is not noted, larger than
  // `limit` bytes, or if git does not have it any more.
  std::optional<std::string> Text(const std::string& path, size_t limit);
  // Its permissions; nothing if it is not noted.
  std::optional<uint32_t> Mode(std::string_view path) const;

 private:
  class ObjectStore;

  struct Noted {
    std::string_view object, path;
    uint32_t mode = 0;
  };
  const Noted* Find(std::string_view path) const;

  Path project_;
  std::string text_;
  std::vector<Noted> noted_;  // in text_, sorted by path
  std::unique_ptr<ObjectStore> objects_;
};

}  // namespace ringfence
