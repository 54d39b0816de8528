// Which policy files a command is about, read as the hook reads them.
#pragma once

#include <string>

#include "agents/claude/setup/settings_files.h"
#include "base/result.h"
#include "policy/load/context.h"
#include "run/typed_context.h"

namespace ringfence {

// An empty folder that stands for a project where somebody is in none (in the home directory, say);
// removed at the end.
class BorrowedProject {
 public:
  BorrowedProject() = default;
  ~BorrowedProject();
  BorrowedProject(const BorrowedProject&) = delete;
  BorrowedProject& operator=(const BorrowedProject&) = delete;

  // As FindTypedContext(); where the directory of `typed` cannot be a project, in an empty one,
  // which it then names.
  Result<Context> Find(Registration& typed);
  bool is_borrowed() const { return !folder_.empty(); }
  const std::string& reason() const { return reason_; }  // why the folder can be no project

 private:
  std::string folder_;
  std::string reason_;
};

enum class AllowList { kTools, kRead, kWrite, kHosts };
// What a policy has in force where it has no such list itself: the user's list, for a project's own
// policy, or the built-in one's. As written; empty where none of them has one.
std::vector<std::string> InheritedEntries(const PolicySources& sources, AllowList list,
                                          bool for_project);

// "~/..." where it lies below the home, else as it is: how settings and policies name it.
std::string WithTilde(const std::string& path, const std::string& home);

}  // namespace ringfence
