// Shared by the supervised calls: evaluates names and handles by the plan's rules.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "sandbox/linux/call_arguments.h"
#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// A file that is held by an O_PATH descriptor, and its real path once it has been evaluated.
struct Handle {
  UniqueFd fd;
  std::string path;

  std::string own_name() const { return std::to_string(fd.get()); }  // in Supervision::own_fds
};

// A name as it is passed to a call.
struct NameText {
  int fd;
  const std::string& text;
  bool follow;  // the last component, if it is a link
};

enum class SandboxScope : uint8_t {
  kName,    // the name and the content written to it
  kWhole,   // the name; its content stays unchanged: renamed, removed
  kFolder,  // the name of an empty directory
  kTree,    // the name and all that would then be reachable below it
};

// Each returns 0 or the errno value for the caller, and reports refusals.
int EvaluateName(Supervision& supervision, const Location& location, SandboxScope reach);
// Evaluates a symbolic link that is about to be created.
int EvaluateLink(Supervision& supervision, const Location& link, const std::string& target);
// Evaluates `name` for a directory or link that brings everything below `tree` with it.
int EvaluateTree(Supervision& supervision, const Location& name, const Location& tree);
// Called after a name was created, or a directory or link moved to it: since then, another sandbox
// or the host may have moved its directory or put something below it. If this refuses, the change
// must be undone.
int EvaluateMade(Supervision& supervision, const Location& made, SandboxScope reach);
// The same for the links below a directory that was moved.
int EvaluateMoved(Supervision& supervision, const Location& from, const Location& to);
// Called after a name was created in `folder`. EvaluateMade(), and the check of what the name makes
// of its directory. Removes the name if it is refused.
int EvaluateCreated(Supervision& supervision, const Location& created, const UniqueFd& folder,
                    SandboxScope reach);
// `reach` is kWhole if the content does not change.
int EvaluateHandle(Supervision& supervision, Handle& handle,
                   SandboxScope reach = SandboxScope::kName);
// A standard stream of the command can be a host file that was opened through a host mount. Then
// `handle` becomes the same file as the sandbox's own mounts show it; EPERM if they do not show it.
// Part of EvaluateHandle().
int UseOwnMount(Supervision& supervision, Handle& handle);
// Returns `mode` without set-user-ID and set-group-ID, which would take effect for users who run
// the file outside. Directories keep them: there the bits do not concern programs.
mode_t WithoutSetId(const Handle& handle, mode_t mode);
// Called before a file gets `mode`. Refuses changes outside the writable directories. Also refuses
// to make a directory inaccessible if the next start must find a path below it that is held in
// place.
int EvaluateMode(Supervision& supervision, const Handle& handle, mode_t mode);
int OpenHandle(const SupervisedCaller& caller, const NameText& name, Handle& handle);

// True if the name belongs to git and the rules permit it subject to its content (whole_files.h).
bool MustComeWhole(Supervision& supervision, const Location& location);

// Queues a refusal for the launcher, which tells the user.
void Report(Supervision& supervision, const std::string& path, const GuardedName* rule, int code);
// Reports a program that cannot run in the sandbox at all.
void ReportProgram(Supervision& supervision, std::string program, std::string why);
// Reports EACCES for a reason other than a rule.
void ReportWhy(Supervision& supervision, const std::string& path, std::string why);

// --- the calls that have a source of their own ---

// open(2) and its variants.
CallResult AnswerOpen(const CallArguments& arguments);
// bind(2): binding a Unix socket to a path creates a name; all other addresses are bound unchanged.
CallResult AnswerBind(const CallArguments& arguments);
// connect(2) in a network with a gateway: always continues with the caller's own call, once the
// gateway listens at its port. The address is only a hint, since the caller can change it: wherever
// the connection then goes, it ends at the egress proxy or is refused.
void AwaitGateway(const CallArguments& arguments);
// connect(2) where only the egress proxy's port can be reached: connects the caller's socket to
// that port, and refuses every other address.
CallResult ConnectToProxyPort(const CallArguments& arguments);
// Called when the network's holder has sent something: continues the calls that waited for it.
void ContinueConnects(int listener, Supervision& supervision);
// Calls that change an existing file, regardless of its name: truncate, chmod, fchmod, utimensat,
// setxattr, removexattr and the like.
CallResult AnswerHandleCall(const CallArguments& arguments);
// kill(2) and the other calls that send signals, if neither a process namespace nor Landlock keeps
// signals inside. Only processes of the sandbox receive them, and never the supervisor. The
// receiver of a signal from another process sees the supervisor as its sender (si_pid).
void AnswerSignal(const SupervisedCaller& caller);

}  // namespace ringfence
