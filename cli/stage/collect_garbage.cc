#include "cli/stage/collect_garbage.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/state_file.h"
#include "base/syscall.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/stage/held_back.h"
#include "cli/stage/stage_choice.h"
#include "cli/stage/stage_log.h"
#include "cli/stage/taken_stage.h"
#include "files/tree_size.h"
#include "staging/undo.h"

namespace ringfence {
namespace {

constexpr int64_t kNanoseconds = 1'000'000'000;  // in a second
constexpr int64_t kDaySeconds = 86400;

// A stage that could be removed. This process has locked it.
struct KeptStage {
  StageFolder folder;
  int64_t applied = 0;  // nanoseconds since 1970; 0 for what a killed launcher has left
  uint64_t bytes = 0;
  uint64_t keep_days = 0;
  uint64_t keep_size = 0;
  std::string why;  // it is garbage; "" if it is kept
};

class StageCollector {
 public:
  // Begins no work after `deadline` (CLOCK_MONOTONIC).
  StageCollector(const StageStore& store, const StageOptions& options, int64_t deadline)
      : store_(store), options_(options), deadline_(deadline) {}

  Result<std::vector<KeptStage>> Find() const {
    const Result<std::vector<std::string>> ids = store_.Ids();
    if (!ids) return ids.error();
    std::vector<KeptStage> stages;
    for (const std::string& id : *ids) {
      if (IsLate()) break;
      std::optional<KeptStage> stage = Take(id);
      if (stage) stages.push_back(std::move(*stage));
    }
    std::ranges::sort(stages, std::ranges::greater(), &KeptStage::applied);
    Evaluate(stages);
    std::erase_if(stages, [](const KeptStage& stage) { return stage.why.empty(); });
    return stages;
  }

  // Returns the number of stages that were removed: the oldest first.
  Result<size_t> Remove(const std::vector<KeptStage>& garbage) const {
    size_t removed = 0;
    for (auto stage = garbage.rbegin(); stage != garbage.rend() && !IsLate(); ++stage) {
      if (Status s = LogRemoval(options_.given, stage->folder, "stage gc"); !s) return s.error();
      if (Status s = stage->folder.Remove(); !s) return s.error();
      ++removed;
    }
    return removed;
  }

 private:
  bool IsLate() const { return Nanoseconds(CLOCK_MONOTONIC) > deadline_; }

  // Nothing for a stage that stays in any case.
  std::optional<KeptStage> Take(const std::string& id) const {
    Result<StageFolder> folder = store_.Open(id);
    if (!folder || folder->IsInUse()) return {};
    const Result<bool> is_free = folder->Lock();
    if (!is_free || !*is_free || !CheckRemovable(*folder)) return {};
    Result<StageRecord> record = folder->Load();
    if (!record && record.error().code == ENOENT) {
      const uint64_t bytes = TreeSize(folder->fd());
      return KeptStage{.folder = std::move(*folder),
                       .bytes = bytes,
                       .why = "its command was killed while it started"};
    }
    if (record && IsLost(*record)) {
      const uint64_t bytes = TreeSize(folder->fd());
      return KeptStage{
          .folder = std::move(*folder), .bytes = bytes, .why = "its changes in memory are lost"};
    }
    Result<StageFolder> again = store_.Open(id);
    const int64_t applied = record && again ? AppliedAt(std::move(*again)) : 0;
    if (applied == 0) return {};
    const Result<StagePolicy> policy = StagePolicy::Find(options_.given, *record);
    if (!policy) return {};
    const Policy& rules = policy->rules();
    const bool is_given = options_.days != kPolicyDays;
    const uint64_t bytes = TreeSize(folder->fd());
    return KeptStage{.folder = std::move(*folder),
                     .applied = applied,
                     .bytes = bytes,
                     .keep_days = is_given ? options_.days : rules.stage.keep_days,
                     .keep_size = rules.stage.keep_size,
                     .why = ""};
  }

  // The time of the last apply; 0 unless all changes of the stage are applied.
  static int64_t AppliedAt(StageFolder folder) {
    const Result<ApplyNumbers> applies = FindApplies(folder);
    if (!applies || applies->applied.empty()) return 0;
    const std::string undo = UndoName(applies->applied.back());
    const Result<Entry> last = LookAt(folder.fd().get(), undo, undo);
    const Result<Stage> stage = Stage::Open(std::move(folder));
    if (!last || !stage) return 0;  // its project does not exist now
    const Result<bool> has_more = HasUnapplied(*stage);
    return has_more && !*has_more ? last->mtime : 0;
  }

  // `stages` are sorted, the newest first. The newest one is kept whatever its size.
  static void Evaluate(std::vector<KeptStage>& stages) {
    const int64_t now = Nanoseconds(CLOCK_REALTIME);
    uint64_t sum = 0;
    for (KeptStage& stage : stages) {
      if (!stage.why.empty()) continue;
      const bool is_newest = sum == 0;
      sum += stage.bytes;
      if (now - stage.applied >
          static_cast<int64_t>(stage.keep_days) * kDaySeconds * kNanoseconds) {
        stage.why = "older than " + Counted(stage.keep_days, "day");
      } else if (!is_newest && sum > stage.keep_size) {
        stage.why = "with the newer ones, more than " + SizeText(stage.keep_size);
      }
    }
  }

  const StageStore& store_;
  const StageOptions& options_;
  const int64_t deadline_;
};

OrderedJson KeptJson(const KeptStage& stage) {
  return {{"id", stage.folder.path().name()}, {"bytes", stage.bytes}, {"why", stage.why}};
}

// Notes the time; returns false if this was done less than a day ago.
bool IsDue(const StageStore& store) {
  const std::string name = store.folder().Child("collected").text();
  struct stat facts {};
  const bool is_known = ::lstat(name.c_str(), &facts) == 0;
  const int64_t now = Nanoseconds(CLOCK_REALTIME) / kNanoseconds;
  const bool is_recent = is_known && facts.st_mtime <= now && now - facts.st_mtime < kDaySeconds;
  if (is_recent) return false;
  const UniqueFd file(::open(name.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file.valid() && ::futimens(file.get(), nullptr) == 0;
}

}  // namespace

Outcome CollectGarbage(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const StageCollector collector(*store, options, std::numeric_limits<int64_t>::max());
  const Result<std::vector<KeptStage>> garbage = collector.Find();
  if (!garbage) return garbage.error();
  const Result<size_t> removed =
      options.dry_run ? Result<size_t>(garbage->size()) : collector.Remove(*garbage);
  if (!removed) return removed.error();
  if (options.json) {
    PrintJson(
        {{"removed", options.dry_run ? 0 : *removed}, {"stages", JsonArray(*garbage, KeptJson)}});
    return 0;
  }
  const Console console;
  uint64_t bytes = 0;
  for (const KeptStage& stage : *garbage) {
    constexpr size_t kSizeWidth = 10;
    bytes += stage.bytes;
    console.Line(std::string(stage.folder.path().name()) + "  " +
                 Padded(SizeText(stage.bytes), kSizeWidth) + stage.why);
  }
  console.Line((options.dry_run ? "would remove " : "removed ") + Counted(*removed, "stage") +
               (bytes > 0 ? ", " + SizeText(bytes) : ""));
  return 0;
}

void CollectDaily(const StageOptions& options) {
  constexpr int64_t kMost = 2 * kNanoseconds;
  const Result<StageStore> store = FindStages(options.given);
  if (!store || !IsDue(*store)) return;
  const StageCollector collector(*store, options, Nanoseconds(CLOCK_MONOTONIC) + kMost);
  const Result<std::vector<KeptStage>> garbage = collector.Find();
  if (garbage) (void)collector.Remove(*garbage);
}

}  // namespace ringfence
