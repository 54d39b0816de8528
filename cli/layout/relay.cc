#include "cli/layout/relay.h"

#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "base/environment.h"
#include "base/json_edit.h"
#include "base/text.h"
#include "cli/common/grant_target.h"
#include "policy/decide.h"
#include "policy/evaluate/fix.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"

namespace ringfence {
namespace {

// Returns the last trusted file that defines the profile, which takes precedence; or nullptr.
const PolicySource* OwnerOf(const PolicySources& sources, std::string_view profile) {
  const auto owner = std::find_if(
      sources.sources.rbegin(), sources.sources.rend(), [&](const PolicySource& source) {
        const std::vector<Profile>& profiles = source.file->profiles;
        return source.trusted && source.layer != Layer::kSession &&
               std::ranges::find(profiles, profile, &Profile::name) != profiles.end();
      });
  return owner == sources.sources.rend() ? nullptr : &*owner;
}

class RelayEvaluator {
 public:
  RelayEvaluator(const std::string& relay, const std::string& profile, const Context& context)
      : relay_(relay), profile_(profile), context_(context) {}

  Result<std::vector<Error>> Run() {
    Result<Policy> policy = MergePolicies(context_.sources, profile_, context_.places, Caller{});
    if (!policy) return policy.error();
    Places places = context_.places;
    places.audit_file = OwnPath(policy->audit.file, places);  // no agent may write it
    std::vector<Error> problems;
    for (const Access access : {Access::kRead, Access::kWrite}) {
      if (Status s = Evaluate(*policy, places, access, problems); !s) return s.error();
    }
    if (problems.empty() && policy->sandbox.mode == SandboxMode::kRx) {
      problems.push_back(
          Problem(Access::kWrite, R"(its "sandbox" has "mode": "rx")",
                  "an agent in that mode writes only its own state: give the profile "
                  R"("sandbox": { "mode": "sandbox" })"));
    }
    return problems;
  }

 private:
  Status Evaluate(const Policy& policy, const Places& places, Access access,
                  std::vector<Error>& problems) const {
    const RealFiles disk;
    const CachedFiles files(disk);
    Event event;
    event.kind = EventKind::kPreToolUse;
    event.cwd = places.root.text();
    const Decision decision =
        DecidePath(event, relay_ + "/message", access, {policy, places, files});
    if (decision.failure) return *decision.failure;
    if (decision.verdict == Verdict::kPermit) return Unit{};
    // In the sandbox a question is a denial, because the user cannot answer it there.
    problems.push_back(Problem(access, decision.cause ? decision.cause->why : "",
                               decision.cause ? Remedy(policy, *decision.cause, access) : ""));
    return Unit{};
  }

  Error Problem(Access access, const std::string& why, std::string hint) const {
    return ConfigError("profile " + Quote(profile_),
                       std::string("may not ") + (access == Access::kRead ? "read" : "write") +
                           " in the relay " + Quote(relay_) + ": " + why,
                       std::move(hint));
  }

  // Returns the entry for the relay as `ringfence allow` writes it into that file.
  std::string EntryIn(std::string_view file) const {
    const auto source = std::ranges::find_if(
        context_.sources.sources, [&](const PolicySource& s) { return s.file->shown == file; });
    const bool is_project =
        source != context_.sources.sources.end() && source->layer == Layer::kProject;
    GrantTarget grant;
    grant.path = relay_;
    return EntryFor(
        grant, is_project ? context_.places.root_real.text() : "",
        context_.places.homes_real.empty() ? "/" : context_.places.homes_real.front().text());
  }

  std::string Remedy(const Policy& policy, const Cause& cause, Access access) const {
    if (!cause.place) return "name another directory";
    const RulePlace& place = *cause.place;
    if (!place.pointer.ends_with("/allow")) {
      return PlaceLabel(place) + " decides so: change that rule, or name another directory";
    }
    const PathRules& rules = access == Access::kRead ? policy.read : policy.write;
    const std::span<const PathRule> list = rules.allow.front().front();
    const bool is_in_force = !list.empty() && list.front().place().file == place.file &&
                             list.front().place().pointer == place.pointer;
    const PolicySource* owner = OwnerOf(context_.sources, profile_);
    if (is_in_force && owner != nullptr && !place.pointer.starts_with("/profiles/")) {
      return NewList(*owner, list, access);
    }
    return "add " + JsonString(EntryIn(place.file)) + " to " + PlaceLabel(place);
  }

  // The profile has no list of its own. A new one replaces the list in force, so it repeats its
  // entries.
  std::string NewList(const PolicySource& owner, std::span<const PathRule> in_force,
                      Access access) const {
    OrderedJson entries = OrderedJson::array();
    for (const PathRule& rule : in_force) entries.push_back(rule.written());
    entries.push_back(EntryIn(owner.file->shown));
    const JsonTree& tree = *owner.file->tree;
    const JsonTree::Node* profiles = tree.Find(tree.root(), "profiles");
    const JsonTree::Node* node = profiles == nullptr ? nullptr : tree.Find(*profiles, profile_);
    if (node == nullptr) return "";
    const std::string pointer =
        tree.Pointer(*node) + (access == Access::kRead ? "/read/allow" : "/write/allow");
    const RulePlace place{owner.file->shown, pointer, LineOf(tree.text(), node->begin)};
    return "the profile has no such list; add " + PlaceLabel(place) + ": " + JsonText(entries);
  }

  const std::string& relay_;
  const std::string& profile_;
  const Context& context_;
};

}  // namespace

Result<std::string> FindRelay(const std::string& text) {
  const std::string path = Absolute(text);
  const auto wrong = [&](std::string what, std::string hint) {
    return UsageError("--relay", Quote(path) + std::move(what), std::move(hint));
  };
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const std::string word = ShellWord(path);
    return wrong(" does not exist", word.empty() ? "create it first" : "mkdir -m 700 " + word);
  }
  if (!S_ISDIR(status.st_mode)) return wrong(" is not a directory", "name a directory");
  if ((status.st_mode & S_IWOTH) != 0) {
    return wrong(" is world-writable: anyone could send the agents files",
                 "chmod o-w " + ShellWord(path));
  }
  Result<GrantTarget> grant = MakeTarget(TargetKind::kPath, path, "/", "/");
  if (!grant) return grant.error();
  return grant->path;
}

Result<std::vector<Error>> RelayProblems(const std::string& relay, const std::string& profile,
                                         const Context& context) {
  return RelayEvaluator(relay, profile, context).Run();
}

}  // namespace ringfence
