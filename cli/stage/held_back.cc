#include "cli/stage/held_back.h"

#include <utility>

#include "policy/decide.h"
#include "policy/files/real_files.h"
#include "run/typed_context.h"

namespace ringfence {

FilesWithout::FilesWithout(const FileView& disk, const Path& project, const ChangeList& changes)
    : ForwardingView(disk) {
  for (const Change& change : changes) {
    const bool stays = change.before.is_directory() && change.after.is_directory();
    if (!stays) without_.insert(project.text() + "/" + change.path);
  }
}

Result<FileFacts> FilesWithout::Look(const Path& path) const {
  if (without_.contains(path.text())) return FileFacts{.kind = FileKind::kMissing};
  return ForwardingView::Look(path);
}

Result<StagePolicy> StagePolicy::Find(Registration given, const StageRecord& record) {
  given.root = record.project.text();
  given.profile = record.profile;
  const RealFiles disk;
  Result<Context> context = FindTypedContext(std::move(given), disk);
  if (!context) return context.error();
  const Result<Policy> policy = context->PolicyFor();
  if (!policy) return policy.error();
  context->places.audit_file = OwnPath(policy->audit.file, context->places);  // none may change it
  return StagePolicy(std::move(*context), record.project);
}

std::string StagePolicy::WhyHeld(const Change& change, const Policy& policy,
                                 const CachedFiles& files) const {
  Event event;
  event.cwd = project_.text();
  const Decision decision = DecidePath(event, project_.text() + "/" + change.path, Access::kWrite,
                                       {policy, context_.places, files});
  if (decision.failure) return decision.failure->text();
  if (decision.verdict == Verdict::kPermit) return "";
  return decision.cause ? decision.cause->why : "the policy does not allow it";
}

}  // namespace ringfence
