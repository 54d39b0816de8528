#include "policy/layers.h"

#include <algorithm>

#include "policy/pattern.h"
#include "policy/rules.h"

namespace ringfence {
namespace {

template <typename T>
void Replace(std::optional<T>& base, const std::optional<T>& over) {
  if (over) base = over;
}

template <typename T>
void AppendTo(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

template <typename T>
void AddUp(std::optional<std::vector<T>>& base, const std::optional<std::vector<T>>& over) {
  if (!over) return;
  if (!base) base.emplace();
  AppendTo(*base, *over);
}

template <typename Rule>
void OverrideLists(RuleLists<Rule>& base, const RuleLists<Rule>& over) {
  Replace(base.allow, over.allow);
  AddUp(base.ask, over.ask);
  AddUp(base.deny, over.deny);
}

void OverrideNetwork(std::optional<NetworkSection>& base,
                     const std::optional<NetworkSection>& over) {
  if (!over) return;
  if (!base) base.emplace();
  Replace(base->allow, over->allow);
  AddUp(base->deny, over->deny);
  Replace(base->inspect, over->inspect);
  Replace(base->unlisted, over->unlisted);
  base->place = over->place;
}

void OverrideSandbox(SandboxSection& base, const SandboxSection& over) {
  Replace(base.mode, over.mode);
  Replace(base.layers, over.layers);
  Replace(base.missing, over.missing);
  Replace(base.reads, over.reads);
  Replace(base.memory, over.memory);
  Replace(base.processes, over.processes);
  Replace(base.cpus, over.cpus);
  Replace(base.io, over.io);
  Replace(base.env, over.env);
}

void OverrideMcp(std::vector<McpFields>& base, const std::vector<McpFields>& over) {
  for (const McpFields& fields : over) {
    std::erase_if(base, [&](const McpFields& old) { return old.tool == fields.tool; });
    base.push_back(fields);
  }
}

template <typename T>
void Narrow(T& value, const std::optional<T>& limit) {
  if (limit && *limit < value) value = *limit;
}

template <typename T>
void NarrowLimit(std::optional<T>& value, const std::optional<T>& limit) {
  if (limit && (!value || *limit < *value)) value = limit;
}

// Keeps what both lists hold.
void Intersect(std::vector<std::string_view>& list, const std::vector<std::string_view>& other) {
  std::erase_if(list, [&](std::string_view item) {
    return std::ranges::find(other, item) == other.end();
  });
}

// What one source lets through, with or without a question.
std::vector<PathRule> PermittedBy(const RuleLists<PathRule>& lists) {
  std::vector<PathRule> permitted = *lists.allow;
  if (!lists.ask) return permitted;
  for (const PathRule& rule : *lists.ask) {
    if (rule.set == SetName::kNone && rule.base != RuleBase::kAnywhere) permitted.push_back(rule);
  }
  return permitted;
}

void TightenPaths(PathRules& rules, const RuleLists<PathRule>& over) {
  if (over.allow) rules.allow.push_back(PermittedBy(over));
  if (over.ask) AppendTo(rules.ask, *over.ask);
  if (over.deny) AppendTo(rules.deny, *over.deny);
}

std::vector<NameRule> NamedBy(const RuleLists<NameRule>& lists) {
  std::vector<NameRule> named = lists.allow.value_or(std::vector<NameRule>{});
  if (lists.ask) AppendTo(named, *lists.ask);
  return named;
}

void TightenTools(ToolRules& rules, const RuleLists<NameRule>& over) {
  if (over.allow) rules.narrower.push_back(NamedBy(over));
  if (over.ask) AppendTo(rules.ask, *over.ask);
  if (over.deny) AppendTo(rules.deny, *over.deny);
}

ToolRules ToolsOf(const RuleLists<NameRule>& lists) {
  ToolRules rules;
  rules.known_tools = !lists.allow.has_value();
  rules.names = NamedBy(lists);
  rules.ask = lists.ask.value_or(std::vector<NameRule>{});
  rules.deny = lists.deny.value_or(std::vector<NameRule>{});
  return rules;
}

NetworkRules NetworkOf(const NetworkSection& section) {
  NetworkRules rules;
  if (section.allow) rules.allow.push_back(*section.allow);
  if (section.deny) rules.deny = *section.deny;
  if (section.inspect) rules.inspect = *section.inspect;
  rules.unlisted = section.unlisted.value_or(Unlisted::kDeny);
  rules.place = section.place;
  return rules;
}

void TightenNetwork(std::optional<NetworkRules>& rules,
                    const std::optional<NetworkSection>& over) {
  if (!over) return;
  if (!rules) {
    // Hosts were not judged before: denies alone take away no more than they say. And a sandbox
    // without network gets none by being told of hosts.
    rules = NetworkOf(*over);
    if (!over->allow && !over->unlisted) rules->unlisted = Unlisted::kAllow;
    rules->opens_sandbox = false;
    return;
  }
  if (over->allow) rules->allow.push_back(*over->allow);
  if (over->deny) AppendTo(rules->deny, *over->deny);
  if (over->inspect) AppendTo(rules->inspect, *over->inspect);
  Narrow(rules->unlisted, over->unlisted);
}

void TightenSandbox(SandboxRules& rules, const SandboxSection& over) {
  Narrow(rules.mode, over.mode);
  Narrow(rules.layers, over.layers);
  Narrow(rules.missing, over.missing);
  Narrow(rules.reads, over.reads);
  NarrowLimit(rules.memory, over.memory);
  NarrowLimit(rules.processes, over.processes);
  NarrowLimit(rules.cpus, over.cpus);
  NarrowLimit(rules.io, over.io);
  if (!over.env) return;
  if (rules.env) {
    Intersect(*rules.env, *over.env);
  } else {
    rules.env = over.env;
  }
}

bool Holds(const When& when, const Caller& caller, const Places& places) {
  if (when.agent_type && !MatchName(*when.agent_type, caller.agent_type)) return false;
  if (when.subagent && *when.subagent != caller.subagent) return false;
  if (when.permission_mode && *when.permission_mode != caller.permission_mode) return false;
  return !when.root || RootIsBelow(*when.root, places);
}

// The profile that the registration or the place of the project chose: it may widen.
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

// What the built-in policy says where no file does. Its denies and asks are dropped only by a list
// in the user's own policy.
void FillDefaults(Sections& merged, const Sections& built_in, const Sections& own) {
  const auto fill = [](RuleLists<PathRule>& lists, const RuleLists<PathRule>& defaults,
                       const RuleLists<PathRule>& own_lists) {
    if (!lists.allow) lists.allow = defaults.allow;
    if (!own_lists.ask) AddUp(lists.ask, defaults.ask);
    if (!own_lists.deny) AddUp(lists.deny, defaults.deny);
  };
  fill(merged.read, built_in.read, own.read);
  fill(merged.write, built_in.write, own.write);
  if (!merged.unsandboxed) {
    merged.unsandboxed = built_in.unsandboxed;
    merged.unsandboxed_place = built_in.unsandboxed_place;
  }
}

SandboxRules SandboxOf(const SandboxSection& section) {
  SandboxRules rules;
  rules.mode = section.mode.value_or(rules.mode);
  rules.layers = section.layers.value_or(rules.layers);
  rules.missing = section.missing.value_or(rules.missing);
  rules.reads = section.reads.value_or(rules.reads);
  rules.memory = section.memory;
  rules.processes = section.processes;
  rules.cpus = section.cpus;
  rules.io = section.io;
  rules.env = section.env;
  return rules;
}

StageRules StageOf(const StageSection& section) {
  StageRules rules;
  rules.verify = section.verify.value_or(rules.verify);
  rules.sandbox = section.sandbox.value_or(rules.sandbox);
  rules.auto_apply = section.auto_apply.value_or(rules.auto_apply);
  rules.trusted = section.trusted.value_or(rules.trusted);
  return rules;
}

Policy PolicyOf(const Sections& merged) {
  Policy policy;
  policy.tools = ToolsOf(merged.tools);
  TightenPaths(policy.read, merged.read);
  TightenPaths(policy.write, merged.write);
  if (merged.network) policy.network = NetworkOf(*merged.network);
  policy.unsandboxed = merged.unsandboxed.value_or(Unsandboxed::kDeny);
  policy.unsandboxed_place = merged.unsandboxed_place;
  policy.wrap_bash = merged.wrap_bash.value_or(false);
  policy.permitted = merged.permitted.value_or(Permitted::kClient);
  policy.mcp = merged.mcp;
  policy.sandbox = SandboxOf(merged.sandbox);
  policy.stage = StageOf(merged.stage);
  policy.say = merged.say.value_or("");
  policy.permission_mode = merged.permission_mode.value_or("");
  policy.package_stores = merged.package_stores.value_or(std::vector<std::string_view>{});
  policy.package_stores.emplace_back("node_modules");
  return policy;
}

// The log's place is the most specific trusted file's, but the managed file can demand one.
void ApplyAudit(AuditRules& rules, const AuditSection& section) {
  rules.file = section.file.value_or(rules.file);
  rules.rotate = section.rotate.value_or(rules.rotate);
  rules.required = section.required.value_or(rules.required);
}

class Merger {
 public:
  Merger(const PolicySources& sources, std::string_view profile, const Places& places)
      : sources_(sources), profile_(profile), places_(places) {}

  Result<Policy> Run(const Caller& caller) {
    const Sections own = UsersOwn();
    Sections merged;
    for (const PolicySource& source : sources_.sources) {
      if (source.trusted) Override(merged, WithProfile(*source.file));
    }
    if (!profile_.empty() && !profile_found_) return NoSuchProfile();
    FillDefaults(merged, sources_.built_in->sections, own);
    Policy policy = PolicyOf(merged);
    for (const PolicySource& source : sources_.sources) ApplyFile(source, policy);
    for (const PolicySource& source : sources_.sources) ApplyTightening(source, caller, policy);
    ApplyManagedAudit(policy.audit);
    return policy;
  }

 private:
  Sections WithProfile(const PolicyFile& file) {
    Sections sections = file.sections;
    const Profile* profile = RegisteredProfile(file, profile_, places_);
    if (profile == nullptr) return sections;
    if (profile->name == profile_) profile_found_ = true;
    Override(sections, profile->sections);
    return sections;
  }

  // What the user wrote, without the managed and the project's file. Profiles add to the lists around
  // them, so only the file itself can drop a default.
  Sections UsersOwn() const {
    for (const PolicySource& source : sources_.sources) {
      if (source.layer == Layer::kUser || source.layer == Layer::kCommandLine) {
        return source.file->sections;
      }
    }
    return {};
  }

  static void ApplyFile(const PolicySource& source, Policy& policy) {
    if (!source.trusted) return;
    ApplyAudit(policy.audit, source.file->audit);
    if (source.file->has_alerts) policy.alerts = source.file->alerts;
  }

  void ApplyTightening(const PolicySource& source, const Caller& caller, Policy& policy) {
    const PolicyFile& file = *source.file;
    if (source.layer == Layer::kManaged) Tighten(policy, AllowsOf(WithProfile(file)), true);
    if (!source.trusted) {
      Tighten(policy, file.sections, false);
      const Profile* registered = RegisteredProfile(file, profile_, places_);
      if (registered != nullptr) Tighten(policy, registered->sections, false);
    }
    if (const Profile* profile = CallersProfile(file, caller, places_)) {
      Tighten(policy, profile->sections, source.trusted);
      if (source.trusted) policy.profile = profile->name;
    }
  }

  // Its denies and asks are in the merged policy already.
  static Sections AllowsOf(Sections sections) {
    for (RuleLists<PathRule>* lists : {&sections.read, &sections.write}) {
      lists->ask.reset();
      lists->deny.reset();
    }
    sections.tools.ask.reset();
    sections.tools.deny.reset();
    if (sections.network) {
      sections.network->deny.reset();
      sections.network->inspect.reset();
    }
    sections.mcp.clear();
    sections.stage = {};
    sections.say.reset();
    return sections;
  }

  void ApplyManagedAudit(AuditRules& audit) const {
    for (const PolicySource& source : sources_.sources) {
      if (source.layer != Layer::kManaged) continue;
      if (source.file->audit.file) audit.file = *source.file->audit.file;
      if (source.file->audit.required == true) audit.required = true;
    }
  }

  Error NoSuchProfile() const {
    return Error{Error::Kind::kUsage, "--profile",
                 "no policy has a profile \"" + std::string(profile_) + "\"",
                 "register the hook with a profile that exists"};
  }

  const PolicySources& sources_;
  std::string_view profile_;
  const Places& places_;
  bool profile_found_ = false;
};

}  // namespace

Caller CallerOf(const Event& event) {
  return {event.agent_type, event.is_subagent(), event.permission_mode};
}

void Override(Sections& base, const Sections& over) {
  OverrideLists(base.tools, over.tools);
  OverrideLists(base.read, over.read);
  OverrideLists(base.write, over.write);
  Replace(base.package_stores, over.package_stores);
  OverrideNetwork(base.network, over.network);
  if (over.unsandboxed) base.unsandboxed_place = over.unsandboxed_place;
  Replace(base.unsandboxed, over.unsandboxed);
  Replace(base.wrap_bash, over.wrap_bash);
  Replace(base.permitted, over.permitted);
  OverrideMcp(base.mcp, over.mcp);
  OverrideSandbox(base.sandbox, over.sandbox);
  Replace(base.stage.verify, over.stage.verify);
  Replace(base.stage.trusted, over.stage.trusted);
  Replace(base.stage.sandbox, over.stage.sandbox);
  Replace(base.stage.auto_apply, over.stage.auto_apply);
  Replace(base.say, over.say);
  Replace(base.permission_mode, over.permission_mode);
}

void Tighten(Policy& policy, const Sections& over, bool trusted) {
  TightenTools(policy.tools, over.tools);
  TightenPaths(policy.read, over.read);
  TightenPaths(policy.write, over.write);
  TightenNetwork(policy.network, over.network);
  if (over.unsandboxed && *over.unsandboxed < policy.unsandboxed) {
    policy.unsandboxed = *over.unsandboxed;
    policy.unsandboxed_place = over.unsandboxed_place;
  }
  if (over.wrap_bash == true) policy.wrap_bash = true;
  Narrow(policy.permitted, over.permitted);
  for (McpFields fields : over.mcp) {
    fields.adds_only = true;
    policy.mcp.push_back(std::move(fields));
  }
  TightenSandbox(policy.sandbox, over.sandbox);
  if (over.stage.verify) AppendTo(policy.stage.verify, *over.stage.verify);
  if (over.stage.trusted) Intersect(policy.stage.trusted, *over.stage.trusted);
  if (over.stage.sandbox == true) policy.stage.sandbox = true;
  if (over.stage.auto_apply == false) policy.stage.auto_apply = false;
  if (trusted && over.say) policy.say = *over.say;
}

Result<Policy> MergePolicies(const PolicySources& sources, std::string_view profile,
                             const Places& places, const Caller& caller) {
  return Merger(sources, profile, places).Run(caller);
}

}  // namespace ringfence
