#include "sandbox/linux/view.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "base/syscall.h"
#include "sandbox/linux/cache_mounts.h"
#include "sandbox/linux/made_places.h"
#include "sandbox/linux/overlay.h"
#include "sandbox/linux/private_mounts.h"
#include "staging/store/names.h"

namespace ringfence {
namespace {

// System directories that are links into /usr on most systems: a new root needs the links.
constexpr std::array kSystemLinks = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

class View {
 public:
  explicit View(const ViewRequest& request)
      : plan_(request.plan),
        own_(request.plan, request.audit),
        cache_mounts_(request.plan, request.caches) {}

  Status Build() {
    if (Status s = CloneSources(); !s) return s;
    const bool all_writable = std::ranges::any_of(
        plan_.writable, [](const PlannedPlace& place) { return place.path.is_root(); });
    const Writable root = all_writable ? Writable::kYes : Writable::kNo;
    if (Status s = SealEverything(root); !s) return s;
    if (Status s = own_.CloneDevices(root); !s) return s;
    if (!plan_.reads_all) {
      if (Status s = BeginNewRoot(); !s) return s;
    }
    if (Status s = own_.Mount(); !s) return s;
    if (Status s = AttachAll(); !s) return s;
    if (Status s = MountTexts(); !s) return s;
    // The user owns that file system, so a command could open it by its name.
    return CallStatus(::umount2(kMemory, MNT_DETACH) == 0, "umount2(memory)");
  }

  std::vector<const PlannedCache*> caches() const { return caches_; }

 private:
  // One mount. All mounts are made from the outermost to the innermost path, so that none covers
  // another by accident.
  struct Mount {
    enum class What : uint8_t { kBind, kOwn, kHide, kSeal };
    What what = What::kBind;
    Path path;
    PlaceKind kind = PlaceKind::kDirectory;
    UniqueFd tree;                        // for kBind: opened before anything was covered
    const HiddenPlace* hidden = nullptr;  // for kHide
  };

  Status CloneSources() {
    if (Status s = own_.CloneFolders(); !s) return s;
    if (Status s = CloneWritable(); !s) return s;
    for (const PlannedPlace& place : plan_.readable) {
      if (Status s = AddBind(place.path, place.kind, Writable::kNo); !s) return s;
    }
    for (const HiddenPlace& place : plan_.hidden) {
      for (const Path& kept : place.kept) {
        if (Status s = AddBind(kept, PlaceKind::kDirectory, Writable::kNo); !s) return s;
      }
      Add(Mount::What::kHide, place.path, place.kind).hidden = &place;
    }
    if (Status s = AddCaches(); !s) return s;
    for (const Path& socket : plan_.sockets) Add(Mount::What::kHide, socket, PlaceKind::kFile);
    for (const PlannedPlace& place : plan_.sealed) Add(Mount::What::kSeal, place.path, place.kind);
    std::ranges::stable_sort(mounts_, {}, &Mount::path);
    return Unit{};
  }

  Status CloneWritable() {
    for (const PlannedPlace& place : plan_.writable) {
      if (place.is_own()) {
        Add(Mount::What::kOwn, place.path, place.kind);
      } else if (Status s = AddBind(place.path, place.kind, Writable::kYes); !s) {
        return s;
      }
    }
    return Unit{};
  }

  Status AddCaches() {
    Result<std::vector<UniqueFd>> trees = cache_mounts_.Make();
    if (!trees) return trees.error();
    for (size_t i = 0; i < trees->size(); ++i) {
      if (!(*trees)[i].valid()) continue;
      const PlannedCache& cache = plan_.caches[i];
      Add(Mount::What::kBind, cache.path, PlaceKind::kDirectory).tree = std::move((*trees)[i]);
      caches_.push_back(&cache);
    }
    return Unit{};
  }

  Mount& Add(Mount::What what, const Path& path, PlaceKind kind) {
    return mounts_.emplace_back(Mount{.what = what, .path = path, .kind = kind, .tree = {}});
  }

  Status AddBind(const Path& path, PlaceKind kind, Writable writable) {
    if (path.is_root()) return Unit{};  // SealEverything() left it writable
    const auto same = std::ranges::find(mounts_, path, &Mount::path);
    if (same != mounts_.end() && same->what == Mount::What::kBind) return Unit{};
    Result<UniqueFd> tree = CloneTree(path, writable);
    if (!tree) return tree.error();
    Add(Mount::What::kBind, path, kind).tree = std::move(*tree);
    return Unit{};
  }

  // Makes a new, empty root, into which only the plan's places are bound.
  Status BeginNewRoot() {
    std::vector<std::pair<std::string, std::string>> links;
    for (const char* name : kSystemLinks) {
      std::array<char, 256> target{};
      const ssize_t size = ::readlink(name, target.data(), target.size() - 1);
      if (size > 0) links.emplace_back(name, target.data());
    }
    if (Status s = MountMemory("/tmp", "mode=0755"); !s) return s;
    if (::mkdir("/tmp/old", 0700) != 0) return SystemError("mkdir(/tmp/old)");
    if (::syscall(SYS_pivot_root, "/tmp", "/tmp/old") != 0) return SystemError("pivot_root");
    if (::chdir("/") != 0) return SystemError("chdir(/)");
    for (const char* name : {"/dev", "/proc", "/run", "/tmp"}) {
      if (::mkdir(name, 0755) != 0) return SystemError("mkdir(" + std::string(name) + ")");
    }
    for (const auto& [name, target] : links) {
      if (::symlink(target.c_str(), name.c_str()) != 0) return SystemError("symlink(" + name + ")");
    }
    return Unit{};
  }

  Status AttachAll() {
    for (const Mount& mount : mounts_) {
      if (Status attached = Attach(mount); !attached) return attached;
    }
    return Unit{};
  }

  Status Attach(const Mount& mount) {
    if (mount.what == Mount::What::kBind) return Bind(mount);
    if (mount.what == Mount::What::kOwn) return MountOwn(mount);
    if (mount.what == Mount::What::kHide) return Hide(mount);
    return SealPlace(mount.path);
  }

  // Most mount points exist; those that a private directory covers do not.
  template <typename Attach>
  static Status AtMountPoint(const Mount& mount, Attach attach) {
    Status attached = attach();
    if (attached || attached.error().code != ENOENT) return attached;
    if (Status s = MakeMountPoint(mount.path, mount.kind); !s) return s;
    return attach();
  }

  Status Bind(const Mount& mount) const {
    if (plan_.private_tmp && !plan_.session_tmp.is_root()) ClearWay(mount);
    return AtMountPoint(mount, [&] { return AttachTree(mount.tree, mount.path); });
  }

  // Removes what a command of the session has put in /tmp in place of a mount point for the host's
  // files, and reopens directories that it has closed there.
  void ClearWay(const Mount& mount) const {
    const auto below = mount.path.Below(plan_.tmp);
    if (!below) return;
    UniqueFd folder(::open(plan_.tmp.text().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    std::string_view rest = *below;
    while (folder.valid() && !rest.empty()) {
      const std::string name(TakeComponent(rest));
      const bool is_folder = !rest.empty() || mount.kind == PlaceKind::kDirectory;
      folder = ClearName(folder, name, is_folder);
    }
  }

  // Returns the directory to continue from; invalid if nothing is left or the host's own mount
  // begins.
  static UniqueFd ClearName(const UniqueFd& folder, const std::string& name, bool is_folder) {
    UniqueFd held = OpenInMount(folder, name);
    struct stat facts {};
    if (!held.valid() || ::fstat(held.get(), &facts) != 0) return {};
    if (!S_ISDIR(facts.st_mode)) {
      if (is_folder || S_ISLNK(facts.st_mode)) ::unlinkat(folder.get(), name.c_str(), 0);
      return {};
    }
    if (!is_folder) {
      ::unlinkat(folder.get(), name.c_str(), AT_REMOVEDIR);
      return {};
    }
    if ((facts.st_mode & S_IRWXU) != S_IRWXU) {
      const UniqueFd closed(
          ::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (closed.valid()) ::fchmod(closed.get(), S_IRWXU);
    }
    return held;
  }

  Status MountTexts() {
    for (const PlannedFile& text : plan_.texts) {
      Mount mount{.path = text.path, .kind = PlaceKind::kFile, .tree = {}};
      if (Status s = AtMountPoint(mount, [&] { return own_.MountText(text); }); !s) return s;
    }
    return Unit{};
  }

  Status MountOwn(const Mount& mount) {
    return AtMountPoint(mount, [&] { return own_.MountEmpty(mount.path, 0700); });
  }

  Status Hide(const Mount& mount) {
    Status hidden = Cover(mount);
    if (hidden) return hidden;
    const int code = hidden.error().code;
    // With `reads: listed` most hidden places do not exist in the view. A server may have ended
    // since the plan was made, or it listens in a directory that no process in the sandbox can
    // enter.
    const bool is_socket = mount.hidden == nullptr;
    const bool is_gone = code == ENOENT && (is_socket || !plan_.reads_all);
    const bool is_closed = is_socket && (code == EACCES || code == ENOTDIR);
    return is_gone || is_closed ? Status(Unit{}) : hidden;
  }

  static Status Cover(const Mount& mount) {
    if (mount.hidden != nullptr && !mount.hidden->kept.empty()) {
      if (Status s = MountMemory(mount.path.text(), "mode=0755"); !s) return s;
      for (const Path& kept : mount.hidden->kept) {
        if (Status s = MakeMountPoint(kept, PlaceKind::kDirectory); !s) return s;
      }
      return SealMount(mount.path.text());
    }
    const bool is_directory = mount.kind == PlaceKind::kDirectory;
    // Read-only, like the sealed /dev that it is part of.
    const UniqueFd cover = OpenTree(AT_FDCWD, is_directory ? kCoverDirectory : kCoverFile);
    if (!cover.valid()) return SystemError("open_tree(cover)");
    return AttachTree(cover, mount.path);
  }

  const SandboxPlan& plan_;
  PrivateMounts own_;
  CacheMounts cache_mounts_;
  std::vector<const PlannedCache*> caches_;  // the caches that could be mounted
  std::vector<Mount> mounts_;
};

}  // namespace

namespace {

// Covers the project by its copy, over which the mounts in the project are shown again.
Status MountCopy(const SandboxPlan& plan) {
  std::vector<UniqueFd> mounts;
  for (const Path& path : plan.stage.mounts) {
    Result<UniqueFd> tree = CloneTree(path, Writable::kNo);
    if (!tree) return tree.error();
    mounts.push_back(std::move(*tree));
  }
  const Result<UniqueFd> copy = CloneTree(plan.stage.folder.Child(kStageWritten), Writable::kYes);
  if (!copy) return copy.error();
  if (Status s = AttachTree(*copy, plan.root); !s) return s;
  for (size_t i = 0; i < mounts.size(); ++i) {
    if (Status s = AttachTree(mounts[i], plan.stage.mounts[i]); !s) return s;
  }
  return Unit{};
}

// The kernel marks replaced directories by attributes, but mounts an overlay without them, too.
Status CheckAttributes(const Path& written, bool in_memory) {
  constexpr const char* kAttribute = "user.ringfence";
  const char* const path = written.text().c_str();
  if (::setxattr(path, kAttribute, "", 0, 0) == 0) {
    return CallStatus(::removexattr(path, kAttribute) == 0, "removexattr(" + written.text() + ")");
  }
  Error error = SystemError("setxattr(" + written.text() + ")");
  if (in_memory) error.what += ", which files in memory need Linux 6.6 for";
  return error;
}

Status MountOverlay(const SandboxPlan& plan) {
  const PlannedStage& stage = plan.stage;
  const Result<UniqueFd> project = OpenPlace(plan.root);
  if (!project) return project.error();
  const bool in_memory = stage.memory > 0;
  if (in_memory) {
    // Covers the directory in this namespace only.
    // A name takes about 1 KiB of the kernel's memory even if its file is empty, so without a limit
    // names could take any amount. A file with contents has at least one page.
    constexpr uint64_t kBytesPerName = 2048;
    const std::string options = "mode=0700,size=" + std::to_string(stage.memory) +
                                ",nr_inodes=" + std::to_string(stage.memory / kBytesPerName);
    if (Status s = MountMemory(stage.folder.text(), options); !s) return s;
  }
  const Result<UniqueFd> overlay = MakeOverlay(*project, stage.folder);
  if (!overlay) return overlay.error();
  if (Status s = CheckAttributes(stage.folder.Child(kStageWritten), in_memory); !s) return s;
  return AttachTree(*overlay, plan.root);
}

}  // namespace

Status MountStage(const SandboxPlan& plan) {
  if (!plan.is_staged()) return Unit{};
  const bool is_copy = plan.stage.mechanism == StageMechanism::kCopy;
  if (Status s = is_copy ? MountCopy(plan) : MountOverlay(plan); !s) return s;
  return MakeStagedPlaces(plan);
}

Status LeaveOldRoot(const SandboxPlan& plan) {
  if (plan.reads_all) return Unit{};
  if (!plan.own_proc) {
    const Result<UniqueFd> tree = CloneTree(Path::Clean("/old/proc"), Writable::kNo);
    if (!tree) return tree.error();
    if (Status s = AttachTree(*tree, Path::Clean("/proc")); !s) return s;
  }
  if (::umount2("/old", MNT_DETACH) != 0) return SystemError("umount2(old root)");
  if (::rmdir("/old") != 0) return SystemError("rmdir(old root)");
  return SealMount("/");
}

Result<std::vector<const PlannedCache*>> BuildView(const ViewRequest& request) {
  View view(request);
  if (Status s = view.Build(); !s) return s.error();
  return view.caches();
}

}  // namespace ringfence
