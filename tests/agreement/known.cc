#include "tests/agreement/known.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>

#include "base/case_fold.h"
#include "policy/rules/protected.h"

namespace ringfence {
namespace {

// True if the write creates a name ".git".
bool MakesDotGit(const Walked& walked) {
  const auto is_git = [](const Path& path) { return FoldName(path.name()) == ".git"; };
  return std::ranges::any_of(walked.steps, [&](const WalkStep& step) {
    return step.kind == FileKind::kMissing && is_git(step.path);
  });
}

bool IsInOneOf(const std::vector<PlannedPlace>& places, const Path& path) {
  return std::ranges::any_of(
      places, [&path](const PlannedPlace& place) { return path.IsInside(place.path); });
}

// True for a path below a file, at a directory made for the policy, or below a dangling link.
bool IsImpossible(const Case& c) {
  constexpr int kCodes[] = {ENOTDIR, EISDIR, EEXIST, ELOOP, ENAMETOOLONG};
  if (std::ranges::find(kCodes, c.code) != std::end(kCodes)) return true;
  const Walked folder = Walk(Path::Clean(c.question.path).Parent().text(), c.around.files);
  return folder.facts.kind == FileKind::kMissing && !folder.links.empty();
}

// True if the name is protected only because of a file below it: ".claude/settings.json" protects
// ".claude".
bool IsAboveProtected(const Case& c) {
  const std::string path = c.walked.end.text();
  return c.plan.names.Refuses(path) == nullptr && !c.plan.names.RefusesTree(path).empty() &&
         ProtectedPaths(c.around.places, c.around.files).RefusesName(c.walked.end);
}

bool IsNotRead(const Case& c) {
  if (c.access() == Access::kRead) return false;
  const auto hides = [&c](const HiddenPlace& place) { return place.covers(c.walked.end); };
  if (std::ranges::any_of(c.plan.hidden, hides)) return true;
  const Decision read = DecidePath(c.event, c.question.path, Access::kRead, c.around);
  return !IsInOneOf(c.plan.writable, c.walked.end) && read.verdict != Verdict::kPermit;
}

constexpr Difference kKnown[] = {
    {"mode rx", true, [](const Case& c) { return c.plan.mode == SandboxMode::kRx; }},
    {"private directories", false,
     [](const Case& c) { return c.walked.end.IsInside(Path::Clean("/dev/shm")); }},
    {"new repositories", false,
     [](const Case& c) { return !c.plan.names.bare_why().empty() && MakesDotGit(c.walked); }},
    {"written, so read", false,
     [](const Case& c) {
       return c.access() == Access::kRead && IsInOneOf(c.plan.writable, c.walked.end);
     }},
    {"nothing of the rules", true, IsImpossible},
    {"a file by itself", true,
     [](const Case& c) {
       const auto is_it = [&c](const PlannedPlace& place) { return place.path == c.walked.end; };
       return c.question.operation != 'w' && std::ranges::any_of(c.plan.writable, is_it);
     }},
    {"files of several names", false,
     [](const Case& c) {
       return c.walked.facts.links > 1 && c.walked.facts.kind == FileKind::kFile;
     }},
    {"above a protected name", false, [](const Case& c) { return IsAboveProtected(c); }},
    {"directories on the way", false,
     [](const Case& c) {
       const std::string& path = c.walked.end.text();
       return c.question.operation == 'd' && c.plan.names.Refuses(path) == &NotAllowedRule() &&
              c.plan.names.AllThatRefuseFolder(path).empty();
     }},
    {"directories and links", true,
     [](const Case& c) {
       const bool is_tree = c.question.operation == 'd' || c.question.operation == 's';
       return is_tree && !c.plan.names.RefusesTree(c.walked.end.text()).empty();
     }},
    {"links in a repository", true,
     [](const Case& c) {
       const std::string& path = c.walked.end.text();
       return c.question.operation == 's' && FoldName(path).find("/.git/") != std::string::npos;
     }},
    {"written and not read", true, IsNotRead},
};

}  // namespace

bool Case::HookPermits(const std::string& path) const {
  const Decision decision = DecidePath(event, path, access(), around);
  return !decision.failure && decision.verdict == Verdict::kPermit;
}

std::span<const Difference> KnownDifferences() { return kKnown; }

}  // namespace ringfence
