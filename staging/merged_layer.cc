#include "staging/merged_layer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "base/open_path.h"
#include "base/syscall.h"
#include "files/beneath.h"
#include "files/remove_tree.h"
#include "files/system_calls.h"
#include "files/tree_transaction.h"
#include "staging/apply.h"
#include "staging/project_copy.h"
#include "staging/store/names.h"

namespace ringfence {
namespace {

constexpr const char* kMerged = "merged";  // in the stage's directory

// Writes the steps of a plan.
class StepWriter {
 public:
  // `layer` is an overlay's upper layer, or a copy of the project.
  StepWriter(const Stage& stage, const UniqueFd& layer) : stage_(stage), layer_(layer) {}

  Status Write(const std::vector<TreeStep>& steps) {
    for (const TreeStep& step : steps) {
      if (Status s = Add(step); !s) return s;
    }
    // The innermost first, since a directory may become one that cannot be written.
    for (size_t i = modes_.size(); i > 0; --i) {
      const auto& [path, mode] = modes_[i - 1];
      const Result<UniqueFd> folder = OpenBeneath(layer_, path, O_RDONLY | O_DIRECTORY);
      if (!folder) return folder.error();
      if (::fchmod(folder->get(), mode) != 0) return SystemError("chmod(" + path + ")");
    }
    return Unit{};
  }

 private:
  Status Add(const TreeStep& step) {
    if (Status s = AddFoldersOf(step.path); !s) return s;
    if (step.kind == DoneStep::Kind::kMode) {
      return AddFolder(step.path, static_cast<mode_t>(step.mode));
    }
    const Result<UniqueFd> folder = OpenFolderOf(layer_, step.path);
    if (!folder) return folder.error();
    const std::string name(NameOf(step.path));
    if (stage_.is_copy()) {
      if (Status s = RemoveTreeAt(folder->get(), name); !s) return s;
    }
    if (step.kind == DoneStep::Kind::kPut) {
      return CreateTree(*folder, name, step.tree, {&stage_.written()});
    }
    return stage_.is_copy() ? Status(Unit{}) : Hide(*folder, step.path);
  }

  // Removes a name that the project has, and the layer does not
  // (the kernel's Documentation/filesystems/overlayfs.rst, "whiteouts and opaque directories").
  static Status Hide(const UniqueFd& folder, const std::string& path) {
    const std::string name(NameOf(path));
    return CallStatus(MakeWhiteout(folder, name), "mknod(" + path + ")");
  }

  // Creates the directories that hold the path, like those of the project.
  Status AddFoldersOf(const std::string& path) {
    if (stage_.is_copy()) return Unit{};
    for (size_t end = path.find('/'); end != path.npos; end = path.find('/', end + 1)) {
      const std::string folder = path.substr(0, end);
      const Result<UniqueFd> like = OpenBeneath(stage_.project(), folder, kOpenPath | O_DIRECTORY);
      if (!like) return like.error();
      struct stat facts {};
      if (::fstat(like->get(), &facts) != 0) return SystemError("stat(" + folder + ")");
      if (Status s = AddFolder(folder, facts.st_mode); !s) return s;
    }
    return Unit{};
  }

  Status AddFolder(const std::string& path, mode_t mode) {
    const Result<UniqueFd> folder = OpenFolderOf(layer_, path);
    if (!folder) return folder.error();
    const bool is_new = ::mkdirat(folder->get(), std::string(NameOf(path)).c_str(), 0700) == 0;
    if (!is_new && errno != EEXIST) return SystemError("mkdir(" + path + ")");
    constexpr mode_t kPermissions = 07777;
    if (is_new || stage_.is_copy()) modes_.emplace_back(path, mode & kPermissions);
    return Unit{};
  }

  const Stage& stage_;
  const UniqueFd& layer_;
  std::vector<std::pair<std::string, mode_t>> modes_;
};

}  // namespace

Result<MergedLayer> MergedLayer::Of(const Stage& stage, const MergePlan& plan) {
  const int folder = stage.folder().fd().get();
  // A command that was killed can have left one.
  if (Status s = RemoveTreeAt(folder, kMerged); !s) return s.error();
  MergedLayer merged(stage.folder());
  if (::mkdirat(folder, kMerged, 0700) != 0) return SystemError("mkdir(merged)");
  const Result<UniqueFd> made = OpenBeneath(stage.folder().fd(), kMerged, O_RDONLY | O_DIRECTORY);
  if (!made) return made.error();
  const Status begun = stage.is_copy()
                           ? CopyProjectAs(stage.project(), *made, kStageWritten)
                           : CallStatus(::mkdirat(made->get(), kStageWritten, 0700) == 0, "mkdir");
  if (!begun) return begun.error();
  const Result<UniqueFd> layer = OpenBeneath(*made, kStageWritten, O_RDONLY | O_DIRECTORY);
  if (!layer) return layer.error();
  if (Status s = StepWriter(stage, *layer).Write(StepsOf(plan)); !s) return s.error();
  return merged;
}

MergedLayer::MergedLayer(MergedLayer&& other) noexcept
    : folder_(std::exchange(other.folder_, nullptr)) {}

// What cannot be removed now is removed with the stage.
MergedLayer::~MergedLayer() {
  if (folder_ != nullptr) (void)RemoveTreeAt(folder_->fd().get(), kMerged);
}

Path MergedLayer::path() const { return folder_->path().Child(kMerged); }

}  // namespace ringfence
