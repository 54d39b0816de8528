#include "policy/layers.h"

#include <algorithm>

#include "policy/alert_rules.h"
#include "policy/pattern.h"
#include "policy/rules.h"
#include "policy/tighten.h"

namespace ringfence {
namespace {

bool Holds(const When& when, const Caller& caller, const Places& places) {
  if (when.agent_type && !MatchName(*when.agent_type, caller.agent_type)) return false;
  if (when.subagent && *when.subagent != caller.subagent) return false;
  if (when.permission_mode && *when.permission_mode != caller.permission_mode) return false;
  return !when.root || RootIsBelow(*when.root, places);
}

}  // namespace

const Profile* RegisteredProfile(const PolicyFile& file, std::string_view name,
                                 const Places& places) {
  for (const Profile& profile : file.profiles) {
    if (!name.empty()) {
      if (profile.name == name) return &profile;
    } else if (profile.when && !profile.when->is_chosen_by_event() &&
               Holds(*profile.when, {}, places)) {
      return &profile;
    }
  }
  return nullptr;
}

namespace {

// The profile that the event chose: it may only tighten, also over a registered one.
const Profile* CallersProfile(const PolicyFile& file, const Caller& caller, const Places& places) {
  for (const Profile& profile : file.profiles) {
    if (profile.when && profile.when->is_chosen_by_event() &&
        Holds(*profile.when, caller, places)) {
      return &profile;
    }
  }
  return nullptr;
}

// Trusted sections from the widest to the most specific. The last that says something counts, and
// denies and asks of all of them add up.
class Chain {
 public:
  void Add(const Sections& sections) { sections_.push_back(&sections); }

  template <typename T>
  T Last(std::optional<T> Sections::*member, T otherwise) const {
    return Last([member](const Sections& s) -> const std::optional<T>& { return s.*member; },
                std::move(otherwise));
  }
  template <typename Get, typename T>
  T Last(Get get, T otherwise) const {
    for (const Sections* sections : sections_) {
      if (const auto& value = get(*sections)) otherwise = *value;
    }
    return otherwise;
  }

  const std::vector<const Sections*>& all() const { return sections_; }

 private:
  std::vector<const Sections*> sections_;
};

using PathLists = RuleLists<PathRule> Sections::*;

// Every one of `sets` stands in one of the lists already; going through a set twice takes time.
bool NamesSets(const PathRuleList& lists, const std::vector<PathRule>& sets) {
  return std::ranges::all_of(sets, [&lists](const PathRule& wanted) {
    return std::ranges::any_of(lists, [&wanted](std::span<const PathRule> list) {
      return wanted.set != SetName::kNone &&
             std::ranges::find(list, wanted.set, &PathRule::set) != list.end();
    });
  });
}

PathRules PathsOf(const Chain& chain, PathLists lists, const Sections& built_in,
                  const Sections& own) {
  PathRules rules;
  const RuleLists<PathRule>* allow = &(built_in.*lists);
  for (const Sections* sections : chain.all()) {
    const RuleLists<PathRule>& said = sections->*lists;
    if (said.allow) allow = &said;
    if (said.ask) rules.ask.emplace_back(*said.ask);
    if (said.deny) rules.deny.emplace_back(*said.deny);
  }
  // The built-in denies and asks add up like all others; only an empty list in the user's own
  // policy drops them.
  const auto drops = [](const std::optional<std::vector<PathRule>>& list) {
    return list && list->empty();
  };
  const RuleLists<PathRule>& defaults = built_in.*lists;
  const auto add = [&drops](const auto& list, const auto& own_list, PathRuleList& to) {
    if (list && !drops(own_list) && !NamesSets(to, *list)) to.emplace_back(*list);
  };
  add(defaults.ask, (own.*lists).ask, rules.ask);
  add(defaults.deny, (own.*lists).deny, rules.deny);
  PathRuleList& permitted = rules.allow.emplace_back();
  permitted.emplace_back(*allow->allow);
  for (const Sections* sections : chain.all()) {
    AppendPermittedAsks(permitted, (sections->*lists).ask);
  }
  return rules;
}

ToolRules ToolsOf(const Chain& chain) {
  ToolRules rules;
  const std::vector<NameRule>* allow = nullptr;
  for (const Sections* sections : chain.all()) {
    const RuleLists<NameRule>& said = sections->tools;
    if (said.allow) allow = &*said.allow;
    if (said.ask) rules.ask.insert(rules.ask.end(), said.ask->begin(), said.ask->end());
    if (said.deny) rules.deny.insert(rules.deny.end(), said.deny->begin(), said.deny->end());
  }
  rules.known_tools = allow == nullptr;
  if (allow != nullptr) rules.names = *allow;
  rules.names.insert(rules.names.end(), rules.ask.begin(), rules.ask.end());
  return rules;
}

// Key by key, the later section over the earlier one; denies add up.
NetworkSection MergedNetwork(const NetworkSection& base, NetworkSection over) {
  if (!over.allow) over.allow = base.allow;
  if (!over.unlisted) over.unlisted = base.unlisted;
  if (!over.inspect) over.inspect = base.inspect;
  if (!base.deny) return over;
  if (!over.deny) over.deny.emplace();
  over.deny->insert(over.deny->end(), base.deny->begin(), base.deny->end());
  return over;
}

std::optional<NetworkRules> NetworkOfAll(const Chain& chain) {
  std::optional<NetworkSection> merged;
  for (const Sections* sections : chain.all()) {
    if (!sections->network) continue;
    merged = merged ? MergedNetwork(*merged, *sections->network) : *sections->network;
  }
  if (!merged) return {};
  return NetworkOf(*merged);
}

SandboxRules SandboxOf(const Chain& chain) {
  SandboxRules rules;
  const auto last = [&chain](auto member, auto otherwise) {
    return chain.Last(
        [member](const Sections& s) -> const auto& { return s.sandbox.*member; }, otherwise);
  };
  const auto last_limit = [&chain](auto member, auto& limit) {
    for (const Sections* sections : chain.all()) {
      if (sections->sandbox.*member) limit = sections->sandbox.*member;
    }
  };
  rules.mode = last(&SandboxSection::mode, rules.mode);
  rules.layers = last(&SandboxSection::layers, rules.layers);
  rules.missing = last(&SandboxSection::missing, rules.missing);
  rules.reads = last(&SandboxSection::reads, rules.reads);
  last_limit(&SandboxSection::memory, rules.memory);
  last_limit(&SandboxSection::processes, rules.processes);
  last_limit(&SandboxSection::cpus, rules.cpus);
  last_limit(&SandboxSection::io, rules.io);
  last_limit(&SandboxSection::env, rules.env);
  return rules;
}

StageRules StageOf(const Chain& chain) {
  StageRules rules;
  const auto last = [&chain](auto member, auto otherwise) {
    return chain.Last(
        [member](const Sections& s) -> const auto& { return s.stage.*member; }, otherwise);
  };
  rules.verify = last(&StageSection::verify, rules.verify);
  rules.sandbox = last(&StageSection::sandbox, rules.sandbox);
  rules.auto_apply = last(&StageSection::auto_apply, rules.auto_apply);
  rules.trusted = last(&StageSection::trusted, rules.trusted);
  return rules;
}

// A more specific entry for a tool stands for a wider one.
std::vector<McpFields> McpOf(const Chain& chain) {
  std::vector<McpFields> all;
  for (const Sections* sections : chain.all()) {
    for (const McpFields& fields : sections->mcp) {
      std::erase_if(all, [&](const McpFields& old) { return old.tool == fields.tool; });
      all.push_back(fields);
    }
  }
  return all;
}

template <typename T>
void Prefer(std::optional<T>& value, const std::optional<T>& over) {
  if (over) value = over;
}

// The managed file must agree with every right and limit; a profile of its own says it anew, key by
// key.
void AgreeWith(const Sections& managed, const Sections& profile, Policy& policy) {
  const auto lists = [&](auto member) -> const auto& {
    return (profile.*member).allow ? profile.*member : managed.*member;
  };
  TightenLists(policy, {lists(&Sections::tools), lists(&Sections::read), lists(&Sections::write)});
  Sections limits;
  limits.network = managed.network;
  if (profile.network) {
    limits.network = MergedNetwork(managed.network.value_or(NetworkSection{}), *profile.network);
  }
  if (limits.network) {  // what it does not say is what it means alone
    limits.network->allow = limits.network->allow.value_or(std::vector<HostRule>{});
    limits.network->unlisted = limits.network->unlisted.value_or(Unlisted::kDeny);
  }
  const Sections& bash = profile.unsandboxed ? profile : managed;
  limits.unsandboxed = bash.unsandboxed;
  limits.unsandboxed_place = bash.unsandboxed_place;
  limits.permitted = profile.permitted ? profile.permitted : managed.permitted;
  limits.sandbox = managed.sandbox;
  Prefer(limits.sandbox.mode, profile.sandbox.mode);
  Prefer(limits.sandbox.layers, profile.sandbox.layers);
  Prefer(limits.sandbox.missing, profile.sandbox.missing);
  Prefer(limits.sandbox.reads, profile.sandbox.reads);
  Prefer(limits.sandbox.memory, profile.sandbox.memory);
  Prefer(limits.sandbox.processes, profile.sandbox.processes);
  Prefer(limits.sandbox.cpus, profile.sandbox.cpus);
  Prefer(limits.sandbox.io, profile.sandbox.io);
  Prefer(limits.sandbox.env, profile.sandbox.env);
  limits.stage = managed.stage;
  Prefer(limits.stage.trusted, profile.stage.trusted);
  Prefer(limits.stage.sandbox, profile.stage.sandbox);
  Prefer(limits.stage.auto_apply, profile.stage.auto_apply);
  TightenLimits(policy, limits);
  AddMcp(policy, managed);
  if (&profile != &managed) AddMcp(policy, profile);
}

class Merger {
 public:
  Merger(const PolicySources& sources, std::string_view profile, const Places& places)
      : sources_(sources), profile_(profile), places_(places) {}

  Result<Policy> Run(const Caller& caller) {
    Chain chain;
    for (const PolicySource& source : sources_.sources) {
      if (source.trusted && source.layer != Layer::kSession) AddTrusted(source, chain);
    }
    if (!profile_.empty() && !profile_found_) return NoSuchProfile();
    Policy policy = PolicyOf(chain);
    for (const PolicySource& source : sources_.sources) {
      if (source.layer == Layer::kSession) Grant(source.file->sections, policy);
    }
    for (const PolicySource& source : sources_.sources) {
      if (source.layer != Layer::kSession) ApplyTightening(source, caller, policy);
    }
    for (const PolicySource& source : sources_.sources) ApplyAudit(source, policy.audit);
    ApplyManagedAudit(policy.audit);
    policy.alerts = AlertsOf(chain.all(), managed_.all());
    policy.profile = names_;
    return policy;
  }

 private:
  void AddTrusted(const PolicySource& source, Chain& chain) {
    AddSections(source, source.file->sections, chain);
    const Profile* profile = RegisteredProfile(*source.file, profile_, places_);
    if (profile == nullptr) return;
    if (profile->name == profile_) profile_found_ = true;
    AddName(profile->name);
    AddSections(source, profile->sections, chain);
  }

  void AddSections(const PolicySource& source, const Sections& sections, Chain& chain) {
    chain.Add(sections);
    if (source.layer == Layer::kManaged) managed_.Add(sections);
  }

  Policy PolicyOf(const Chain& chain) const {
    const Sections& built_in = sources_.built_in->sections;
    Policy policy;
    policy.tools = ToolsOf(chain);
    policy.read = PathsOf(chain, &Sections::read, built_in, UsersOwn());
    policy.write = PathsOf(chain, &Sections::write, built_in, UsersOwn());
    policy.network = NetworkOfAll(chain);
    policy.unsandboxed = Unsandboxed::kDeny;
    policy.unsandboxed_place = built_in.unsandboxed_place;
    for (const Sections* sections : chain.all()) {
      if (!sections->unsandboxed) continue;
      policy.unsandboxed = *sections->unsandboxed;
      policy.unsandboxed_place = sections->unsandboxed_place;
    }
    policy.wrap_bash = std::ranges::any_of(
        chain.all(), [](const Sections* sections) { return sections->wrap_bash == true; });
    policy.permitted = chain.Last(&Sections::permitted, Permitted::kClient);
    policy.mcp = McpOf(chain);
    policy.sandbox = SandboxOf(chain);
    policy.stage = StageOf(chain);
    policy.say = chain.Last(&Sections::say, std::string_view());
    policy.permission_mode = chain.Last(&Sections::permission_mode, std::string_view());
    policy.package_stores = chain.Last(&Sections::package_stores, std::vector<std::string_view>{});
    policy.package_stores.emplace_back("node_modules");
    return policy;
  }

  // What a person permitted for this session. Whatever narrows the others narrows it as well.
  static void Grant(const Sections& granted, Policy& policy) {
    if (granted.read.allow) policy.read.allow.front().emplace_back(*granted.read.allow);
    if (granted.write.allow) policy.write.allow.front().emplace_back(*granted.write.allow);
    if (const auto& tools = granted.tools.allow) {
      policy.tools.names.insert(policy.tools.names.end(), tools->begin(), tools->end());
    }
    if (!policy.network || !granted.network || !granted.network->allow) return;
    std::vector<HostRule>& hosts = policy.network->lists.front().allow;
    hosts.insert(hosts.end(), granted.network->allow->begin(), granted.network->allow->end());
  }

  void AddName(std::string_view profile) {
    if (!names_.empty()) names_ += "+";
    names_ += profile;
  }

  // What the user wrote, without the managed and the project's file. Profiles add to the lists
  // around them, so only the file itself can drop a default.
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
    // A subagent gains nothing by being one: what would hold for the main agent holds for it too.
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

  // The log's place is the most specific trusted file's, but the managed file can demand one.
  static void ApplyAudit(const PolicySource& source, AuditRules& rules) {
    if (!source.trusted || source.layer == Layer::kSession) return;
    const AuditSection& audit = source.file->audit;
    rules.file = audit.file.value_or(rules.file);
    rules.rotate = audit.rotate.value_or(rules.rotate);
    rules.required = audit.required.value_or(rules.required);
    rules.system_log = audit.system_log.value_or(rules.system_log);
  }

  void ApplyManagedAudit(AuditRules& audit) const {
    for (const PolicySource& source : sources_.sources) {
      if (source.layer != Layer::kManaged) continue;
      if (source.file->audit.file) audit.file = *source.file->audit.file;
      if (source.file->audit.required == true) audit.required = true;
      if (const auto least = source.file->audit.system_log) {
        audit.system_log = std::max(audit.system_log, *least);
      }
    }
  }

  Error NoSuchProfile() const {
    return Error{Error::Kind::kUsage, "--profile",
                 "no policy has a profile \"" + std::string(profile_) + "\"",
                 "name one that a policy file has below \"profiles\""};
  }

  const PolicySources& sources_;
  std::string_view profile_;
  const Places& places_;
  Sections nothing_;
  Chain managed_;  // the managed file's part of the chain
  std::string names_;
  bool profile_found_ = false;
};

}  // namespace

Caller CallerOf(const Event& event) {
  return {event.agent_type, event.is_subagent(), event.permission_mode};
}

Result<Policy> MergePolicies(const PolicySources& sources, std::string_view profile,
                             const Places& places, const Caller& caller) {
  return Merger(sources, profile, places).Run(caller);
}

}  // namespace ringfence
