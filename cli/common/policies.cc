#include "cli/common/policies.h"

#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/add_once.h"
#include "base/syscall.h"
#include "policy/files/real_files.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

template <typename Rule, typename Text>
std::vector<std::string> EntryTexts(const std::optional<std::vector<Rule>>& rules, Text text) {
  std::vector<std::string> texts;
  if (!rules) return texts;
  for (const Rule& rule : *rules) {
    const std::string entry(std::invoke(text, rule));
    // A set of hosts adds one rule for each host to the list.
    AddOnce(texts, entry);
  }
  return texts;
}

std::vector<std::string> EntriesOf(const Sections& sections, AllowList list) {
  switch (list) {
    case AllowList::kTools:
      return EntryTexts(sections.tools.allow, &NameRule::pattern);
    case AllowList::kRead:
      return EntryTexts(sections.read.allow, &PathRule::written);
    case AllowList::kWrite:
      return EntryTexts(sections.write.allow, &PathRule::written);
    case AllowList::kHosts:
      return sections.network ? EntryTexts(sections.network->allow, &HostRule::written)
                              : std::vector<std::string>{};
  }
  return {};
}

}  // namespace

BorrowedProject::~BorrowedProject() {
  if (!folder_.empty()) ::rmdir(folder_.c_str());
}

Result<Context> BorrowedProject::Find(Registration& typed) {
  const RealFiles files;
  Result<Context> context = FindTypedContext(typed, files);
  if (context || context.error().kind != Error::Kind::kUsage) return context;
  if (folder_.empty()) {
    std::string folder = "/tmp/ringfence-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) return SystemError("mkdtemp(/tmp)");
    folder_ = folder;
    reason_ = context.error().what;
  }
  typed.project_dir = folder_;
  return FindTypedContext(typed, files);
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

std::set<std::string_view> ProfilesIn(const PolicySources& sources) {
  std::set<std::string_view> names;
  for (const PolicySource& source : sources.sources) {
    if (!source.trusted || source.layer == Layer::kSession) continue;
    for (const Profile& profile : source.file->profiles) names.insert(profile.name);
  }
  return names;
}

std::string WithTilde(const std::string& path, const std::string& home) {
  return path.starts_with(home + "/") ? "~" + path.substr(home.size()) : path;
}

Result<Path> AuditFileInForce(const Registration& given) {
  const Result<Context> context = FindTypedContext(given, RealFiles());
  return context ? AuditFileOn(*context) : context.error();
}

Result<Path> AuditFileOn(const Context& context) {
  const Result<Policy> policy = context.PolicyFor();
  if (!policy) return policy.error();
  std::optional<Path> file = OwnPath(policy->audit.file, context.places);
  if (file) return *std::move(file);
  return UsageError("audit log", "the home directory is unknown", "name it: --home DIR");
}

OrderedJson PlaceJson(const RulePlace& place) {
  OrderedJson json;
  json["file"] = place.file;
  if (place.line != 0) json["line"] = place.line;
  json["pointer"] = place.pointer;
  return json;
}

}  // namespace ringfence
