#include "cli/permit/session_grants.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "cli/common/files.h"
#include "cli/permit/policy_removal.h"
#include "policy/load/trust.h"

namespace ringfence {
namespace {

using Judged = std::optional<WishJudgement>;

Judged JudgedAs(const Wish& wish, const Context& policies) {
  Result<Judged> judged = JudgeWish(wish, policies);
  return judged ? std::move(*judged) : Judged();
}

bool IsDenied(const Judged& judged) { return judged && judged->verdict == Verdict::kDeny; }
bool IsPermitted(const Judged& judged) { return judged && judged->verdict != Verdict::kDeny; }

// The last source is the session's.
bool HasOwnEntry(const Wish& wish, const Context& policies) {
  const std::string& path = policies.sources.sources.back().file->path;
  const Result<std::optional<std::string>> text = ReadIfThere(path);
  if (!text || !*text) return false;
  const AdditionTarget target{
      .path = path, .root = "", .home = policies.places.homes.front().text(), .is_session = true};
  const Result<PolicyRemoval> removal = RemoveWish(wish, policies.sources, target, **text);
  return removal && !removal->entries.empty();
}

// The entry of the last source that permitted it.
std::string PermittingEntry(const WishJudgement& judgement, const Context& policies) {
  const std::string& file = policies.sources.sources.back().file->shown;
  const auto permits = [&](const RuleUse& rule) {
    return rule.place.file == file && rule.place.pointer.ends_with("/allow");
  };
  const auto rule = std::ranges::find_if(judgement.rules, permits);
  return rule == judgement.rules.end() ? "" : rule->written;
}

// Nothing where the last source, a session's, does not permit any of `parts` of the wish.
std::optional<std::string> EntryToGrant(const Wish& wish, const std::vector<Wish>& parts,
                                        const Context& policies) {
  if (parts.empty()) {
    return HasOwnEntry(wish, policies) ? std::optional<std::string>("") : std::nullopt;
  }
  for (const Wish& part : parts) {
    const Judged judged = JudgedAs(part, policies);
    if (!IsPermitted(judged)) continue;
    return HasOwnEntry(wish, policies) ? "" : PermittingEntry(*judged, policies);
  }
  return {};
}

// Reading and writing, each of which the policies may deny alone.
std::vector<Wish> PartsOf(const Wish& wish) {
  std::vector<Wish> parts{wish};
  if (wish.kind == WishKind::kPath && wish.also_write) {
    parts.push_back(wish);
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

std::vector<SessionPermit> SessionsThatPermit(const Wish& wish, Context& policies) {
  std::vector<SessionPermit> permits;
  if (policies.places.homes.empty()) return permits;
  std::vector<Wish> parts = PartsOf(wish);
  const bool is_judged = JudgedAs(wish, policies).has_value();
  std::erase_if(parts, [&](const Wish& part) { return !IsDenied(JudgedAs(part, policies)); });
  if (is_judged && parts.empty()) return permits;  // every session may
  for (const std::string& session : SessionsWithGrants(policies.places.homes.front().text())) {
    const Result<bool> added = AddSessionGrants(session, policies.places, policies.sources);
    if (!added || !*added) continue;  // a file that cannot be read permits nothing
    const std::optional<std::string> entry = EntryToGrant(wish, parts, policies);
    if (entry) permits.push_back({session, *entry});
    policies.sources.sources.pop_back();
  }
  return permits;
}

}  // namespace ringfence
