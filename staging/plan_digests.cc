#include "staging/plan_digests.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/joined_threads.h"
#include "base/sha256.h"
#include "files/entry.h"

namespace ringfence {
namespace {

void AddDigestsOf(const Stage& stage, PlannedChange& planned) {
  Entry& before = planned.change.before;
  Entry& after = planned.change.after;
  const std::string& path = planned.change.path;
  if (before.is_file()) before.digest = DigestOf(stage.project(), path);
  if (!after.is_file()) return;
  if (planned.action == ChangeAction::kMerge) {
    after.digest = Sha256Hex(planned.merged);
  } else if (planned.change.is_same_content) {
    after.digest = before.digest;
  } else {
    after.digest = DigestOf(stage.written(), path);
  }
}

}  // namespace

void AddDigests(const Stage& stage, MergePlan& plan) {
  constexpr size_t kPart = 64;
  std::vector<PlannedChange>& changes = plan.changes;
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t begin = next.fetch_add(kPart); begin < changes.size();
         begin = next.fetch_add(kPart)) {
      const size_t end = std::min(begin + kPart, changes.size());
      for (size_t i = begin; i < end; ++i) AddDigestsOf(stage, changes[i]);
    }
  };
  const size_t parts = changes.size() / kPart;
  const auto helpers = std::min<size_t>({parts, std::thread::hardware_concurrency(), 8});
  JoinedThreads threads(helpers);
  for (size_t i = 1; i < helpers; ++i) threads.Start(work);
  work();
}

}  // namespace ringfence
