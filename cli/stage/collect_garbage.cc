#include "cli/stage/collect_garbage.h"

#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/syscall.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/stage/stage_choice.h"
#include "staging/undo.h"

namespace ringfence {
namespace {

// True for an applied stage that is older than so many days, and for one without a record.
bool IsGarbage(const StageFolder& folder, size_t days) {
  constexpr int64_t kSecond = 1'000'000'000;
  constexpr int64_t kDay = 86400 * kSecond;
  const Result<StageRecord> record = folder.Load();
  if (!record) return record.error().code == ENOENT;
  const Result<ApplyNumbers> applies = FindApplies(folder);
  const bool is_applied = applies && !applies->applied.empty();
  const int64_t age = Nanoseconds(CLOCK_REALTIME) - record->started;
  return is_applied && age > static_cast<int64_t>(days) * kDay;
}

}  // namespace

Outcome CollectGarbage(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const Result<std::vector<std::string>> ids = store->Ids();
  if (!ids) return ids.error();
  size_t removed = 0;
  for (const std::string& id : *ids) {
    const Result<StageFolder> folder = store->Open(id);
    if (!folder || folder->IsInUse() || !IsGarbage(*folder, options.days)) continue;
    const Result<bool> is_free = folder->Lock();
    if (!is_free || !*is_free) continue;
    if (Status s = folder->Remove(); !s) return s.error();
    ++removed;
  }
  if (options.json) {
    PrintJson({{"removed", removed}});
  } else {
    Console().Line("removed " + Counted(removed, "stage"));
  }
  return 0;
}

}  // namespace ringfence
