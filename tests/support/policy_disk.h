// Policy files and a trust store on the real disk.
#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>

#include "agents/claude/agent.h"
#include "base/sha256.h"
#include "policy/files/real_files.h"
#include "policy/load/sources.h"
#include "policy/load/trust.h"
#include "tests/support/fake_files.h"
#include "tests/support/temporary_tree.h"

namespace ringfence {

constexpr const char* kUserPolicyFile = "home/.config/ringfence/policy.json";
constexpr const char* kProjectPolicyFile = "home/project/.ringfence/policy.json";
constexpr const char* kTrustFile = "home/.local/state/ringfence/trust.json";

// A home and a project in it, with the context that a hook finds there.
class PolicyDisk : public TemporaryTree {
 public:
  PolicyDisk() { Directory("home/project"); }

  Result<PolicySources> Read(const std::string& option = "") {
    places_ = Find();
    return ReadPolicySources(option, places_, RealFiles());
  }
  const Places& places() const { return places_; }

  void Trust(const std::string& policy) const {
    File(kTrustFile, RenderTrustStore({{At("home/project"), Sha256Hex(policy)}}));
  }
  void Mode(std::string_view name, mode_t mode) const {
    REQUIRE(::chmod(At(name).c_str(), mode) == 0);
  }

  std::string project = "home/project";
  bool has_home = true;

 private:
  Places Find() const {
    Registration registration{.agent = &ClaudeCode()};
    registration.project_dir = At(project);
    if (has_home) registration.home_variable = At("home");
    registration.user = ::geteuid();
    const RealFiles files;
    const FailingFiles no_passwd(files, FailingFiles::Call::kReadText, "/etc/passwd", ENOENT);
    const Result<Places> found =
        has_home ? FindPlaces(registration, files) : FindPlaces(registration, no_passwd);
    REQUIRE(found.has_value());
    return *found;
  }

  Places places_;
};

constexpr const char* kReadAll = R"({"version":1,"read":{"allow":["/"]}})";

// The text of the error, or "".
inline std::string SourcesProblem(const Result<PolicySources>& sources) {
  return sources ? "" : sources.error().text();
}

inline bool NoManagedPolicy() { return !std::filesystem::exists(kManagedPolicy); }

}  // namespace ringfence
