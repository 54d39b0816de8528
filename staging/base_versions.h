// BaseVersions: what the files of the project were when a stage began. Applying its changes merges
// them with what has changed in the project since, which needs the version before both.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/done_step.h"
#include "files/entry.h"
#include "staging/git_bases.h"
#include "staging/known_folders.h"
#include "staging/project_copy.h"
#include "staging/put_back.h"
#include "staging/stage.h"
#include "staging/store/stage_store.h"

namespace ringfence {

class BaseVersions {
 public:
  // Larger texts are not kept.
  static constexpr size_t kMaxKept = size_t{1} << 20;

  // Reads what earlier commands have noted about the stage's files. `stage` must outlive the
  // result.
  static Result<BaseVersions> Of(const Stage& stage, const StageStore& store);

  // True if the name, which is in this state now, is as it was when the stage began, and in the
  // same directory, or if its content and permissions then are known and are the same now. A name
  // that does not exist did not exist then if its directory has not changed since.
  bool IsUnchanged(const std::string& path, const Entry& now) const;

  // The content of a file when the stage began; nothing if it is not known.
  std::optional<std::string> Text(const std::string& path) const;

  // The permissions of a file or directory when the stage began; nothing if they are not known. An
  // earlier version has not noted those of a file's owner to read and write: they are as in `now`.
  std::optional<uint32_t> Mode(const std::string& path, const Entry& now) const;

  // AttributesDigest() of a file or directory when the stage began; nothing if it is not known.
  std::optional<std::string> Attributes(const std::string& path, const Entry& now) const;

  // Keeps copies of the texts that the stage has changed and the project has not, yet, and notes
  // which directories they are in.
  Status Keep(const ChangeList& changes) const;
  // The same for one file of the project.
  Status KeepCurrent(const std::string& path) const;
  // Notes which directory the project has under this name; "" is the project.
  Status NoteFolder(const std::string& path) const;

 private:
  explicit BaseVersions(const Stage& stage);
  bool IsUntouched(const std::string& path, const Entry& now) const;
  bool IsOriginal(const std::string& path, const Entry& now) const;
  bool IsPutBack(const std::string& path, const Entry& now) const;
  bool HasBaseContent(const std::string& path, const Entry& now) const;
  bool IsAsKept(const std::string& path, const Entry& now) const;
  std::optional<uint32_t> FolderMode(const std::string& path) const;
  Result<UniqueFd> OpenKept() const;
  Status KeepOne(const UniqueFd& kept, const std::string& path) const;
  Status AddRestored(const Stage& stage);
  void AddRestored(const DoneStep& step);
  Status NoteFolders(const ChangeList& changes) const;
  void NoteIfSame(const std::string& path) const;
  bool IsSameFolder(const std::string& path) const;
  bool IsInSameFolders(std::string_view path) const;
  bool WasMissing(std::string_view path) const;
  void AddReplacedBy(const StageFolder& other);
  void AddReplacedIn(const StageFolder& other, const std::string& name, bool has_copies);
  bool WasReplacedLater(const DoneStep& step, int64_t committed) const;
  void AddReplaced(const std::string& path, const Entry& before, const std::optional<Path>& copy);

  const UniqueFd& project_;
  const StageFolder& folder_;
  int64_t watermark_;
  // False if the clock was set back since the stage began: then the times of files say nothing.
  bool has_sound_times_;
  // Of a copied project: instead of the watermark.
  std::optional<Originals> originals_;
  // Taking back an apply of this stage has restored these as they were when it began: files, and
  // names that do not exist.
  std::map<std::string, Entry, std::less<>> restored_;
  PutBack put_back_;
  std::unique_ptr<GitBases> git_;
  std::unique_ptr<KnownFolders> folders_;
  // A file or link of the time when the stage began that applying another stage has replaced.
  struct Replaced {
    Entry before;
    std::optional<Path> copy;  // absent once that is taken back
  };
  std::map<std::string, Replaced, std::less<>> replaced_;
};

}  // namespace ringfence
