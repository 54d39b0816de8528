#include "cli/common/policies.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "agents/claude/agent.h"
#include "base/syscall.h"
#include "policy/files/real_files.h"
#include "run/ground.h"

namespace ringfence {
namespace {

template <typename Rule, typename Text>
std::vector<std::string> TextsOf(const std::optional<std::vector<Rule>>& rules, Text text) {
  std::vector<std::string> texts;
  if (!rules) return texts;
  for (const Rule& rule : *rules) {
    const std::string entry(std::invoke(text, rule));
    // A set of hosts stands in the list once for each host.
    if (std::ranges::find(texts, entry) == texts.end()) texts.push_back(entry);
  }
  return texts;
}

std::vector<std::string> EntriesOf(const Sections& sections, AllowList list) {
  switch (list) {
    case AllowList::kTools:
      return TextsOf(sections.tools.allow, &NameRule::pattern);
    case AllowList::kRead:
      return TextsOf(sections.read.allow, &PathRule::written);
    case AllowList::kWrite:
      return TextsOf(sections.write.allow, &PathRule::written);
    case AllowList::kHosts:
      return sections.network ? TextsOf(sections.network->allow, &HostRule::written)
                              : std::vector<std::string>{};
  }
  return {};
}

}  // namespace

Result<Policies> ReadPolicies(const PolicyQuestion& question) {
  if (Status s = CheckNamedPolicy(question.policy); !s) return s.error();
  Registration registration{.agent = &ClaudeCode()};
  registration.project_dir = question.where.project;
  registration.home = question.where.home;
  registration.config_dir = question.where.config_dir;
  registration.program = question.program;
  registration.policy = question.policy;
  registration.root = question.root;
  registration.user = ::geteuid();
  const RealFiles files;
  Result<Places> places = FindPlaces(registration, files);
  if (!places) {
    Error error = places.error();
    // Here the folder was named, or is the current one; the user has set no variable.
    if (error.about == Error::About::kProjectDir) error.where = "the project";
    return error;
  }
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
    reason_ = policies.error().what;
  }
  question.where.project = folder_;
  return ReadPolicies(question);
}

std::vector<std::string> InheritedEntries(const PolicySources& sources, AllowList list,
                                          bool for_project) {
  for (const PolicySource& source : sources.sources) {
    if (source.layer != Layer::kUser || !for_project) continue;
    std::vector<std::string> entries = EntriesOf(source.file->sections, list);
    if (!entries.empty()) return entries;
  }
  return EntriesOf(sources.built_in->sections, list);
}

std::string WithTilde(const std::string& path, const std::string& home) {
  return path.starts_with(home + "/") ? "~" + path.substr(home.size()) : path;
}

}  // namespace ringfence
