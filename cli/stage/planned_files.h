// PlannedFiles: the project as it will be after a plan is applied, for questions about its names.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/path.h"
#include "policy/files/forwarding_view.h"
#include "staging/change_list.h"

namespace ringfence {

class PlannedFiles final : public ForwardingView {
 public:
  // `projects` are the names of the project, which are the same directory. The changes are those
  // that will be applied. `disk` and the changes must outlive this object.
  PlannedFiles(const FileView& disk, std::vector<Path> projects,
               std::vector<const Change*> changes);

  Result<FileFacts> Look(const Path& path) const override;
  Result<std::string> ReadLink(const Path& path) const override;
  // Fails for a file that is changed: the view has only names.
  Result<std::string> ReadText(const Path& file, size_t most) const override;
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override;

 private:
  // Where the facts of a name come from.
  struct Source {
    enum class Kind : uint8_t { kDisk, kNothing, kChange };
    Kind kind = Kind::kDisk;
    size_t change = 0;      // of kChange: index in changes_
    std::string_view name;  // below the project
    bool is_in_project = false;
  };
  Source SourceOf(const Path& path) const;
  const Change* ChangeAt(std::string_view name) const;
  const Entry& After(const Source& source) const { return changes_[source.change]->after; }

  std::vector<Path> projects_;
  std::vector<const Change*> changes_;
  std::unordered_map<std::string_view, size_t> by_name_;                 // indices in changes_
  std::unordered_map<std::string_view, std::vector<size_t>> in_folder_;  // by the directory's name
};

// Another view in which one name, and all below it, is missing.
class FilesWithoutName final : public ForwardingView {
 public:
  FilesWithoutName(const FileView& files, Path name)
      : ForwardingView(files), name_(std::move(name)) {}

  Result<FileFacts> Look(const Path& path) const override;
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override;

 private:
  Path name_;
};

}  // namespace ringfence
