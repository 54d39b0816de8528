// What a policy lets commands in the client's sandbox write and reach: what `ringfence init` would
// open there, and what the policy permits to tools besides.
#pragma once

#include <string>
#include <vector>

#include "base/path.h"
#include "policy/files/file_view.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

class CommandRights {
 public:
  // All of them outlive this.
  CommandRights(const Policy& policy, const Places& places, const FileView& files);

  // All of the project counts, however little of it the policy lets tools write: the client opens
  // the directory in which it starts. Links are followed.
  bool MayWrite(const Path& folder) const;
  // "host" or "*.host". Everything where the policy evaluates no hosts.
  bool MayReach(const std::string& domain) const;

 private:
  Path Real(const std::string& path) const;

  const Policy& policy_;
  const Places& places_;
  const FileView& files_;
  std::vector<Path> folders_;  // resolved
  std::vector<std::string> domains_;
};

}  // namespace ringfence
