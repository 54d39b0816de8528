#include "cli/log/which_log.h"

#include <algorithm>

#include "cli/replay/assumed_folder.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "run/ground.h"

namespace ringfence {
namespace {

// As for a project that has no policy of its own.
Result<Path> AuditFileWithoutProject(const GroundOptions& options) {
  constexpr const char* kNowhere = "/nonexistent/ringfence-log";
  const RealFiles disk;
  const AssumedFolder files(disk, kNowhere);
  const GroundQuestion question{options.common.home, "", options.policy, options.profile, kNowhere};
  const Result<Ground> ground = FindGround(question, files);
  return ground ? AuditFileOn(*ground) : ground.error();
}

}  // namespace

std::string DeclaredOptions::first_given() const {
  const auto given =
      std::ranges::find_if(options_, [](const auto& option) { return option.second.is_given(); });
  return given == options_.end() ? "" : given->first;
}

void AddWhichLog(DeclaredOptions& options, WhichLog& log) {
  GroundOptions& ground = log.ground;
  options.Add("--file", log.file, "This log, instead of the one that the policy names")
      .Type("FILE");
  options.Add("--home", ground.common.home, "The home directory, instead of HOME").Type("DIR");
  options.Add("--root", ground.root, "The project (default: the current directory)").Type("DIR");
  options.Add("--policy", ground.policy, "Use this policy instead of the user's and the project's")
      .Type("FILE");
}

Result<Path> FindLog(const WhichLog& log) {
  if (!log.file.empty()) return Path::Clean(Absolute(log.file));
  Result<Path> file = AuditFileInForce(log.ground);
  const bool may_be_elsewhere = !file && file.error().kind == Error::Kind::kUsage;
  return may_be_elsewhere && log.ground.root.empty() ? AuditFileWithoutProject(log.ground) : file;
}

}  // namespace ringfence
