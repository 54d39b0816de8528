#include "run/staged_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "audit_log/line.h"
#include "base/directory.h"
#include "base/environment.h"
#include "base/launcher.h"
#include "base/program.h"
#include "base/syscall.h"
#include "base/text.h"
#include "run/clean_terminal.h"
#include "run/copy_project.h"
#include "run/messages.h"
#include "run/stage_environment.h"
#include "run/system_calls.h"
#include "sandbox/backend.h"
#include "sandbox/environment.h"
#include "sandbox/private_folders.h"
#include "staging/store/machine.h"

namespace ringfence {
namespace {

// True if the command has changed nothing.
bool IsEmpty(const UniqueFd& folder) {
  return folder.valid() && AnyEntry(folder, [](const dirent&) { return true; }) == false;
}

// Waits until no other command works on the project alone or applies changes there.
Result<UniqueFd> LockAlone(const StageStore& store, const Path& project) {
  constexpr int kMoment = 500;  // milliseconds
  Result<UniqueFd> lock = store.LockProject(project, kMoment);
  if (!lock || lock->valid()) return lock;
  const std::string id = StageAlone(store, project);
  Say("waiting until " + (id.empty() ? "another command" : "the command of stage " + id) +
      " has finished its work on the project");
  return store.LockProject(project, StageStore::kNoLimit);
}

// Discards an interrupt that waits to be delivered: the one that has ended the command goes to the
// whole job, but ringfence-stage says first what becomes of the changes.
void DiscardInterrupt() {
  const auto before = ::signal(SIGINT, SIG_IGN);
  if (before != SIG_ERR) ::signal(SIGINT, before);
}

// True if a command was killed, or is at work right now, while it applied a stage.
bool HasInterrupted(const StageStore& store) {
  const Result<std::vector<std::string>> ids = store.Ids();
  return ids && std::ranges::any_of(*ids, [&store](const std::string& id) {
           const Result<StageFolder> folder = store.Open(id);
           return folder && folder->HasJournal();
         });
}

}  // namespace

Result<StagedRun> StagedRun::Begin(const RunOptions& options, RunRequest& request,
                                   const CachedFiles& files, int64_t begun) {
  if (IsSupervised()) {
    return Error{Error::Kind::kSystem, "stage", "this is inside another sandbox of ringfence's",
                 "stage the command of the outer sandbox instead"};
  }
  const Path folder = StagesFolder(request.context.places);
  if (folder.is_root()) {
    return UsageError("HOME", "no home directory is known, so no stage can be kept",
                      "name your home directory: --home DIR");
  }
  const StageStore store(folder);
  if (HasInterrupted(store)) {
    if (Status s = RunStageRecovery(options.home); !s) return s.error();
    begun = Nanoseconds(CLOCK_REALTIME);
  }
  const bool can_ask = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  StageEnding ending = PlanEnding(options, request, files, can_ask);
  // Before the stage is created: a wait that the user interrupts leaves nothing.
  UniqueFd project;
  if (ending.works_alone) {
    Status s = LockAlone(store, request.context.places.root_real).MoveTo(project);
    if (!s) return s.error();
    begun = Nanoseconds(CLOCK_REALTIME);  // another command may just have applied its changes
  }
  Result<StageFolder> stage = store.Create();
  if (!stage) return stage.error();
  request.command.stage = stage->path();
  if (!GetsLaterTimes(stage->fd(), begun)) request.command.stage_begun = begun;
  StagedRun run(options, std::move(*stage));
  run.ending_ = std::move(ending);
  run.project_ = std::move(project);
  run.record_.is_agent = request.command.is_agent;
  run.begun_ = begun;
  run.policy_ = request.policy.named_file;
  ::sigprocmask(SIG_SETMASK, nullptr, &run.signals_);
  if (options.json) {
    if (Status s = run.MoveOutput(); !s) return s.error();
  }
  return run;
}

Status StagedRun::MoveOutput() {
  output_ = UniqueFd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  const bool is_moved = output_.valid() && ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
  return CallStatus(is_moved, "dup(standard output)");
}

// Undoes what the run has changed in this process.
Status StagedRun::Return() const {
  if (output_.valid() && ::dup2(output_.get(), STDOUT_FILENO) < 0) {
    return SystemError("dup2(standard output)");
  }
  return CallStatus(::sigprocmask(SIG_SETMASK, &signals_, nullptr) == 0, "sigprocmask");
}

Result<bool> StagedRun::Prepare(RunRequest& request, HostSystem system) {
  const StageRules& stage = request.policy.stage;
  const SandboxRules& sandbox = request.policy.sandbox;
  SandboxCommand& command = request.command;
  Places& places = request.context.places;
  const std::optional<Path> cwd = Path::Parse(command.cwd);
  const bool is_elsewhere = WorksElsewhere(system, command.layers.value_or(sandbox.layers)) &&
                            command.mode.value_or(sandbox.mode) != SandboxMode::kRwx &&
                            stage.buffer == StageBuffer::kDisk && cwd &&
                            cwd->IsInside(places.root_real);
  if (!is_elsewhere || record_.is_elsewhere) return false;
  record_.project = places.root_real;
  record_.is_elsewhere = true;
  if (Status s = folder_.MakeElsewhere(); !s) return s.error();
  if (Status s = Copy(); !s) return s.error();
  const Path copy = folder_.written(record_);
  command.copied_project = places.root_real;
  const std::string_view below = *cwd->Below(places.root_real);
  command.cwd = below.empty() ? copy.text() : copy.Child(below).text();
  SetVariable(command.environment, "PWD=" + command.cwd);
  places.root = copy;
  places.root_real = copy;
  places.start.reset();
  return true;
}

// Changes that the user makes to the project from now on count as made during the run.
Status StagedRun::Copy() {
  keeper_ = UniqueFd();  // of an earlier start
  record_.mechanism = StageMechanism::kCopy;
  if (Status s = SaveStart(); !s) return s;
  return RunProjectCopy(record_.id, options_.home);
}

Status StagedRun::SaveStart() {
  record_.id = folder_.path().name();
  record_.started = Nanoseconds(CLOCK_REALTIME);
  record_.clock_offset = record_.started - TimeSinceBoot();
  record_.boot = CurrentBoot();
  // The sandbox starts the command later than this (PlannedStage::begun), but a copy begins now.
  record_.watermark = begun_ + 1;
  if (record_.mechanism == StageMechanism::kCopy) {
    if (Status s = AwaitFileTime(begun_); !s) return s;
  }
  return folder_.Save(record_);
}

Status StagedRun::Mark(const SandboxPlan& plan) {
  const PlannedStage& stage = plan.stage;
  record_.command = options_.command;  // as the user typed it
  record_.profile = plan.profile;
  if (!stage.is_elsewhere) record_.project = plan.root;
  const bool is_copy = stage.mechanism == StageMechanism::kCopy;
  // The plan would have the command work on the project itself.
  if (stage.is_elsewhere && !record_.is_elsewhere) return SystemError("copy(project)", EINVAL);
  if (is_copy) {
    Say("note: changes are kept in a copy of the project, because " + Printable(stage.why_copy) +
        (stage.is_elsewhere ? "; the command runs in " + Printable(plan.root.text()) : ""));
  }
  const bool is_new = is_copy && !stage.is_elsewhere;
  if (Status s = is_new ? Copy() : record_.is_elsewhere ? folder_.Save(record_) : SaveStart(); !s) {
    return s;
  }
  if (keeper_.valid()) return Unit{};
  if (Status s = StartKeeper(); !s) return s;
  const StageStore store(folder_.path().Parent());
  return project_.valid() ? WorkAlone(store) : WatchOthers(store);
}

Status StagedRun::WorkAlone(const StageStore& store) const {
  const Result<OtherStages> others = PauseOthers(store, project_, record_);
  if (!others) return others.error();
  for (const std::string& id : others->paused) {
    Say("note: stage " + id + " is paused while this command works on the project");
  }
  for (const std::string& id : others->running) {
    Say("warning: stage " + id + " does not pause while this command works on the project");
  }
  return Unit{};
}

Status StagedRun::WatchOthers(const StageStore& store) {
  Result<UniqueFd> lock = store.OpenProjectLock(record_.project);
  if (!lock) return lock.error();
  Result<PauseWatch> watch = PauseWatch::Begin(std::move(*lock));
  if (watch) others_ = std::move(*watch);  // otherwise the other command says that this one goes on
  return Unit{};
}

bool StagedRun::IsWanted() {
  alone_ = others_ ? others_->Look() : "";
  return !alone_.empty();
}

void StagedRun::Paused(bool is_paused) { folder_.NotePause(is_paused ? alone_ : ""); }

// Starts ringfence-stage beside the command, if that takes longer than a moment: it keeps what the
// user may change while the command runs, as it was.
Status StagedRun::StartKeeper() {
  Result<Pipe> pipe = MakePipe();
  if (!pipe) return pipe.error();
  const UniqueFd& stop = pipe->reading;
  keeper_ = std::move(pipe->writing);
  const pid_t child = ::fork();
  if (child < 0) return SystemError("fork");
  if (child > 0) return Unit{};
  // Of the launcher, it has only the pipe: no lock, no output that a reader waits for the end of.
  constexpr int kStop = STDERR_FILENO + 1;
  const int nothing = ::open("/dev/null", O_RDWR);
  const bool is_alone = ::setsid() >= 0 && nothing >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 &&
                        ::dup2(nothing, STDOUT_FILENO) >= 0 &&
                        ::dup2(nothing, STDERR_FILENO) >= 0 && ::dup2(stop.get(), kStop) >= 0 &&
                        ::fcntl(kStop, F_SETFD, 0) == 0 && CloseDescriptorsFrom(kStop + 1);
  if (!is_alone) ::_exit(kSetupFailed);
  constexpr int kMoment = 200;  // milliseconds
  pollfd polled{.fd = kStop, .events = POLLIN, .revents = 0};
  if (::poll(&polled, 1, kMoment) != 0) ::_exit(0);
  ::sigprocmask(SIG_SETMASK, &signals_, nullptr);
  std::vector<std::string> words{"ringfence", "stage",  "keep-bases",
                                 record_.id,  "--stop", std::to_string(kStop)};
  if (!options_.home.empty()) words.insert(words.end(), {"--home", options_.home});
  (void)BecomeStageProgram(std::move(words));
  ::_exit(kSetupFailed);
}

// An open copy of the directory with the changes.
UniqueFd StagedRun::Written() const {
  constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  if (!buffer_.valid()) return OpenFile(folder_.written(record_).text().c_str(), kFolder);
  return UniqueFd(::openat(buffer_.get(), ".", kFolder | O_CLOEXEC));
}

// The record names the descriptor, for other commands and for ringfence-stage, which inherits it.
void StagedRun::TakeBuffer(UniqueFd buffer) {
  buffer_ = std::move(buffer);
  record_.buffer_process = ::getpid();
  record_.buffer_fd = buffer_.get();
  if (const Status saved = folder_.Save(record_); !saved) {
    Say("warning: no command can show the changes yet: " + Printable(saved.error().text()));
  }
}

StagedRun::BufferSpace StagedRun::SpaceOfBuffer() const {
  struct statvfs facts {};
  if (!buffer_.valid() || ::fstatvfs(buffer_.get(), &facts) != 0) return BufferSpace::kFree;
  if (facts.f_bfree == 0) return BufferSpace::kNoBytes;
  return facts.f_ffree == 0 ? BufferSpace::kNoNames : BufferSpace::kFree;
}

bool StagedRun::IsBufferFull() const { return SpaceOfBuffer() != BufferSpace::kFree; }

AuditEntry StagedRun::StartEntry(const SandboxPlan& plan) const {
  // Names the program, but not its arguments, which may contain secrets.
  return {.event = "StageStart",
          .paths = {record_.project.text()},
          .verdict = LoggedVerdict::kPermit,
          .why = "start of " + Quote(plan.argv.front()) + " in " + Quote(plan.cwd.text()) +
                 ", mechanism " + std::string(MechanismName(record_.mechanism)) + ", watermark " +
                 AuditFileTime(record_.watermark),
          .stage = record_.id};
}

AuditEntry StagedRun::EndEntry(int status) const {
  return {.event = "StageEnd",
          .paths = {record_.project.text()},
          .verdict = LoggedVerdict::kPermit,
          .why = HasNoChanges() ? "the command changed nothing" : "",
          .status = static_cast<uint64_t>(status),
          .stage = record_.id};
}

// True if an overlay has nothing; a copy has to be compared first.
bool StagedRun::HasNoChanges() const {
  return record_.mechanism == StageMechanism::kOverlay && IsEmpty(Written());
}

void StagedRun::SayIfBufferIsFull() const {
  const BufferSpace space = SpaceOfBuffer();
  if (space == BufferSpace::kNoBytes) {
    Say("the command was ended: its changes have filled the memory of stage.buffer_size");
  }
  if (space == BufferSpace::kNoNames) {
    Say("the command was ended: it has created more files than stage.buffer_size has room for, "
        "one for 2 KiB");
  }
}

// The user knows of the signals that come from the terminal or from closing it, and shells are
// silent about a pipe whose reader has ended.
void StagedRun::SayIfKilled(int signal) const {
  constexpr int kUsual[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  const bool is_usual = std::ranges::find(kUsual, signal) != std::end(kUsual);
  if (signal == 0 || is_usual || IsBufferFull()) return;
  Say(Quote(options_.command.front()) + " was ended by signal " + std::to_string(signal) + " (" +
      ::strsignal(signal) + ")");
}

Outcome StagedRun::Finish(int status, int signal) {
  // Before the user reads the list of changes and decides.
  if (!options_.json) CleanTerminal();
  SayIfBufferIsFull();
  SayIfKilled(signal);
  if (HasNoChanges() && !options_.json) {
    Abandon();
    Say("the command changed nothing in the project");
    return status;
  }
  record_.state = StageState::kEnded;
  record_.status = status;
  if (Status s = folder_.Save(record_); !s) return s.error();
  std::vector<std::string> words{"ringfence", "stage", "ended", record_.id};
  const auto add = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  const auto add_flag = [&words](const char* option, bool is_given) {
    if (is_given) words.emplace_back(option);
  };
  add("--home", options_.home);
  add("--policy", policy_);
  add_flag("--apply", options_.apply);
  add_flag("--discard", options_.discard);
  add_flag("--keep", options_.keep);
  add_flag("--json", options_.json);
  add("--automatic", std::string(ending_.automatic));
  if (signal != 0) add("--signal", std::to_string(signal));
  if (project_.valid()) {
    if (::fcntl(project_.get(), F_SETFD, 0) != 0) return SystemError("fcntl(lock of the project)");
    add("--project", std::to_string(project_.get()));
  }
  if (!ending_.why_not.empty()) Say("note: the command is not trusted: " + ending_.why_not);
  if (signal == SIGINT) DiscardInterrupt();
  if (Status s = Return(); !s) return s.error();
  if (buffer_.valid() && ::fcntl(buffer_.get(), F_SETFD, 0) != 0) return SystemError("fcntl");
  return NotShown(BecomeStageProgram(std::move(words)));
}

// ringfence-stage cannot be started. The stage has ended, so that it can be applied later, but
// changes in memory end with this process.
Error StagedRun::NotShown(Error error) const {
  const std::string& id = record_.id;
  error.what += buffer_.valid() ? "; the changes of stage " + id + " were in memory and are lost"
                                : "; the changes are kept as stage " + id;
  if (!buffer_.valid()) error.hint += "; then: ringfence stage diff " + id;
  return error;
}

void StagedRun::Abandon() {
  const Status removed = folder_.Remove();
  if (!removed) Say("warning: the stage is not removed: " + Printable(removed.error().text()));
}

Error BecomeStageProgram(std::vector<std::string> words) {
  const Result<std::string> program = ProgramBeside("ringfence-stage");
  if (!program) return program.error();
  std::vector<std::string> environment = EnvironmentForStage(OwnEnvironment());
  ::execve(program->c_str(), ArgumentPointers(words).data(), ArgumentPointers(environment).data());
  return ProgramNotStarted(*program, errno);
}

}  // namespace ringfence
