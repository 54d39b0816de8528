#include "cli/setup/installation.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "agents/claude/agent.h"
#include "agents/claude/setup/mcp_servers.h"
#include "agents/claude/setup/plugin.h"
#include "base/regular_file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/common/ask.h"
#include "cli/common/file_place.h"
#include "cli/common/registered.h"
#include "cli/common/state.h"
#include "cli/setup/repository_writes.h"
#include "cli/setup/starter_policy.h"
#include "policy/evaluate/fix.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "policy/load/load.h"
#include "run/typed_context.h"

namespace ringfence {
Installation::Installation(InstallRequest request)
    : request_(std::move(request)), start_(request_.where.project_dir) {}

std::optional<InstallFailure> Installation::Run(InstallReport& report) {
  report_ = &report;
  using Step = Status (Installation::*)();
  constexpr Step kSteps[] = {
      &Installation::OpenTransaction, &Installation::FindTarget,     &Installation::ReadSettings,
      &Installation::ReadPolicy,      &Installation::EnsurePolicy,   &Installation::NotePolicy,
      &Installation::EditSettings,    &Installation::PlanRepository,
  };
  for (const Step step : kSteps) {
    if (Status s = (this->*step)(); !s) return InstallFailure{s.error()};
  }
  NoteProgram();
  NotePlugin();
  if (borrowed_.is_borrowed()) NoteBorrowed();
  report.confinement = policy_->wrap_bash ? WrappedConfinement(policy_->sandbox.mode)
                                          : CheckConfinement(files_, limited_.tools);
  report.switches = FindHookSwitches(files_, request_.layer);
  if (request_.dry_run) return {};
  // The approvals come first: the hook of a running session compares the new settings with them.
  if (Status s = WriteState(); !s) return InstallFailure{s.error()};
  if (Status s = WriteSettings(); !s) return InstallFailure{s.error()};
  if (Status s = ProveIt(); !s) return InstallFailure{s.error(), true};
  if (Status s = transaction_.Commit(); !s) return InstallFailure{s.error()};
  return {};
}

Status Installation::OpenTransaction() {
  return request_.dry_run ? Status(Unit{}) : transaction_.Open(request_.where.home);
}

// Notes that the hook refuses every call in this directory, and suggests --root if that helps.
void Installation::NoteBorrowed() {
  Registration here = request_.where;
  here.project_dir = here.root = start_;
  here.program = request_.hook.path;
  here.policy = request_.policy;
  const bool can_be_root = FindTypedContext(here, RealFiles()).has_value();
  Note("if the client starts in this directory, the hook refuses every call there: " +
       borrowed_.reason() + ". Start it in a project's directory" +
       (can_be_root ? ", or run: ringfence init --root " + ShellWord(start_) : ""));
}

// Refuses a link in a project, which may lead to a file outside the project.
Status Installation::FindTarget() {
  const std::string path = SettingsPath(request_.layer, request_.where);
  report_->settings_path = path;
  if (Status s = FollowedPath(path).MoveTo(target_); !s) return s.error();
  if (IsPerProject(request_.layer) && target_ != path) {
    return ConfigError(path,
                       "is a link to " + Quote(target_) + ", which is not this project's to change",
                       "replace the link with a file, or use --user");
  }
  return Unit{};
}

Status Installation::ReadSettings() {
  for (const SettingsLayer layer : DistinctLayers(request_.where)) {
    Result<SettingsFile> file = ReadSettingsFile(layer, request_.where);
    if (!file) return file.error();
    files_.push_back(std::move(*file));
  }
  const SettingsFile& own = Own();
  before_ = own.text;
  for (const SettingsFile& file : files_) {
    if (file.settings.drops.empty()) continue;
    const Error& drop = file.settings.drops.front();
    if (&file != &own) {
      Note("the client drops " + file.settings.name + " as a whole: " + drop.text());
      continue;
    }
    const size_t others = file.settings.drops.size() - 1;
    return ConfigError(
        drop.where,
        drop.what + (others > 0 ? " (and " + std::to_string(others) + " more)" : "") +
            ": because of this the client drops the whole settings file, hooks included",
        "fix it and run ringfence init again; nothing was changed");
  }
  for (const Error& ignored : own.settings.ignored) {
    Note("the client ignores a hook entry: " + ignored.text());
  }
  return Unit{};
}

SettingsFile& Installation::Own() {
  const auto own = std::ranges::find(files_, report_->settings_path, &SettingsFile::path);
  return own == files_.end() ? files_.front() : *own;
}

// Returns the options that the hook is registered with.
Registration Installation::Typed() const {
  Registration typed = request_.where;
  typed.program = request_.hook.path;
  typed.policy = request_.policy;
  typed.profile = request_.profile;
  typed.root = request_.root;
  return typed;
}

Status Installation::ReadPolicy() {
  const bool is_there = request_.policy.empty() || ::access(request_.policy.c_str(), F_OK) == 0;
  Registration typed = Typed();
  if (!is_there) typed.policy.clear();
  // Settings for all projects must not depend on the user's current directory.
  const bool may_borrow = !IsPerProject(request_.layer) && !request_.directory_is_given;
  Result<Context> context =
      may_borrow ? borrowed_.Find(typed) : FindTypedContext(typed, RealFiles());
  request_.where.project_dir = typed.project_dir;
  if (!context) return context.error();
  context_ = std::move(*context);
  if (!IsPerProject(request_.layer)) {
    std::erase_if(context_->sources.sources,
                  [](const PolicySource& source) { return source.layer == Layer::kProject; });
  }
  if (Status s = context_->PolicyFor().MoveTo(policy_); !s) return s.error();
  return Unit{};
}

Status Installation::EnsurePolicy() {
  std::string path = request_.policy;
  if (path.empty() && IsPerProject(request_.layer)) {
    path = ProjectPolicyPath(context_->places.root_real.text());
  } else if (path.empty()) {
    path = request_.layer == SettingsLayer::kManaged ? kManagedPolicy
                                                     : UserPolicyPath(request_.where.home);
  }
  report_->policy_path = path;
  const Result<std::optional<std::string>> text = ReadIfThere(path);
  if (!text) return text.error();
  if (*text) return Unit{};
  const std::string starter = StarterPolicy(ConfiguredMcpServers(request_.where));
  std::vector<Error> mistakes;
  if (LoadPolicy({starter, path, path, true, &ClaudeCode()}, mistakes) == nullptr)
    return mistakes.front();
  report_->policy_is_new = true;
  if (request_.dry_run) return Unit{};
  if (Status s = transaction_.Write(path, {}, starter, {}); !s) return s.error();
  if (IsPerProject(request_.layer) && request_.policy.empty()) {
    if (Status s = PinStarter(starter); !s) return s.error();
  }
  return ReadPolicy();
}

Status Installation::NotePolicy() {
  if (Status s = NoteRepository(); !s) return s.error();
  if (!IsPerProject(request_.layer)) return Unit{};
  for (const std::string& note : context_->sources.notes) Note(note);
  return Unit{};
}

// If the project is only a part of a repository, offers to widen it, or adds a note.
Status Installation::NoteRepository() {
  if (borrowed_.is_borrowed()) return Unit{};
  const Places& places = context_->places;
  const std::optional<Path> repository = RepositoryAround(places, RealFiles());
  if (!repository || *repository == places.root_real) return Unit{};
  const bool is_pinned = IsPerProject(request_.layer) && request_.policy.empty();
  const std::string policy = ShownPath(report_->policy_path, request_.where);
  if (request_.may_ask && !is_pinned && Terminal().can_ask()) {
    const bool is_for_all = request_.policy.empty();
    switch (AskForRepository(*repository, policy, is_for_all)) {
      case UserReply::kYes:
        return WidenToRepository();
      case UserReply::kNo:
        break;
      case UserReply::kInterrupted:
        return UsageError("", "interrupted", "nothing was changed");
    }
  }
  Note("this directory is part of the repository " + Quote(repository->text()) +
       ", and the rest of it is outside the project. To work on all of it, add \"root\": \"git\" "
       "to " +
       policy + (is_pinned ? ", and run: ringfence trust" : ""));
  return Unit{};
}

Status Installation::WidenToRepository() {
  const std::string& path = report_->policy_path;
  const Result<std::optional<std::string>> before = ReadIfThere(path);
  if (!before) return before.error();
  const Result<std::string> after = WithRepositoryAsRoot(before->value_or("{}"), path);
  if (!after) return after.error();
  if (Status s = transaction_.Write(path, *before, *after, {}); !s) return s.error();
  return ReadPolicy();
}

Status Installation::PinStarter(const std::string& text) {
  auto trust = ReadTrust(request_.where.home);
  if (!trust) return trust.error();
  Pin(trust->value, {context_->places.root_real.text(), Sha256Hex(text)});
  return Save(*trust, transaction_);
}

HookCommand Installation::Command() const {
  // Shared settings serve several users, each with a different home.
  const bool is_own =
      request_.layer == SettingsLayer::kUser || request_.layer == SettingsLayer::kLocal;
  Registration registration = Typed();
  if (!is_own) registration.home.clear();
  return CommandOf(registration);
}

Status Installation::EditSettings() {
  const auto records = ReadRecords(request_.where.home);
  if (!records) return records.error();
  Result<SettingsEditor> editor = OpenSettings(before_, RecordOf(records->value, target_));
  if (!editor) return editor.error();
  editor->Register(Command());
  if (Status s =
          LimitClient({request_, files_, Own(), *context_, *policy_, borrowed_.is_borrowed()},
                      *editor)
              .MoveTo(limited_);
      !s)
    return s.error();
  for (const std::string& note : limited_.notes) Note(note);
  after_ = editor->text();
  record_ = editor->record();
  report_->changes = editor->changes();
  for (SettingsFile& file : files_) {
    if (!LeadToOneFile(file.path, target_)) continue;
    file.settings = CheckSettings(after_, file.path, request_.where);
  }
  return Unit{};
}

// The user's settings serve every project, so settings for one directory go into its own file.
Status Installation::PlanRepository() {
  const auto local = std::ranges::find(files_, SettingsLayer::kLocal, &SettingsFile::layer);
  const bool is_in_other_file = request_.layer == SettingsLayer::kUser && local != files_.end();
  if (is_in_other_file && !borrowed_.is_borrowed()) {
    const auto records = ReadRecords(request_.where.home);
    if (!records) return records.error();
    if (Status s = PlanRepositoryWrites({*local, RecordOf(records->value, local->path), target_,
                                         request_.hook.path, limited_.writes})
                       .MoveTo(report_->repository);
        !s)
      return s.error();
  }
  if (const std::optional<RepositoryChange>& change = report_->repository) {
    local->text = change->after;
    local->settings = CheckSettings(local->text, local->path, request_.where);
  }
  NoteWhereCommandsWrite(local == files_.end() ? nullptr : &local->settings);
  return Unit{};
}

void Installation::NoteWhereCommandsWrite(const ClientSettings* local) {
  const Places& places = context_->places;
  const bool starts_in_part = StartOf(places) != places.root && request_.root.empty();
  if (!starts_in_part || !limited_.limits_sandbox || borrowed_.is_borrowed()) return;
  if (local != nullptr && OpensWrites(*local, places.root_real)) return;
  Note(
      "commands in the client's sandbox write only in the directory in which the client starts. "
      "To commit, start it in " +
      Quote(places.root.text()));
}

Status Installation::WriteSettings() {
  if (const std::optional<RepositoryChange>& change = report_->repository) {
    Status s = transaction_.Write(change->path, change->before, change->after, {});
    if (!s) return s.error();
  }
  if (before_ == after_) return Unit{};
  return transaction_.Write(target_, before_, after_, {});
}

Status Installation::WriteState() {
  auto approvals = ReadApprovalsFile(request_.where.home);
  if (!approvals) return approvals.error();
  auto records = ReadRecords(request_.where.home);
  if (!records) return records.error();
  PutRecord(records->value, record_);
  if (report_->repository) PutRecord(records->value, report_->repository->record);
  ApproveFiles(approvals->value, records->value);
  if (Status s = Save(*approvals, transaction_); !s) return s.error();
  return Save(*records, transaction_);
}

void Installation::ApproveFiles(Approvals& approvals, const std::vector<SettingsRecord>& records) {
  for (const SettingsFile& file : files_) {
    const bool is_borrowed = borrowed_.is_borrowed() && IsPerProject(file.layer);
    const bool is_target = LeadToOneFile(file.path, target_);
    if (is_borrowed || (!file.text && !is_target) || !file.settings.drops.empty()) continue;
    ApprovedFile approved = ApprovedWith(file.settings, request_.hook.path,
                                         is_target ? record_ : RecordOf(records, file.path));
    if (!approved.hooks.empty()) {
      Note(std::to_string(approved.hooks.size()) + " other hook entries in " + file.settings.name +
           " are approved as they are");
    }
    Approve(approvals, approved);
    approved.path = ResolvedSettingsPath(file.layer, request_.where);
    Approve(approvals, approved);
  }
}

// Reads the command back from the file, to prove exactly what the client will start.
Status Installation::ProveIt() {
  Result<SettingsFile> file = ReadSettingsFile(request_.layer, request_.where);
  if (!file) return file.error();
  const auto entry = std::ranges::find_if(file->settings.hooks, [&](const HookEntry& hook) {
    return hook.event == ServedEvents().front() && Runs(hook, request_.hook.path);
  });
  if (entry == file->settings.hooks.end() || !file->settings.drops.empty()) {
    return ConfigError(target_, "does not contain the registration after writing it");
  }
  // Uses the hook's context in this directory, because the project's own policy may narrow it.
  const Result<Context> context = FindTypedContext(Typed(), RealFiles());
  if (!context) return context.error();
  const Result<Policy> policy = context->PolicyFor();
  if (!policy) return policy.error();
  Result<Proof> proof = Prove({.command = {entry->command, entry->args},
                               .home = request_.where.home,
                               .project = request_.where.project_dir,
                               .session = std::string(kInitSession),
                               .trial = TrialFor(*policy, context->places, request_.where)});
  if (!proof) return proof.error();
  // A decision of the command proves nothing if the client does not start it.
  if (report_->switches.empty()) report_->proof = std::move(*proof);
  return Unit{};
}

void Installation::NotePlugin() {
  if (!FindPlugin(request_.where, files_).is_in_force()) return;
  Note(
      "the plugin ringfence@ringfence registers the hook as well: both decide each call, and the "
      "log has it once");
  if (request_.policy.empty() && request_.profile.empty() && request_.root.empty()) return;
  Note(
      std::string("the plugin's hook uses none of these options, and the stricter decision counts. "
                  "To use only this registration: ") +
      kRemovePlugin);
}

void Installation::NoteProgram() {
  const std::string& path = request_.hook.path;
  if (!request_.hook.is_immune_to_preloading) {
    Note(Quote(path) +
         " is not a static program: LD_PRELOAD in the settings of a project can "
         "silence it. Use the ringfence-hook that install.sh builds");
  }
  if (request_.layer == SettingsLayer::kProject && IsBelowAHome(path, request_.where.home)) {
    Note(".claude/settings.json is shared, and " + Quote(path) +
         " is below a home directory: every "
         "call of a colleague who has no such program will be blocked. Use --local, or install "
         "ringfence for all users (install.sh --prefix /usr/local)");
  }
}

}  // namespace ringfence
