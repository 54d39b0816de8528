#include "cli/log/which_log.h"

#include <algorithm>

#include "base/environment.h"
#include "cli/replay/assumed_folder.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

// Returns the log for a project without a policy of its own.
Result<Path> AuditFileWithoutProject(Registration given) {
  constexpr const char* kNowhere = "/nonexistent/ringfence-log";
  const RealFiles disk;
  const AssumedFolder files(disk, kNowhere);
  given.root.clear();
  given.project_dir = kNowhere;
  const Result<Context> context = FindTypedContext(given, files);
  return context ? AuditFileOn(*context) : context.error();
}

}  // namespace

std::string DeclaredOptions::first_given() const {
  const auto given =
      std::ranges::find_if(options_, [](const auto& option) { return option.second.is_given(); });
  return given == options_.end() ? "" : given->first;
}

void AddWhichLog(DeclaredOptions& options, WhichLog& log) {
  Registration& given = log.given;
  options.Add("--file", log.file, "This log, instead of the one that the policy names")
      .Type("FILE");
  options.Add("--home", given.home, "The home directory, instead of HOME").Type("DIR");
  options.Add("--root", given.root, "The project (default: the current directory)").Type("DIR");
  options.Add("--policy", given.policy, "Use this policy instead of the user's and the project's")
      .Type("FILE");
}

Result<Path> FindLog(const WhichLog& log) {
  if (!log.file.empty()) return Path::Clean(Absolute(log.file));
  Result<Path> file = AuditFileInForce(log.given);
  const bool may_be_elsewhere = !file && file.error().kind == Error::Kind::kUsage;
  return may_be_elsewhere && log.given.root.empty() ? AuditFileWithoutProject(log.given) : file;
}

}  // namespace ringfence
