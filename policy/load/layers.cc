#include "policy/load/layers.h"

#include <algorithm>
#include <vector>

#include "policy/load/merge_sections.h"
#include "policy/load/policy_file.h"
#include "policy/rules/pattern.h"
#include "policy/rules/rules.h"

namespace ringfence {
namespace {

struct Alerts {
  std::optional<bool> enabled;
  std::optional<std::string_view> inbox;
  AlertFields fields;
};

void PutOver(Alerts& alerts, const Alerts& over) {
  if (over.enabled) alerts.enabled = over.enabled;
  if (over.inbox) alerts.inbox = over.inbox;
  for (const auto& [name, value] : over.fields) {
    const auto old = std::ranges::find(alerts.fields, name, &AlertFields::value_type::first);
    if (old == alerts.fields.end()) {
      alerts.fields.emplace_back(name, value);
    } else {
      old->second = value;
    }
  }
}

Alerts Merged(const std::vector<const Sections*>& all) {
  Alerts merged;
  for (const Sections* sections : all) {
    const KeyValues& keys = sections->keys;
    PutOver(merged, {keys.Get<bool>("alerts.enabled"), keys.Get<std::string_view>("alerts.inbox"),
                     sections->alert_fields});
  }
  return merged;
}

// `trusted`: from the widest to the most specific; for each key the last one counts. `managed`: the
// managed file's own sections, in the same order. If they name an inbox and do not turn alerts off,
// no other file can turn alerts off, move them or change the managed constants.
AlertRules AlertsOf(const std::vector<const Sections*>& trusted,
                    const std::vector<const Sections*>& managed) {
  Alerts alerts = Merged(trusted);
  Alerts demanded = Merged(managed);
  if (demanded.inbox && demanded.enabled != false) {
    demanded.enabled = true;
    PutOver(alerts, demanded);
  }
  if (!alerts.inbox || alerts.enabled == false) return {};
  return {.inbox = *alerts.inbox, .fields = std::move(alerts.fields)};
}

bool Holds(const When& when, const Caller& caller, const Places& places) {
  if (when.agent_type && !MatchName(*when.agent_type, caller.agent_type)) return false;
  if (when.subagent && *when.subagent != caller.subagent) return false;
  if (when.permission_mode && *when.permission_mode != caller.permission_mode) return false;
  return !when.root || RootIsBelow(*when.root, places);
}

// Returns the profile that the event chose. It may only tighten, even if a registered one applies.
const Profile* CallersProfile(const PolicyFile& file, const Caller& caller, const Places& places) {
  const auto chosen = std::ranges::find_if(file.profiles, [&](const Profile& profile) {
    return profile.when && profile.when->is_chosen_by_event() &&
           Holds(*profile.when, caller, places);
  });
  return chosen == file.profiles.end() ? nullptr : &*chosen;
}

// Limits every right to what the managed file permits. A profile of that file replaces its values
// key by key.
void AgreeWith(const Sections& managed, const Sections& profile, Policy& policy) {
  const auto lists = [&](auto member) -> const auto& {
    return (profile.*member).allow ? profile.*member : managed.*member;
  };
  TightenLists(policy, {lists(&Sections::tools), lists(&Sections::read), lists(&Sections::write)});
  std::optional<NetworkSection> network = managed.network;
  if (profile.network) {
    network = MergedNetwork(managed.network.value_or(NetworkSection{}), *profile.network);
  }
  if (network) {  // keys that it leaves out have their defaults
    network->allow = network->allow.value_or(std::vector<HostRule>{});
    network->unlisted = network->unlisted.value_or(Unlisted::kDeny);
  }
  TightenNetwork(policy, network);
  KeyValues keys = managed.keys;
  for (const KeyValue& value : profile.keys) keys.Put(value);
  TightenKeys(policy, keys, TightLayer::kManaged);
  AddMcp(policy, managed);
  if (&profile != &managed) AddMcp(policy, profile);
}

class Merger {
 public:
  Merger(const PolicySources& sources, std::string_view profile, const Places& places)
      : sources_(sources), profile_(profile), places_(places) {}

  Result<Policy> Run(const Caller& caller) {
    std::vector<const Sections*> chain;
    for (const PolicySource& source : sources_.sources) {
      if (source.trusted && source.layer != Layer::kSession) AddTrusted(source, chain);
    }
    if (!profile_.empty() && !profile_found_) return NoSuchProfile();
    Policy policy = MergeSections(chain, sources_.built_in->sections, UsersOwn());
    policy.agent = places_.agent;
    for (const PolicySource& source : sources_.sources) {
      if (source.layer == Layer::kSession) Grant(source.file->sections, policy);
      if (source.layer == Layer::kCommandLine) policy.named_file = source.file->path;
      if (source.layer == Layer::kProject && source.trusted) policy.own_file = source.file->shown;
    }
    for (const PolicySource& source : sources_.sources) {
      if (source.layer != Layer::kSession) ApplyTightening(source, caller, policy);
    }
    policy.alerts = AlertsOf(chain, managed_);
    policy.profile = names_;
    return policy;
  }

 private:
  void AddTrusted(const PolicySource& source, std::vector<const Sections*>& chain) {
    AddSections(source, source.file->sections, chain);
    const Profile* profile = RegisteredProfile(*source.file, profile_, places_);
    if (profile == nullptr) return;
    if (profile->name == profile_) profile_found_ = true;
    AddName(profile->name);
    AddSections(source, profile->sections, chain);
  }

  void AddSections(const PolicySource& source, const Sections& sections,
                   std::vector<const Sections*>& chain) {
    chain.push_back(&sections);
    if (source.layer == Layer::kManaged) managed_.push_back(&sections);
  }

  // Adds the user's grants for this session. Whatever narrows the other rules narrows these as
  // well.
  static void Grant(const Sections& granted, Policy& policy) {
    if (granted.read.allow) policy.read.allow.front().emplace_back(*granted.read.allow);
    if (granted.write.allow) policy.write.allow.front().emplace_back(*granted.write.allow);
    AppendTo(policy.tools.names, granted.tools.allow);
    if (!granted.network) return;
    AppendTo(policy.granted_hosts, granted.network->allow);
    if (!policy.network || policy.network->lists.empty()) return;
    AppendTo(policy.network->lists.front().allow, granted.network->allow);
  }

  void AddName(std::string_view profile) {
    if (!names_.empty()) names_ += "+";
    names_ += profile;
  }

  // Returns the user's own file, not the managed or the project's file. Profiles only add to the
  // lists of their file, so only the file itself can drop a default.
  const Sections& UsersOwn() const {
    for (const PolicySource& source : sources_.sources) {
      if (source.layer == Layer::kUser || source.layer == Layer::kCommandLine) {
        return source.file->sections;
      }
    }
    return nothing_;
  }

  void ApplyTightening(const PolicySource& source, const Caller& caller, Policy& policy) {
    const PolicyFile& file = *source.file;
    const Profile* registered = RegisteredProfile(file, profile_, places_);
    if (source.layer == Layer::kManaged) {
      AgreeWith(file.sections, registered == nullptr ? file.sections : registered->sections,
                policy);
    } else if (!source.trusted) {
      Tighten(policy, file.sections, false);
      if (registered != nullptr) Tighten(policy, registered->sections, false);
    }
    // A subagent gains no permissions: the main agent's profile applies to it as well.
    const Profile* main =
        CallersProfile(file, {.permission_mode = caller.permission_mode}, places_);
    const Profile* own = caller.subagent ? CallersProfile(file, caller, places_) : main;
    if (main != nullptr) Apply(*main, source.trusted, policy);
    if (own != nullptr && own != main) Apply(*own, source.trusted, policy);
  }

  void Apply(const Profile& profile, bool trusted, Policy& policy) {
    Tighten(policy, profile.sections, trusted);
    if (trusted) AddName(profile.name);
  }

  Error NoSuchProfile() const {
    const std::string quoted = "a profile \"" + std::string(profile_) + "\"";
    for (const PolicySource& source : sources_.sources) {
      const std::vector<Profile>& profiles = source.file->profiles;
      if (std::ranges::find(profiles, profile_, &Profile::name) == profiles.end()) continue;
      return UsageError(
          "--profile",
          "only a policy that is not trusted has " + quoted + ": " + source.file->shown,
          "look at it and run: ringfence trust");
    }
    return UsageError("--profile", "no policy has " + quoted,
                      "name one of the profiles in the policy");
  }

  const PolicySources& sources_;
  std::string_view profile_;
  const Places& places_;
  Sections nothing_;
  std::vector<const Sections*> managed_;  // the managed file's part of the chain
  std::string names_;
  bool profile_found_ = false;
};

}  // namespace

const Profile* RegisteredProfile(const PolicyFile& file, std::string_view name,
                                 const Places& places) {
  const auto chosen = std::ranges::find_if(file.profiles, [&](const Profile& profile) {
    if (!name.empty()) return profile.name == name;
    return profile.when && !profile.when->is_chosen_by_event() && Holds(*profile.when, {}, places);
  });
  return chosen == file.profiles.end() ? nullptr : &*chosen;
}

Caller CallerOf(const Event& event) {
  return {event.agent_type, event.is_subagent(), event.permission_mode};
}

Result<Policy> MergePolicies(const PolicySources& sources, std::string_view profile,
                             const Places& places, const Caller& caller) {
  return Merger(sources, profile, places).Run(caller);
}

}  // namespace ringfence
