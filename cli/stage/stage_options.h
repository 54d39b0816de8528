// The options of `ringfence stage` and its subcommands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "policy/places.h"

namespace ringfence {

enum class StageCommand {
  kList,
  kDiff,
  kApply,
  kDiscard,
  kUndo,
  kEnded,
  kCopy,
  kKeepBases,
  kRecover,
  kGc,
  kReview
};

constexpr size_t kPolicyDays = SIZE_MAX;  // the policy says how many

// Each subcommand declares those that it has.
struct StageOptions {
  Registration given;  // home, policy
  bool json = false;
  std::string id;                  // or its beginning; "" if there is only one stage
  std::vector<std::string> paths;  // in the project; empty for all
  size_t stop = 0;                 // of kKeepBases: a pipe whose other end the launcher holds
  size_t days = kPolicyDays;       // of kGc
  bool dry_run = false;            // of kGc
  bool stat = false;
  bool name_only = false;
  std::string output;     // of kReview: a file; "" for standard output
  std::string conflicts;  // "staged" or "mine": how all conflicts are resolved; "": ask
  bool apply = false, discard = false, keep = false;  // what to do with the changes
  // Of kEnded:
  std::string automatic;  // "trusted" or "all": the policy applies the changes (StageEnding)
  size_t project = 0;     // descriptor of the project's lock; 0 if this process has to take it
  size_t signal = 0;      // that has ended the command
};

// Carries out the subcommand. Part of ringfence-stage; in ringfence-cli, which links no libgit2, an
// error.
Outcome RunStageCommand(StageCommand command, const StageOptions& options);

}  // namespace ringfence
