#include "cli/permit/session_grants.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/regular_file.h"
#include "cli/permit/policy_edit.h"
#include "policy/load/trust.h"

namespace ringfence {
namespace {

using MaybeDecision = std::optional<TargetDecision>;

MaybeDecision EvaluateAs(const GrantTarget& grant, const Context& policies) {
  Result<MaybeDecision> evaluated = EvaluateTarget(grant, policies);
  return evaluated ? std::move(*evaluated) : MaybeDecision();
}

bool IsDenied(const MaybeDecision& evaluated) {
  return evaluated && evaluated->verdict == Verdict::kDeny;
}
bool IsPermitted(const MaybeDecision& evaluated) {
  return evaluated && evaluated->verdict != Verdict::kDeny;
}

// True if the session's file, which is the last source, has an entry for exactly this grant.
bool HasOwnEntry(const GrantTarget& grant, const Context& policies) {
  const std::string& path = policies.sources.sources.back().file->path;
  const Result<std::optional<std::string>> text = ReadIfThere(path);
  if (!text || !*text) return false;
  const ChangeTarget target{
      .shown = path, .home = policies.places.homes.front().text(), .is_session = true};
  const Result<PolicyEdit> removal = RemoveTarget(grant, policies.sources, target, **text);
  return removal && !removal->entries.empty();
}

// Returns the entry of the last source that permitted the target.
std::string PermittingEntry(const TargetDecision& decision, const Context& policies) {
  const std::string& file = policies.sources.sources.back().file->shown;
  const auto permits = [&](const RuleUse& rule) {
    return rule.place.file == file && rule.place.pointer.ends_with("/allow");
  };
  const auto rule = std::ranges::find_if(decision.rules, permits);
  return rule == decision.rules.end() ? "" : rule->written;
}

// Returns the entry of the last source, a session's, that permits one of `parts`; "" for an entry
// of the grant itself; nothing if it permits none.
std::optional<std::string> EntryToGrant(const GrantTarget& grant,
                                        const std::vector<GrantTarget>& parts,
                                        const Context& policies) {
  if (parts.empty()) {
    return HasOwnEntry(grant, policies) ? std::optional<std::string>("") : std::nullopt;
  }
  for (const GrantTarget& part : parts) {
    const MaybeDecision evaluated = EvaluateAs(part, policies);
    if (!IsPermitted(evaluated)) continue;
    return HasOwnEntry(grant, policies) ? "" : PermittingEntry(*evaluated, policies);
  }
  return {};
}

// Returns the grant and, if it also writes, its read part, because policies can deny writing alone.
std::vector<GrantTarget> PartsOf(const GrantTarget& grant) {
  std::vector<GrantTarget> parts{grant};
  if (grant.kind == TargetKind::kPath && grant.also_write) {
    parts.push_back(grant);
    parts.back().also_write = false;
  }
  return parts;
}

}  // namespace

std::vector<std::string> SessionsWithGrants(const std::string& home) {
  constexpr size_t kMost = 20;
  std::vector<std::pair<std::filesystem::file_time_type, std::string>> found;
  std::error_code failed;
  const std::filesystem::path folder = StateFolder(home) + "/sessions";
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() != ".json") continue;
    found.emplace_back(entry.last_write_time(failed), entry.path().stem().string());
  }
  std::ranges::sort(found, std::greater());
  std::vector<std::string> sessions;
  for (const auto& [time, session] : found) {
    if (sessions.size() < kMost) sessions.push_back(session);
  }
  return sessions;
}

std::vector<std::string> SessionsWithEntry(const GrantTarget& grant, Context& policies) {
  std::vector<std::string> sessions;
  if (policies.places.homes.empty()) return sessions;
  for (const std::string& session : SessionsWithGrants(policies.places.homes.front().text())) {
    const Result<bool> added = AddSessionGrants(session, policies.places, policies.sources);
    if (!added || !*added) continue;
    if (HasOwnEntry(grant, policies)) sessions.push_back(session);
    policies.sources.sources.pop_back();
  }
  return sessions;
}

std::vector<SessionPermit> SessionsThatPermit(const GrantTarget& grant, Context& policies) {
  std::vector<SessionPermit> permits;
  if (policies.places.homes.empty()) return permits;
  std::vector<GrantTarget> parts = PartsOf(grant);
  const bool is_evaluated = EvaluateAs(grant, policies).has_value();
  std::erase_if(parts,
                [&](const GrantTarget& part) { return !IsDenied(EvaluateAs(part, policies)); });
  if (is_evaluated && parts.empty()) return permits;  // permitted to every session
  for (const std::string& session : SessionsWithGrants(policies.places.homes.front().text())) {
    const Result<bool> added = AddSessionGrants(session, policies.places, policies.sources);
    if (!added || !*added) continue;  // an unreadable file permits nothing
    const std::optional<std::string> entry = EntryToGrant(grant, parts, policies);
    if (entry) permits.push_back({session, *entry});
    policies.sources.sources.pop_back();
  }
  return permits;
}

}  // namespace ringfence
