// Proves that a registered hook decides: one event that must be denied and one that must pass.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/settings_editor.h"
#include "cli/settings_files.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

struct Proof {
  std::string denied_path;
  std::string reason;  // what the model would be told
  std::string permitted_path;
};

struct ProofCase {
  HookCommand command;
  std::string home;
  std::string project;         // an existing folder
  std::string permitted_path;  // that the policy permits to read; "": there is none to try
};

// A name in the first folder that the policy lets the agent read, or "".
std::string PermittedRead(const Policy& policy, const Places& places, const Whereabouts& where);

// An error says which of the two went wrong, and how.
Result<Proof> Prove(const ProofCase& proof_case);

}  // namespace ringfence
