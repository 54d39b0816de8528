// The paths and hosts that a policy opens to commands in the client's sandbox: those that
// `ringfence init` opens there, and those that the policy permits to tools.
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
  // The arguments must outlive the object.
  CommandRights(const Policy& policy, const Places& places, const FileView& files);

  // True for the whole project, even if the policy lets tools write less, because the client opens
  // the directory in which it starts. Follows links.
  bool MayWrite(const Path& folder) const;
  // `domain` is "host" or "*.host". True for all domains if the policy does not evaluate hosts.
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
