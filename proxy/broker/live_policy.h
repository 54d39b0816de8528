// The policy of a session, as it is now: `ringfence allow` and `revoke` take effect at the next
// connection.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/event.h"
#include "policy/load/context.h"
#include "policy/policy.h"
#include "proxy/link/control.h"

namespace ringfence {

class LivePolicy {
 public:
  // Parses the request's words. Fails if they are not those of a launcher.
  static Result<LivePolicy> For(const SessionRequest& request);

  // Returns the policy; valid until the next call. A policy that cannot be used is an error: then
  // no connection is permitted.
  Result<const Policy*> Current();
  // False before Current() is called, and while the policy cannot be used.
  bool has_last() const { return policy_.has_value() && policy_->has_value(); }
  // The last policy that Current() returned.
  const Policy& last() const { return policy_->value(); }
  // Of that policy.
  const Places& places() const { return context_->places; }
  const std::string& session() const { return caller_.session_id; }
  const std::string& agent_type() const { return caller_.agent_type; }

 private:
  // Identifies a version of a file; all zero if it does not exist.
  struct Stamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    timespec modified{}, changed{};
    bool operator==(const Stamp& other) const;
  };
  static Stamp StampOf(const std::string& path);

  Status Load();
  void NotePaths();
  bool HasChanged() const;

  Registration registration_;
  Event caller_;
  bool is_agent_ = false;
  std::optional<Context> context_;
  std::optional<Result<Policy>> policy_;
  std::vector<std::string> paths_;  // that decide the policy
  std::vector<Stamp> stamps_;
};

}  // namespace ringfence
