#include "cli/check/lint.h"

#include <algorithm>

#include "base/text.h"
#include "policy/decision.h"
#include "policy/load/layers.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

Error InProfile(const PolicyFile& file, const Profile& profile, std::string what,
                std::string hint) {
  return ConfigError(file.shown + " /profiles/" + std::string(profile.name), std::move(what),
                     std::move(hint));
}

template <typename T>
bool IsWeaker(const std::optional<T>& condition, const std::optional<T>& other) {
  return !condition || condition == other;
}

// True if `pattern` matches every name that `other` matches; its "*" also matches a "*".
bool IsWiderName(const std::optional<std::string_view>& pattern,
                 const std::optional<std::string_view>& other) {
  return !pattern || (other && MatchName(*pattern, *other));
}

// True if every path below `other` is below `root`. Patterns must have the same text.
bool IsWiderRoot(const std::optional<PathRule>& root, const std::optional<PathRule>& other) {
  if (!root) return true;
  if (!other || root->base != other->base) return false;
  if (root->tail == other->tail) return true;
  if (root->has_pattern || other->has_pattern || !other->tail.starts_with(root->tail)) return false;
  return root->tail.empty() || other->tail[root->tail.size()] == '/';
}

// True if every caller that meets `later` also meets `earlier`.
bool Precedes(const When& earlier, const When& later) {
  return earlier.is_chosen_by_event() == later.is_chosen_by_event() &&
         IsWiderName(earlier.agent_type, later.agent_type) &&
         IsWeaker(earlier.subagent, later.subagent) &&
         IsWeaker(earlier.permission_mode, later.permission_mode) &&
         IsWiderRoot(earlier.root, later.root);
}

// Returns a caller that meets the conditions of a profile that the event chooses.
Caller CallerFor(const Profile* profile, std::string& agent_type) {
  Caller caller;
  if (profile == nullptr || !profile->when) return caller;
  const When& when = *profile->when;
  if (when.agent_type) agent_type = *when.agent_type;
  std::ranges::replace(agent_type, '*', 'x');
  caller.agent_type = agent_type;
  caller.subagent = when.subagent.value_or(when.agent_type.has_value());
  caller.permission_mode = when.permission_mode.value_or("");
  return caller;
}

// Every caller with an agent_type is a subagent.
bool IsImpossible(const When& when) { return when.agent_type && when.subagent == false; }

std::string WordOf(const KeyValue& value) {
  if (value.row->type.kind == KeyKind::kSwitch) return value.number == 0 ? " false" : " true";
  return value.text.empty() ? "" : " " + Quote(value.text);
}

// Reports keys that have no effect in a profile that the event chooses: merging drops them
// silently.
void FindIgnored(const PolicyFile& file, const Profile& profile, Findings& findings) {
  const Sections& sections = profile.sections;
  const auto warn = [&](const std::string& key) {
    Add(findings, Severity::kWarning, "ignored-key",
        InProfile(file, profile,
                  key + " has no effect: the event chooses this profile, and an event can only "
                        "tighten",
                  "leave it out, or choose the profile with --profile or when.root"));
  };
  if (sections.has_alerts) warn("alerts");
  Policy around;
  MergeKeys(around, file.sections.keys);
  for (const KeyValue& value : sections.keys) {
    const KeyRow& row = *value.row;
    if (row.apply == nullptr) continue;
    if (!row.rules.is_tightened_by(TightLayer::kTrustedEvent)) warn(std::string(row.name));
    if (IsLooser(around, value)) warn(std::string(row.name) + WordOf(value));
  }
}

}  // namespace

void LintProfiles(const LintQuestion& question, Findings& findings) {
  for (const PolicySource& source : question.sources.sources) {
    const PolicyFile& file = *source.file;
    for (const Profile& profile : file.profiles) {
      if (!profile.when) continue;
      if (profile.when->is_chosen_by_event()) FindIgnored(file, profile, findings);
      if (IsImpossible(*profile.when)) {
        Add(findings, Severity::kWarning, "dead-profile",
            InProfile(file, profile, "is never chosen: an agent with an agent_type is a subagent",
                      "leave \"subagent\" out"));
        continue;
      }
      const auto earlier = std::ranges::find_if(file.profiles, [&](const Profile& other) {
        return &other < &profile && other.when && Precedes(*other.when, *profile.when);
      });
      if (earlier == file.profiles.end()) continue;
      Add(findings, Severity::kWarning, "dead-profile",
          InProfile(file, profile,
                    "is never chosen by its \"when\": " + Quote(earlier->name) +
                        " before it applies to all that it is for",
                    "the first profile that applies is used: put the narrower one first"));
    }
  }
}

Error AtRule(const RulePlace& place, std::string_view what) {
  RulePlace file = place;
  file.pointer = "";
  return ConfigError(PlaceLabel(file), Printable(place.pointer) + " " + std::string(what));
}

Result<Policy> MergedFor(const LintQuestion& question, const Profile* profile) {
  std::string agent_type;
  const bool by_event = profile != nullptr && profile->when && profile->when->is_chosen_by_event();
  const std::string_view name = profile == nullptr || by_event ? "" : profile->name;
  return MergePolicies(question.sources, name, question.places, CallerFor(profile, agent_type));
}

namespace {

// Reports "bypassPermissions", which asks nothing, in a policy that lets commands leave the
// sandbox.
void LintBypass(const BypassQuestion& question, Findings& findings) {
  if (auto unsafe = UnsafeBypass(question)) {
    Add(findings, Severity::kError, "unsafe-bypass", std::move(*unsafe));
  }
}

}  // namespace

Findings LintTogether(const LintQuestion& question, std::string_view profile,
                      std::string_view settings) {
  Findings findings;
  const auto lint = [&](const Profile* by_event) {
    std::string agent_type;
    const Result<Policy> policy =
        MergePolicies(question.sources, profile, question.places, CallerFor(by_event, agent_type));
    if (!policy) return;  // already reported
    LintBypass({*policy, question.sources, profile, question.places, settings}, findings);
  };
  lint(nullptr);
  for (const PolicySource& source : question.sources.sources) {
    for (const Profile& by_event : source.file->profiles) {
      if (by_event.when && by_event.when->is_chosen_by_event()) lint(&by_event);
    }
  }
  return findings;
}

Findings LintPolicy(const LintQuestion& question) {
  Findings findings;
  for (const PolicySource& source : question.sources.sources) {
    const PolicyFile& file = *source.file;
    std::vector<LintSection> sections{{file, file.sections}};
    for (const Profile& profile : file.profiles) {
      sections.push_back({file, profile.sections, &profile});
    }
    for (const LintSection& section : sections) {
      LintPaths(question, section, findings);
      LintNames(section, findings);
      const std::string_view name = section.profile == nullptr ? "" : section.profile->name;
      if (const Result<Policy> policy = MergedFor(question, section.profile)) {
        LintBypass({*policy, question.sources, name, question.places}, findings);
      }
    }
  }
  LintProfiles(question, findings);
  return findings;
}

std::optional<Error> UnsafeBypass(const BypassQuestion& question) {
  constexpr std::string_view kBypass = "bypassPermissions";
  const Policy& policy = question.policy;
  const bool is_policy = policy.permission_mode == kBypass;
  if (policy.unsandboxed == Unsandboxed::kDeny) return {};
  if (!is_policy && question.settings.empty()) return {};
  const auto chooses = [&](const PolicySource& source) {
    if (!source.trusted || source.layer == Layer::kSession) return false;
    const Profile* chosen = RegisteredProfile(*source.file, question.profile, question.places);
    if (chosen == nullptr) return false;
    const KeyValues& keys = chosen->sections.keys;
    return keys.Get<std::string_view>("client.permission_mode") == kBypass ||
           keys.Get<Unsandboxed>("bash.unsandboxed") == Unsandboxed::kAsk;
  };
  if (std::ranges::any_of(question.sources.sources, chooses)) return {};
  const std::string bypass = is_policy
                                 ? "client.permission_mode"
                                 : "permissions.defaultMode of " + std::string(question.settings);
  const RulePlace& place = policy.unsandboxed_place;
  return ConfigError(
      std::string(place.file) + ":" + std::to_string(place.line),
      std::string(place.pointer) + " is \"ask\" while " + bypass +
          " is \"bypassPermissions\", which asks nothing",
      "write \"deny\", or move one of the two to a profile that --profile or when.root chooses");
}

}  // namespace ringfence
