// What the supervised calls have in common: evaluating names and handles by the plan's rules.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// A file that is held open without being opened (O_PATH), and its real path once it was evaluated.
struct Handle {
  UniqueFd fd;
  std::string path;
};

// A name as a call gives it.
struct NameText {
  int fd;
  const std::string& text;
  bool follow;  // the last component, when it is a link
};

enum class SandboxScope : uint8_t {
  kName,    // the name itself, with what is written into it
  kWhole,   // the name itself, whose content stays as it is: renamed, removed
  kFolder,  // of an empty folder
  kTree,    // also what would then be reachable below it
};

// Each returns 0 or the errno value that the caller gets. Refusals are reported.
int EvaluateName(Supervision& supervision, const Location& location, SandboxScope reach);
// A symbolic link that is made.
int EvaluateLink(Supervision& supervision, const Location& link, const std::string& target);
// A folder or link at `name` would bring what lies below `tree`.
int EvaluateTree(Supervision& supervision, const Location& name, const Location& tree);
// Once a name was made, or a folder or link moved to it: another sandbox or the host may have moved
// its folder meanwhile, or put something below it. What is refused now is to be undone.
int EvaluateMade(Supervision& supervision, const Location& made, SandboxScope reach);
// The same for the links below a folder that was moved.
int EvaluateMoved(Supervision& supervision, const Location& from, const Location& to);
// `reach` is kWhole where only the mode or the times change.
int EvaluateHandle(Supervision& supervision, Handle& handle,
                   SandboxScope reach = SandboxScope::kName);
// A standard stream of the command is a file of the host's, opened through a mount of the host's:
// `handle` becomes the same file as the sandbox's own mounts show it. EPERM where they do not. Part
// of EvaluateHandle().
int UseOwnMount(Supervision& supervision, Handle& handle);
// The mode that a file may get: without set-user-ID and set-group-ID, which would serve those who
// start it outside. Of a directory they say nothing about programs.
mode_t WithoutSetId(const Handle& handle, mode_t mode);
// A file is about to get `mode`: outside of what may be written it is not, and a folder that nobody
// can look into keeps the next start from finding what is held in place below it.
int EvaluateMode(Supervision& supervision, const Handle& handle, mode_t mode);
int OpenHandle(const SupervisedCaller& caller, Supervision& supervision, const NameText& name,
               Handle& handle);

// The name is one of git's that the rules leave to git, but for its content (whole_files.h).
bool MustComeWhole(Supervision& supervision, const Location& location);

// For the launcher, who tells people.
void Report(Supervision& supervision, const std::string& path, const GuardedName* rule, int code);
// A program that cannot run here at all.
void ReportProgram(Supervision& supervision, std::string program, std::string why);
// EACCES for a reason that is no rule's.
void ReportWhy(Supervision& supervision, const std::string& path, std::string why);

}  // namespace ringfence
