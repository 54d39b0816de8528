#include "cli/setup/program_plan.h"

#include <utility>

#include "base/sha256.h"
#include "base/text.h"

namespace ringfence {
namespace {

Result<Entry> EntryAtTarget(const ProgramTree& target, const std::string& path) {
  return target.root.valid() ? EntryBelow(target, path) : Entry{};
}

TreeStep PutStep(const ListedFile& file, Entry expected, std::string bytes) {
  TreeStep step{.path = file.path, .expected = std::move(expected)};
  NewEntry entry{.mode = file.mode(), .digest = file.digest};
  entry.bytes = std::move(bytes);
  step.tree.entries.push_back(std::move(entry));
  return step;
}

class CopyPlan {
 public:
  CopyPlan(const ProgramTree& source, const ProgramTree& target)
      : source_(source), target_(target) {}

  Result<ProgramPlan> Make() {
    for (const ListedFile& file : source_.files) {
      if (Status s = AddCopy(file); !s) return s.error();
    }
    if (!in_the_way_.empty()) return InTheWay();
    for (const ListedFile& file : target_.files) {
      if (source_.Find(file.path) != nullptr) continue;
      if (Status s = AddRemoval(target_, file, plan_); !s) return s.error();
    }
    // The list comes last, so that it never names files that were not written.
    if (Status s = AddList(); !s) return s.error();
    return std::move(plan_);
  }

  static Status AddRemoval(const ProgramTree& tree, const ListedFile& file, ProgramPlan& plan) {
    Result<Entry> now = EntryAtTarget(tree, file.path);
    if (!now) return now.error();
    if (!now->exists()) return Unit{};
    if (!HasDigest(tree, *now, file)) {
      plan.changed.push_back(file.path);
      return Unit{};
    }
    plan.removed.push_back(file.path);
    plan.steps.push_back(
        {.kind = DoneStep::Kind::kRemove, .path = file.path, .expected = std::move(*now)});
    return Unit{};
  }

 private:
  // Reads each file of the source, even if the target has it: a damaged source is an error.
  Status AddCopy(const ListedFile& file) {
    Result<std::string> bytes = ReadListed(source_, file);
    if (!bytes) return bytes.error();
    Result<Entry> now = EntryAtTarget(target_, file.path);
    if (!now) return now.error();
    const bool is_same = HasBytes(target_, *now, file.path, *bytes);
    if (is_same && now->mode == file.mode()) return Unit{};
    const bool is_ours = is_same || (now->is_file() && target_.Find(file.path) != nullptr);
    if (now->exists() && !is_ours) {
      in_the_way_.push_back(file.path);
      return Unit{};
    }
    ++plan_.written;
    plan_.steps.push_back(PutStep(file, std::move(*now), std::move(*bytes)));
    return Unit{};
  }

  Status AddList() {
    Result<Entry> now = EntryAtTarget(target_, kFileList);
    if (!now) return now.error();
    if (now->exists() && target_.list == source_.list) return Unit{};
    const ListedFile list{kFileList, Sha256Hex(source_.list)};
    plan_.steps.push_back(PutStep(list, std::move(*now), source_.list));
    return Unit{};
  }

  Error InTheWay() const {
    std::string what = "is in the way, and no earlier installation put it there";
    const size_t more = in_the_way_.size() - 1;
    if (more == 1) what += "; so is another file";
    if (more > 1) what += "; so are " + std::to_string(more) + " other files";
    return ConfigError(target_.prefix.Child(in_the_way_.front()).text(), what,
                       "move it away, or install elsewhere: ringfence install --prefix DIR");
  }

  const ProgramTree& source_;
  const ProgramTree& target_;
  ProgramPlan plan_;
  std::vector<std::string> in_the_way_;
};

}  // namespace

Result<ProgramPlan> PlanCopy(const ProgramTree& source, const ProgramTree& target) {
  return CopyPlan(source, target).Make();
}

Result<ProgramPlan> PlanRemoval(const ProgramTree& tree) {
  ProgramPlan plan;
  for (const ListedFile& file : tree.files) {
    if (Status s = CopyPlan::AddRemoval(tree, file, plan); !s) return s.error();
  }
  const ListedFile list{kFileList, Sha256Hex(tree.list)};
  if (Status s = CopyPlan::AddRemoval(tree, list, plan); !s) return s.error();
  return plan;
}

}  // namespace ringfence
