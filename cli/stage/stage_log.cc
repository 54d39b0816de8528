#include "cli/stage/stage_log.h"

#include <sys/stat.h>

#include <utility>

#include "audit_log/append.h"
#include "audit_log/line.h"
#include "base/syscall.h"
#include "base/text.h"
#include "cli/common/assumed_folder.h"
#include "cli/common/console.h"
#include "cli/stage/describe_change.h"
#include "cli/stage/show_changes.h"
#include "policy/files/real_files.h"
#include "run/messages.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

using FileState = AuditEntry::FileState;

// The context of the stage's project, or of no project if it does not exist any more.
Result<Context> LogContext(Registration given, const Result<StageRecord>& record) {
  const RealFiles disk;
  struct stat facts {};
  if (record && ::stat(record->project.text().c_str(), &facts) == 0) {
    given.root = record->project.text();
    given.profile = record->profile;
    return FindTypedContext(std::move(given), disk);
  }
  const AssumedFolder files(disk, kNowhere);
  given.root.clear();
  given.project_dir = kNowhere;
  return FindTypedContext(std::move(given), files);
}

std::optional<FileState> StateOf(const Entry& entry) {
  if (!entry.exists()) return {};
  FileState state{.kind = std::string(EntryKindWord(entry.kind))};
  if (entry.is_link()) {
    state.target = entry.target;
    return state;
  }
  state.mode = ModeText(entry.mode);
  if (entry.is_file()) {
    state.size = entry.size;
    state.sha256 = entry.digest;
  }
  return state;
}

std::string_view ResultWord(const PlannedChange& planned) {
  switch (planned.action) {
    case ChangeAction::kApply:
      return planned.resolution == ConflictResolution::kStaged ? "staged" : "applied";
    case ChangeAction::kMerge:
      return planned.resolution == ConflictResolution::kEdited ? "edited" : "merged";
    case ChangeAction::kConflict:
      return "conflict";
    case ChangeAction::kHold:
      return "held";
    case ChangeAction::kSkip:
      return planned.resolution == ConflictResolution::kMine ? "mine" : "skipped";
  }
  return "";
}

// "12 changes, 1 of them merged; 2 not applied"
std::string SummaryOf(const MergePlan& plan) {
  const size_t merged = plan.Count(ChangeAction::kMerge);
  const size_t done = plan.Count(ChangeAction::kApply) + merged;
  std::string text = Counted(done, "change");
  if (merged > 0) text += ", " + Grouped(merged) + " of them merged";
  if (done < plan.changes.size())
    text += "; " + Grouped(plan.changes.size() - done) + " not applied";
  return text;
}

// A policy that cannot be read is only a warning.
Status LogOne(const Registration& given, const StageFolder& stage, AuditEntry entry) {
  const Result<StageLog> log = StageLog::Of(given, stage);
  if (log) return log->Write({std::move(entry)});
  Say("warning: this is not logged: " + Printable(log.error().text()));
  return Unit{};
}

}  // namespace

Result<StageLog> StageLog::Of(const Registration& given, const StageFolder& stage) {
  const Result<StageRecord> record = stage.Load();
  const Result<Context> context = LogContext(given, record);
  if (!context) return context.error();
  const Result<Policy> policy = context->PolicyFor();
  if (!policy) return policy.error();
  const std::optional<Path> file = OwnPath(policy->audit.file, context->places);
  if (!file) {
    return UsageError("HOME", "no home directory is known, so the audit log is not known either",
                      "name your home directory: --home DIR");
  }
  StageLog log(std::string(stage.path().name()), *file);
  log.rules_ = policy->audit;
  log.rules_.file = "";  // its text belongs to the policy, and `file_` counts
  log.profile_ = policy->profile;
  return log;
}

Status StageLog::Write(std::vector<AuditEntry> entries) const {
  const int64_t now = Nanoseconds(CLOCK_REALTIME);
  std::vector<NewAuditLine> lines;
  lines.reserve(entries.size());
  for (AuditEntry& entry : entries) {
    entry.time = AuditTime(now);
    entry.stage = id_;
    entry.profile = profile_;
    // Each has a time of its own, since the names of rotated files are made of them.
    lines.push_back({AuditText(entry), now + static_cast<int64_t>(lines.size())});
  }
  const Status added = AppendAllToAudit(file_, rules_, lines);
  if (added) return Unit{};
  const Error error{Error::Kind::kSystem, "audit log: " + added.error().where, added.error().what,
                    "name a file that you can write: \"audit\": {\"file\": ...} of the policy"};
  if (rules_.required) return error;
  Say("warning: this is not logged: " + Printable(error.text()));
  return Unit{};
}

Status LogRemoval(const Registration& given, const StageFolder& stage, std::string_view by) {
  return LogOne(
      given, stage,
      {.event = "StageDiscard", .verdict = LoggedVerdict::kPermit, .by = std::string(by)});
}

Status LogRecovery(const Registration& given, const StageFolder& stage) {
  return LogOne(given, stage,
                {.event = "StageRecover",
                 .verdict = LoggedVerdict::kPermit,
                 .why = "a command was interrupted; what it had changed in the project is undone",
                 .by = "recovery"});
}

AuditEntry ChangeEntry(const PlannedChange& planned, const Path& project) {
  const Change& change = planned.change;
  Entry after = change.after;
  after.mode = planned.mode();
  if (planned.action == ChangeAction::kMerge) after.size = planned.merged.size();
  return {.event = "StageChange",
          .paths = {project.text() + "/" + change.path},
          .verdict = planned.is_done() ? LoggedVerdict::kPermit : LoggedVerdict::kDeny,
          .why = planned.why,
          .change = std::string(ChangeWord(change)),
          .moved_from = change.moved_from.empty() ? "" : project.text() + "/" + change.moved_from,
          .result = std::string(ResultWord(planned)),
          .before = StateOf(change.before),
          .after = StateOf(after)};
}

std::vector<AuditEntry> ApplyEntries(const Path& project, const MergePlan& plan, uint64_t number,
                                     const Deciders& deciders) {
  std::vector<AuditEntry> entries;
  entries.reserve(plan.changes.size() + 1);
  entries.push_back({.event = "StageApply",
                     .paths = {project.text()},
                     .verdict = LoggedVerdict::kPermit,
                     .why = SummaryOf(plan),
                     .number = number,
                     .by = deciders.by});
  for (const PlannedChange& planned : plan.changes) {
    AuditEntry entry = ChangeEntry(planned, project);
    entry.number = number;
    entry.by = planned.resolution == ConflictResolution::kNone ? deciders.by : deciders.conflicts;
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace ringfence
