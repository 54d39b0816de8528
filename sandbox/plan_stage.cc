#include <algorithm>

#include "base/text.h"
#include "sandbox/plan_rules.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

// Returns "" if changes to the project can be kept apart from it.
std::string WhyNoStage(const PlanRequest& request, const SandboxPlan& plan) {
  if (!plan.is_confined()) return "a command that is not confined cannot be staged";
  if (plan.system != HostSystem::kLinux && plan.system != HostSystem::kMacos) {
    return "changes cannot be staged on this system";
  }
  if (plan.is_nested) return "this is inside another sandbox of ringfence's";
  const bool is_macos = plan.system == HostSystem::kMacos;
  const bool can_cover = !is_macos && plan.has_namespaces();
  if (!can_cover && request.policy.stage.buffer == StageBuffer::kMemory) {
    return std::string("stage.buffer is memory, which needs ") +
           (is_macos ? "Linux" : "layers full");
  }
  return "";
}

// Servers set the times of these files, or a program answers for them, so that an overlay would
// show changes of the moment; and their times cannot be compared with this machine's clock.
bool IsNetworkType(std::string_view type) {
  constexpr std::string_view kTypes[] = {"9p",   "afs", "ceph", "cifs",   "fuse",
                                         "nfs4", "nfs", "smb3", "vboxsf", "virtiofs"};
  return type.starts_with("fuse.") || std::ranges::find(kTypes, type) != std::end(kTypes);
}

// Finds a file or directory that the user may write to but that the sandbox's user namespace does
// not know the owner of: an overlay cannot copy it (EOVERFLOW).
class ForeignFinder {
 public:
  ForeignFinder(const PlanRequest& request, const Path& root)
      : facts_(request.facts), files_(request.files), root_(root) {}

  // Looks at the first names of the project, and at those in its directories. Returns "/" for none.
  Path Find() {
    if (IsForeign(root_)) return root_;
    const std::vector<Path> folders = LookIn(root_);
    for (const Path& folder : folders) {
      if (found_.is_root()) (void)LookIn(folder);
    }
    return found_;
  }

 private:
  // Returns the directories in `folder`.
  std::vector<Path> LookIn(const Path& folder) {
    constexpr size_t kMostNames = 4096;
    std::vector<Path> folders;
    const Result<std::vector<DirectoryEntry>> entries = files_.List(folder, kMostNames);
    if (!entries) return folders;
    for (const DirectoryEntry& entry : *entries) {
      if (!found_.is_root() || left_ == 0) break;
      --left_;
      const Path path = folder.Child(entry.name);
      if (IsForeign(path)) found_ = path;
      if (files_.KindOr(FileKind::kMissing, path) == FileKind::kDirectory) folders.push_back(path);
    }
    return folders;
  }

  bool IsForeign(const Path& path) const {
    const Result<FileFacts> facts = files_.Look(path);
    if (!facts || (facts->owner == facts_.user && facts->group == facts_.group)) return false;
    constexpr uint32_t kOthersWrite = 0022;
    if (facts->kind == FileKind::kDirectory) return true;
    const bool may_write = facts->owner == facts_.user || (facts->mode & kOthersWrite) != 0;
    return facts->kind == FileKind::kFile && may_write;
  }

  const HostFacts& facts_;
  const CachedFiles& files_;
  const Path& root_;
  size_t left_ = 256;
  Path found_;
};

// Returns "" if the kernel can keep the changes apart in an overlay.
std::string WhyNoOverlay(const PlanRequest& request, const SandboxPlan& plan,
                         const MountTable::Around& around) {
  if (!plan.has_namespaces()) return "nothing can be mounted with layers landlock";
  if (!request.facts.has(Feature::kOverlay)) return request.facts.no_overlay;
  if (!around.below.empty()) {
    return Quote(around.below.front().text()) + " is a mount point in the project";
  }
  if (IsNetworkType(around.type)) return "the project is on a file system of type " + around.type;
  const Path foreign = ForeignFinder(request, plan.root).Find();
  return foreign.is_root() ? "" : Quote(foreign.text()) + " belongs to another user or group";
}

// A copy has everything else, and what is mounted in the project is missing there.
void PlanMacosStage(SandboxPlan& plan) {
  plan.stage.why_copy = "nothing can be mounted over the project on macOS";
  plan.stage.mechanism = StageMechanism::kCopy;
  plan.stage.is_elsewhere = true;
  plan.weaker.emplace_back(
      "stage: processes that the command leaves behind can go on changing the copy of the project");
}

}  // namespace

bool WorksElsewhere(HostSystem system, SandboxLayers layers) {
  return system == HostSystem::kMacos || layers == SandboxLayers::kLandlock;
}

Status PlanStage(const PlanRequest& request, SandboxPlan& plan) {
  const Path& folder = request.command.stage;
  if (folder.is_root()) return Unit{};
  const auto refuse = [](const std::string& why) {
    return Error{Error::Kind::kSystem, "stage", why + "; nothing was run", ""};
  };
  if (!request.policy.stage.sandbox && !request.command.is_agent) {
    return Error{
        Error::Kind::kSystem, "stage",
        "the policy says that commands in a stage are not confined, and an unconfined one "
        "could change the project past its stage; nothing was run",
        "remove \"sandbox\": false from \"stage\": {\"commands\": ...}, or run the command "
        "without a stage"};
  }
  const std::string why = WhyNoStage(request, plan);
  if (!why.empty()) return refuse(why);
  PlannedStage& stage = plan.stage;
  stage.folder = folder;
  stage.begun = request.command.stage_begun;
  if (plan.system == HostSystem::kMacos) {
    PlanMacosStage(plan);
    return Unit{};
  }
  const Result<MountTable::Around> around = request.files.MountsAround(plan.root);
  if (!around) return refuse(around.error().text());
  stage.why_copy = WhyNoOverlay(request, plan, *around);
  const bool in_memory = request.policy.stage.buffer == StageBuffer::kMemory;
  if (in_memory && !stage.why_copy.empty()) {
    return refuse("stage.buffer is memory, which needs an overlay mount: " + stage.why_copy);
  }
  if (in_memory) stage.memory = request.policy.stage.buffer_size;
  if (stage.why_copy.empty()) return Unit{};
  stage.mechanism = StageMechanism::kCopy;
  stage.is_elsewhere = !plan.has_namespaces();
  stage.mounts = Outermost(around->below);
  for (const Path& mount : stage.mounts) {
    plan.names.Refuse({.base = mount.text(), .why = "a mount point is not staged"});
  }
  return Unit{};
}

}  // namespace ringfence
