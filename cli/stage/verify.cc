#include "cli/stage/verify.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/launcher.h"
#include "base/syscall.h"
#include "base/text.h"
#include "cli/common/foreground.h"
#include "policy/files/cached_files.h"
#include "policy/files/real_files.h"
#include "run/messages.h"
#include "run/request.h"
#include "run/stage_environment.h"
#include "run/start.h"
#include "run/system_calls.h"
#include "sandbox/backend.h"
#include "staging/merged_layer.h"

namespace ringfence {
namespace {

// Runs in a process of its own, since a run takes over signals and the current directory.
int RunOver(const Path& layer, const RunOptions& options) {
  // Standard output is for the result of this program.
  if (::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return kSetupFailed;
  const RealFiles disk;
  const CachedFiles files(disk);
  Result<RunRequest> request = ReadRequest(options, files, false);
  if (!request) {
    PrintError(request.error());
    return kSetupFailed;
  }
  request->command.environment = EnvironmentOfUser(request->command.environment);
  request->command.stage = layer;
  request->policy.stage.buffer = StageBuffer::kDisk;  // the layer is there
  const Outcome outcome = RunRequested(std::move(*request));
  if (outcome.error) PrintError(*outcome.error);
  return outcome.status;
}

// Returns the exit status, as a shell reports it.
Result<int> RunAside(const Path& layer, const RunOptions& options) {
  const pid_t child = ::fork();
  if (child < 0) return SystemError("fork");
  // Otherwise the check would go on, and keep the stage locked, if this process is ended.
  if (child == 0) ::_exit(EndWithParent() ? RunOver(layer, options) : kSetupFailed);
  const IgnoreInterrupt ignore;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return SystemError("waitpid");
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Status VerifyMerged(const Stage& stage, const MergePlan& plan,
                    const std::vector<std::string>& commands, const Registration& given) {
  if (commands.empty()) return Unit{};
  if (stage.record().is_elsewhere) {
    return Error{Error::Kind::kSystem, "stage.verify",
                 "cannot check the changes of a command that worked in a copy of the project, in "
                 "the copy's own directory; nothing is applied",
                 "remove \"verify\" from \"stage\" in the policy to apply them without a check"};
  }
  const Result<MergedLayer> merged = MergedLayer::Of(stage, plan);
  if (!merged) return merged.error();
  for (const std::string& command : commands) {
    Say("verify: " + Printable(command));
    RunOptions options;
    static_cast<Registration&>(options) = given;
    options.profile = stage.record().profile;
    options.chdir = stage.record().project.text();
    options.command = SplitWords(command);
    const Result<int> status = RunAside(merged->path(), options);
    if (!status) return status.error();
    if (*status == 0) continue;
    return Error{
        Error::Kind::kSystem, "stage.verify",
        Quote(command) + " ended with status " + std::to_string(*status) + "; nothing is applied",
        "ringfence stage diff " + stage.record().id + " shows the changes"};
  }
  return Unit{};
}

}  // namespace ringfence
