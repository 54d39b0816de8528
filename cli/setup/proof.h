// Proves that a registered hook decides: it must deny one event and let another one pass.
#pragma once

#include <string>
#include <string_view>

#include "agents/claude/setup/settings_editor.h"
#include "agents/claude/setup/settings_files.h"
#include "base/result.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// The calls to try. The names of their paths are random, so that no program can know the answers.
struct Trial {
  std::string tool;            // "Read" or "Write", which the policy denies for `denied_path`
  std::string denied_path;     // does not exist
  std::string permitted_path;  // the policy permits reading it; "" if there is none to try
};
Trial TrialFor(const Policy& policy, const Places& places, const Registration& where);

// The sessions that mark the trials of `init` and `doctor` in the log.
inline constexpr std::string_view kInitSession = "ringfence-init";
inline constexpr std::string_view kDoctorSession = "ringfence-doctor";

struct Proof {
  Trial trial;
  std::string reason;  // the reason that the model is told
};

struct ProofCase {
  HookCommand command;
  std::string home;     // HOME as the client sets it
  std::string project;  // an existing directory
  std::string session;  // kInitSession or kDoctorSession
  Trial trial;
  bool is_logged = true;  // false if the trial must leave nothing in the audit log
};

// The error tells which of the two events failed, and how.
Result<Proof> Prove(const ProofCase& proof_case);

}  // namespace ringfence
