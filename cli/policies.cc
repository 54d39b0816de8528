#include "cli/policies.h"

#include <unistd.h>

#include <cstdlib>

#include "base/syscall.h"
#include "policy/real_files.h"

namespace ringfence {

Result<Policies> ReadPolicies(const PolicyQuestion& question) {
  Registration registration;
  registration.project_dir = question.where.project;
  registration.home = question.where.home;
  registration.config_dir = question.where.config_dir;
  registration.program = question.program;
  registration.policy = question.policy;
  registration.user = ::geteuid();
  const RealFiles files;
  Result<Places> places = FindPlaces(registration, files);
  if (!places) return places.error();
  Policies policies;
  policies.places = std::move(*places);
  Result<PolicySources> sources = ReadPolicySources(question.policy, policies.places, files);
  if (!sources) return sources.error();
  policies.sources = std::move(*sources);
  return policies;
}

BorrowedProject::~BorrowedProject() {
  if (!folder_.empty()) ::rmdir(folder_.c_str());
}

Result<Policies> BorrowedProject::Read(PolicyQuestion& question) {
  Result<Policies> policies = ReadPolicies(question);
  if (policies || policies.error().kind != Error::Kind::kUsage) return policies;
  if (folder_.empty()) {
    std::string folder = "/tmp/ringfence-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) return SystemError("mkdtemp(/tmp)");
    folder_ = folder;
  }
  question.where.project = folder_;
  return ReadPolicies(question);
}

std::string WithTilde(const std::string& path, const std::string& home) {
  return path.starts_with(home + "/") ? "~" + path.substr(home.size()) : path;
}

}  // namespace ringfence
