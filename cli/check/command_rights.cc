#include "cli/check/command_rights.h"

#include <algorithm>

#include "agents/claude/setup/client_sandbox.h"
#include "agents/claude/setup/sandbox_lists.h"
#include "base/text.h"
#include "policy/evaluate/evaluate_host.h"
#include "policy/evaluate/evaluate_path.h"
#include "policy/event.h"
#include "policy/files/cached_files.h"
#include "policy/files/resolve.h"
#include "policy/rules/domain.h"

namespace ringfence {

CommandRights::CommandRights(const Policy& policy, const Places& places, const FileView& files)
    : policy_(policy), places_(places), files_(files) {
  folders_ = {places.root_real, StartOf(places)};
  const ClientLimits limits = SandboxForOneProject(policy, places, {});
  for (const ClientLimits::Texts& list : limits.lists) {
    if (list.pointer == kAllowWrite) {
      for (const std::string& text : list.texts) {
        if (const auto path = OwnPath(text, places)) folders_.push_back(Real(path->text()));
      }
    }
    if (list.pointer == kAllowedDomains) domains_ = list.texts;
  }
}

Path CommandRights::Real(const std::string& path) const {
  const Walked walked = Walk(path, files_);
  return walked.stop == Walked::Stop::kEnd ? walked.end : Path::Clean(path);
}

bool CommandRights::MayWrite(const Path& folder) const {
  const Path real = Real(folder.text());
  const auto holds = [&](const Path& permitted) { return real.IsInside(permitted); };
  if (std::ranges::any_of(folders_, holds)) return true;
  // Entries with patterns, which init cannot write, are left to the evaluator.
  Event event;
  event.kind = EventKind::kPreToolUse;
  event.cwd = places_.root.text();
  const CachedFiles files(files_);
  const PathEvaluator evaluator(policy_, places_, event, files);
  return evaluator.Evaluate(folder.text(), Access::kWrite, "write to", "").verdict ==
         Verdict::kPermit;
}

bool CommandRights::MayReach(const std::string& domain) const {
  if (EvaluateHosts(domain, policy_).verdict == Verdict::kPermit) return true;
  // init opens more than the policy permits: every port of a host, and hosts that are denied in
  // part, whose denied part it adds to the list of denied domains.
  const std::string lower = LowerAscii(domain);
  const Result<HostRule> wanted = ParseHostRule(lower);
  if (!wanted) return false;
  const auto covers = [&](const HostRule& rule) { return Covers(rule, *wanted); };
  if (std::ranges::any_of(policy_.network->deny, covers)) return false;
  return std::ranges::any_of(domains_, [&](const std::string& text) {
    const Result<HostRule> opened = ParseHostRule(text);
    return opened && covers(*opened);
  });
}

}  // namespace ringfence
