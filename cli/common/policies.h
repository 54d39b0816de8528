// Finds and reads the policies of a command as the hook does, by the options that they all have.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "agents/claude/setup/settings_files.h"
#include "base/json.h"
#include "base/not_copied.h"
#include "base/result.h"
#include "policy/load/context.h"
#include "policy/policy.h"
#include "run/typed_context.h"

namespace ringfence {

// An empty directory that serves as the project if the current directory cannot be one (the home,
// for example). The destructor removes it.
class BorrowedProject : NotCopied {
 public:
  ~BorrowedProject();

  // Like FindTypedContext(). If the directory of `typed` cannot be a project, changes it to an
  // empty directory.
  Result<Context> Find(Registration& typed);
  bool is_borrowed() const { return !folder_.empty(); }
  const std::string& reason() const { return reason_; }  // why the directory cannot be a project

 private:
  std::string folder_;
  std::string reason_;
};

enum class AllowList { kTools, kRead, kWrite, kHosts };
// The entries in force if a policy does not have this list: those of the user's policy, for a
// project's policy, else of the built-in policy. As written; empty if none has the list.
std::vector<std::string> InheritedEntries(const PolicySources& sources, AllowList list,
                                          bool for_project);

// Returns the names that --profile accepts. They point into `sources`.
std::set<std::string_view> ProfilesIn(const PolicySources& sources);

// Returns the path as settings and policies name it: "~/..." below the home, else unchanged.
std::string WithTilde(const std::string& path, const std::string& home);

// The audit log that the policy in force names.
Result<Path> AuditFileInForce(const Registration& given);
Result<Path> AuditFileOn(const Context& context);

OrderedJson PlaceJson(const RulePlace& place);

}  // namespace ringfence
