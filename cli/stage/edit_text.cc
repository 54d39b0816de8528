#include "cli/stage/edit_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/environment.h"
#include "base/syscall.h"
#include "base/text.h"
#include "cli/common/foreground.h"
#include "files/remove_tree.h"
#include "run/stage_environment.h"
#include "staging/text_merge.h"

namespace ringfence {
namespace {

constexpr const char* kEditFolder = "edit";

Result<std::vector<std::string>> EditorWords() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    std::vector<std::string> words = SplitWords(Variable(name));
    if (words.empty()) continue;
    const std::string program = FindInPath(words.front());
    if (program.empty()) {
      return UsageError(name, "names " + Quote(words.front()) + ", which is not in PATH",
                        "set it to an editor that exists");
    }
    words.front() = program;
    return words;
  }
  std::string program = FindInPath("vi");
  if (!program.empty()) return std::vector<std::string>{std::move(program)};
  return UsageError("EDITOR", "is not set, and vi is not installed", "set it to your editor");
}

Result<std::string> ReadBack(const std::string& path) {
  const UniqueFd file(OpenFile(path.c_str(), O_RDONLY | O_NOFOLLOW));
  if (!file.valid()) return SystemError("open(" + path + ")");
  return ReadAll(file.get(), kMaxMerged, path);
}

}  // namespace

Result<std::string> EditText(const StageFolder& stage, const std::string& name,
                             const std::string& text) {
  Result<std::vector<std::string>> words = EditorWords();
  if (!words) return words.error();
  if (Status s = RemoveTreeAt(stage.fd().get(), kEditFolder); !s) return s.error();
  if (::mkdirat(stage.fd().get(), kEditFolder, 0700) != 0) return SystemError("mkdir(edit)");
  const std::string path = stage.path().Child(kEditFolder).Child(name).text();
  {
    const UniqueFd file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.valid()) return SystemError("open(" + path + ")");
    if (Status s = WriteAll(file.get(), text); !s) return s.error();
  }
  words->push_back(path);
  const std::string program = words->front();
  words->erase(words->begin());
  const Result<int> status = RunInForeground({.program = program,
                                              .arguments = std::move(*words),
                                              .environment = EnvironmentOfUser(OwnEnvironment())});
  if (!status) return status.error();
  if (*status != 0) {
    return Error{Error::Kind::kSystem, program, "has failed with status " + std::to_string(*status),
                 ""};
  }
  Result<std::string> edited = ReadBack(path);
  if (Status s = RemoveTreeAt(stage.fd().get(), kEditFolder); !s) return s.error();
  return edited;
}

}  // namespace ringfence
