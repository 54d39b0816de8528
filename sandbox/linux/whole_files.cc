#include "sandbox/linux/whole_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>

#include "base/case_fold.h"
#include "base/syscall.h"
#include "sandbox/git_config.h"
#include "sandbox/linux/supervised_calls.h"

namespace ringfence {
namespace {

// Reads the text and the mode of a regular file of at most `most` bytes.
Result<std::string> ReadPlainFile(const Location& file, size_t most, mode_t& mode) {
  const UniqueFd fd(::openat(file.folder.get(), file.name.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid()) return Errno(errno);
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return Errno(errno);
  if (!S_ISREG(facts.st_mode)) return Errno(EACCES);
  mode = facts.st_mode & 0777;
  Result<std::string> text = ReadAll(fd.get(), most, file.name);
  if (!text) return Errno(EFBIG);
  return text;
}

int WriteNew(const Location& at, std::string_view name, std::string_view text, mode_t mode) {
  const std::string path(name);
  const UniqueFd fd(::openat(at.folder.get(), path.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return errno;
  const bool is_written = WriteAll(fd.get(), text) && ::fchmod(fd.get(), mode) == 0;
  const int code = is_written ? 0 : EIO;
  if (!is_written) ::unlinkat(at.folder.get(), path.c_str(), 0);
  return code;
}

std::optional<std::string> WhyRefused(WholeFile file, const std::string& text,
                                      const std::string& path) {
  const auto after = [](std::string_view what, std::optional<std::string> why) {
    if (why) why->insert(0, what);
    return why;
  };
  if (file == WholeFile::kConfig) {
    return after("the config of a new repository: ", WhyNoGitConfig(text, path));
  }
  if (file == WholeFile::kRebaseTodo) {
    return after("the todo list of a rebase: ", WhyNoRebaseTodo(text));
  }
  if (file == WholeFile::kSequencer) {
    return after("the options of a cherry-pick or revert: ", WhyNoSequencerOptions(text));
  }
  return "git does not rename a file to this name";
}

}  // namespace

WholeFile WholeFileOf(const Location& location) {
  const std::string name = FoldName(location.name);
  if (name == "config" || name == "config.worktree") return WholeFile::kConfig;
  if (name == "git-rebase-todo") return WholeFile::kRebaseTodo;
  const std::string folder = FoldName(location.folder_path);
  if (name == "opts" && folder.ends_with("/sequencer")) return WholeFile::kSequencer;
  if (name == "strategy" && folder.ends_with("/rebase-merge")) return WholeFile::kStrategy;
  return name == "commondir" ? WholeFile::kCommonDir : WholeFile::kNone;
}

bool IsMadeFixed(WholeFile file) {
  return file == WholeFile::kCommonDir || file == WholeFile::kStrategy;
}

int SaveWhole(Supervision& supervision, const Location& from, const Location& to, bool replaces) {
  const WholeFile file = WholeFileOf(to);
  const size_t most = file == WholeFile::kRebaseTodo ? kMaxRebaseTodo : kMaxGitConfig;
  mode_t mode = 0;
  const Result<std::string> text = ReadPlainFile(from, most, mode);
  if (!text) return text.error().code;
  if (std::optional<std::string> why = WhyRefused(file, *text, to.path())) {
    ReportWhy(supervision, to.path(), std::move(*why));
    return EACCES;
  }
  const std::string unsaved(kUnsaved);
  ::unlinkat(to.folder.get(), unsaved.c_str(), 0);  // left by a run that was ended in between
  if (const int code = WriteNew(to, unsaved, *text, mode)) return code;
  constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE (linux/fs.h)
  const long moved = ::syscall(SYS_renameat2, to.folder.get(), unsaved.c_str(), to.folder.get(),
                               to.name.c_str(), replaces ? 0 : kNoReplace);
  const int code = moved == 0 ? 0 : errno;
  ::unlinkat(code == 0 ? from.folder.get() : to.folder.get(),
             code == 0 ? from.name.c_str() : unsaved.c_str(), 0);
  return code;
}

int MakeFixed(const Location& location, WholeFile file) {
  if (file == WholeFile::kStrategy) return WriteNew(location, location.name, "ort\n", 0644);
  const std::string folder = FoldName(location.folder_path);
  const std::string_view above = std::string_view(folder).substr(0, folder.rfind('/'));
  if (!above.ends_with("/.git/worktrees")) return EACCES;
  return WriteNew(location, location.name, "../..\n", 0644);
}

}  // namespace ringfence
