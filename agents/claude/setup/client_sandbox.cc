#include "agents/claude/setup/client_sandbox.h"

#include <algorithm>
#include <deque>
#include <span>

#include "base/add_once.h"
#include "base/contains.h"
#include "base/joined.h"
#include "base/json_tree.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/rules/domain.h"
#include "policy/rules/sets.h"

namespace ringfence {
namespace {

// One entry without a pattern, as the client resolves it: absolute, below the home, or below the
// directory of the settings file.
struct PlainEntry {
  RuleBase base = RuleBase::kRoot;
  std::string tail;

  std::string text() const {
    switch (base) {
      case RuleBase::kRoot:
        return tail.empty() ? "." : "./" + tail;
      case RuleBase::kHome:
        return tail.empty() ? "~" : "~/" + tail;
      case RuleBase::kAbsolute:
        return "/" + tail;
      case RuleBase::kAnywhere:
        break;
    }
    return "**/" + tail;
  }
  bool Covers(const PlainEntry& other) const {
    if (base != other.base) return false;
    return tail.empty() || tail == other.tail || other.tail.starts_with(tail + "/");
  }
};

constexpr const char* kStrict = "/sandbox/network/strictAllowlist";

// Limits of settings, depending on where they are.
struct SandboxScope {
  bool names_project = false;  // they serve one project and can name its paths
  bool may_be_strict = false;  // strictAllowlist counts, as in user and managed settings
  bool is_of_no_file = false;  // "./" has no meaning, so paths are absolute
};

class SandboxPlanner {
 public:
  SandboxPlanner(const Policy& policy, const Places& places, SandboxScope reach)
      : policy_(policy), reach_(reach) {
    context_.agent = places.agent;
    context_.root = places.root_real;
    context_.user = places.user;
    context_.macos_names = places.macos_names;
    context_.homes = places.homes;
    names_root_ = reach.is_of_no_file || StartOf(places) != places.root;
  }

  ClientLimits Run(const std::vector<std::string>& guarded) {
    limits_.flags = {{"/sandbox/enabled", true},
                     {"/sandbox/failIfUnavailable", true},
                     {"/sandbox/allowUnsandboxedCommands", false}};
    const std::vector<std::string> allow_write = AllowedWrites();
    Add(kAllowWrite, allow_write);
    Add("/sandbox/filesystem/denyWrite", DeniedWrites(!allow_write.empty(), guarded));
    Add("/sandbox/filesystem/denyRead", DeniedReads());
    PlanNetwork();
    NoteWhatIsLost();
    return std::move(limits_);
  }

  std::vector<std::string> Outside() {
    std::vector<std::vector<PlainEntry>> lists;
    for (const PathRules* rules : {&policy_.write, &policy_.read}) {
      for (const PathRuleList& list : rules->allow) {
        lists.push_back(PlainList(list, Access::kWrite, false));
      }
    }
    std::vector<PlainEntry> asked = PlainList(policy_.write.ask, Access::kWrite);
    const std::vector<PlainEntry> reads = PlainList(policy_.read.ask, Access::kRead);
    asked.insert(asked.end(), reads.begin(), reads.end());
    return AllowedByAll(lists, asked);
  }

 private:
  // Adds empty lists too, so that the entries of an earlier policy are removed.
  void Add(std::string pointer, std::vector<std::string> texts) {
    limits_.lists.push_back({std::move(pointer), std::move(texts)});
  }

  std::string Spelled(const PlainEntry& entry) const {
    return names_root_ && entry.base == RuleBase::kRoot ? InRoot(entry.tail) : entry.text();
  }
  std::string InRoot(const std::string& tail) const {
    return context_.root.text() + (tail.empty() ? "" : "/" + tail);
  }

  // Returns the plain entries of one rule. Records a rule that is not a plain path in `lost_`.
  std::vector<PlainEntry> Plain(const PathRule& rule, Access access) {
    if (rule.set == SetName::kAgentScratch) return {};  // the client opens it anyway
    std::vector<PlainEntry> entries;
    if (rule.set != SetName::kNone) {
      std::deque<std::string> strings;
      for (const SetEntry& entry : ExpandSet(rule.set, access, context_, strings)) {
        const bool is_plain = !entry.has_pattern && entry.base != RuleBase::kAnywhere;
        if (!is_plain || !entry.owned_folder.empty() || !entry.except.empty()) continue;
        entries.push_back({entry.base, std::string(entry.tail)});
      }
      return entries;
    }
    // Settings that serve all projects cannot name a path in each of them.
    const bool is_relative = rule.base == RuleBase::kRoot && !rule.tail.empty();
    if (rule.has_pattern || rule.base == RuleBase::kAnywhere ||
        (is_relative && !reach_.names_project)) {
      if (access == Access::kWrite || !reach_.is_of_no_file) AddOnce(lost_, rule.written());
      return {};
    }
    return {{rule.base, std::string(rule.tail)}};
  }

  std::vector<PlainEntry> PlainList(const PathRuleList& rules, Access access,
                                    bool with_sets = true) {
    std::vector<PlainEntry> all;
    for (const std::span<const PathRule> part : rules) {
      for (const PathRule& rule : part) {
        if (!with_sets && rule.set != SetName::kNone) continue;
        const std::vector<PlainEntry> entries = Plain(rule, access);
        all.insert(all.end(), entries.begin(), entries.end());
      }
    }
    return all;
  }

  std::vector<std::string> AllowedWrites() {
    std::vector<std::vector<PlainEntry>> lists;
    for (const PathRuleList& rules : policy_.write.allow) {
      lists.push_back(PlainList(rules, Access::kWrite));
    }
    // An allow list also holds the asks of its file, but the sandbox cannot ask the user.
    return AllowedByAll(lists, PlainList(policy_.write.ask, Access::kWrite));
  }

  // Returns the entries that every list covers, except those that an ask rule covers.
  std::vector<std::string> AllowedByAll(const std::vector<std::vector<PlainEntry>>& lists,
                                        const std::vector<PlainEntry>& asked) const {
    std::vector<std::string> texts;
    for (const std::vector<PlainEntry>& list : lists) {
      for (const PlainEntry& entry : list) {
        const auto covers = [&](const std::vector<PlainEntry>& other) {
          return std::ranges::any_of(other, [&](const auto& e) { return e.Covers(entry); });
        };
        const bool is_asked = covers(asked);
        // The client's sandbox can write to the project anyway.
        const bool is_project = entry.base == RuleBase::kRoot;
        if (!is_project && !is_asked && std::ranges::all_of(lists, covers)) {
          AddOnce(texts, Spelled(entry));
        }
      }
    }
    return texts;
  }

  std::vector<std::string> DeniedWrites(bool beyond_project,
                                        const std::vector<std::string>& guarded) {
    std::vector<std::string> texts;
    for (const PathRuleList* rules : {&policy_.write.deny, &policy_.write.ask}) {
      for (const std::span<const PathRule> part : *rules) {
        for (const PathRule& rule : part) {
          // Sets name paths outside the project, which are read-only unless an entry opens them.
          if (rule.set != SetName::kNone && !beyond_project) continue;
          for (const PlainEntry& entry : Plain(rule, Access::kWrite)) {
            AddOnce(texts, Spelled(entry));
          }
        }
      }
    }
    for (const std::string& path : guarded) {
      const bool is_relative = reach_.is_of_no_file && path.starts_with("./");
      AddOnce(texts, is_relative ? InRoot(path.substr(2)) : path);
    }
    return texts;
  }

  std::vector<std::string> DeniedReads() {
    std::vector<std::string> texts;
    for (const PathRuleList* rules : {&policy_.read.deny, &policy_.read.ask}) {
      for (const PlainEntry& entry : PlainList(*rules, Access::kRead)) {
        AddOnce(texts, Spelled(entry));
      }
    }
    return texts;
  }

  static std::string DomainOf(const HostRule& rule) {
    return (rule.subdomains ? "*." : "") + std::string(rule.host);
  }

  void PlanNetwork() {
    if (policy_.network) return PlanHosts(*policy_.network);
    limits_.dropped.emplace_back(kStrict);
    Add(kAllowedDomains, {});
    Add("/sandbox/network/deniedDomains", {});
  }

  void PlanHosts(const NetworkRules& network) {
    std::vector<std::string> allowed;
    Unlisted unlisted = Unlisted::kAllow;
    for (const HostList& list : network.lists) {
      unlisted = std::min(unlisted, list.unlisted);
      for (const HostRule& rule : list.allow) {
        if (rule.any) {
          limits_.notes.emplace_back(
              "network.allow has \"*\": the client's sandbox does not know that entry and"
              " asks about each host");
        } else if (rule.host != kHostLoopback && IsAllowedByAll(network, rule)) {
          AddOnce(allowed, DomainOf(rule));
          has_port_ = has_port_ || rule.port != 0;
        }
      }
    }
    std::vector<std::string> denied;
    for (const HostRule& rule : network.deny) {
      if (!rule.any) AddOnce(denied, DomainOf(rule));
    }
    // Hosts in an untrusted file only narrow what others open.
    if (!network.opens_sandbox) allowed.clear();
    Add(kAllowedDomains, std::move(allowed));
    Add("/sandbox/network/deniedDomains", std::move(denied));
    if (unlisted == Unlisted::kDeny && reach_.may_be_strict) {
      limits_.flags.push_back({kStrict, true});
    } else {
      limits_.dropped.emplace_back(kStrict);
    }
    if (unlisted == Unlisted::kAllow) {
      limits_.notes.emplace_back(
          "network.unlisted is \"allow\": the client's sandbox asks about each host"
          " that is not listed");
    }
  }

  static bool IsAllowedByAll(const NetworkRules& network, HostRule rule) {
    if (rule.port == 0) rule.port = 443;
    return std::ranges::all_of(network.lists, [&](const HostList& list) {
      return std::ranges::any_of(list.allow,
                                 [&](const HostRule& other) { return Covers(other, rule); });
    });
  }

  void NoteWhatIsLost() {
    const auto is_project = [](const PathRule& rule) {
      return rule.base == RuleBase::kRoot && rule.tail.empty() && rule.set == SetName::kNone;
    };
    for (const PathRuleList& list : policy_.write.allow) {
      const auto holds_project = [&](auto part) { return std::ranges::any_of(part, is_project); };
      if (std::ranges::any_of(list, holds_project)) continue;
      limits_.notes.emplace_back(
          "write.allow is narrower than the project, but the client's sandbox lets"
          " commands write all of it");
    }
    if (has_port_) {
      limits_.notes.emplace_back(
          "ports in network.allow: the client's sandbox opens every port of a host");
    }
    if (lost_.empty()) return;
    const auto quoted = [](const std::string& entry) { return Quote(entry, 60); };
    const std::string list = Joined(lost_, ", ", quoted);
    limits_.notes.push_back("these entries have no effect on commands in the client's sandbox: " +
                            list);
  }

  const Policy& policy_;
  SandboxScope reach_;
  SetContext context_;
  ClientLimits limits_;
  std::vector<std::string> lost_;
  bool has_port_ = false;
  bool names_root_ = false;  // "./" would not mean the project
};

bool Registers(const SettingsFile& file) {
  return std::ranges::any_of(file.settings.hooks,
                             [](const HookEntry& entry) { return Runs(entry, "/ringfence-hook"); });
}

bool HasEntry(const SettingsFile& file, const SandboxEntry& entry) {
  if (file.layer != entry.layer || !file.text) return false;
  const Result<JsonTree> tree =
      JsonTree::Parse(std::string(WithoutByteOrderMark(*file.text)), file.settings.name, false);
  const JsonTree::Node* list = tree ? NodeAt(*tree, entry.pointer) : nullptr;
  if (list == nullptr || list->kind != JsonTree::Kind::kArray) return false;
  for (const JsonNode& node : tree->ChildrenOf(*list)) {
    if (node.kind == JsonTree::Kind::kString && node.content() == entry.text) return true;
  }
  return false;
}

}  // namespace

ClientLimits SandboxFor(const Policy& policy, const Places& places, SettingsLayer layer,
                        const std::vector<std::string>& guarded) {
  const bool is_per_project = IsPerProject(layer);
  const SandboxScope reach{.names_project = is_per_project, .may_be_strict = !is_per_project};
  return SandboxPlanner(policy, places, reach).Run(guarded);
}

ClientLimits SandboxForOneProject(const Policy& policy, const Places& places,
                                  const std::vector<std::string>& guarded) {
  return SandboxPlanner(policy, places, {true, true, true}).Run(guarded);
}

std::vector<std::string> FoldersOutside(const Policy& policy, const Places& places) {
  std::vector<std::string> folders = SandboxPlanner(policy, places, {true, true, true}).Outside();
  for (std::string& folder : folders) {
    if (!folder.starts_with('~') || places.homes.empty()) continue;
    folder.replace(0, 1, places.homes.front().text());
  }
  std::erase_if(folders, [](const std::string& folder) { return folder.starts_with('~'); });
  return folders;
}

ClientLimits::Flag NoSkillShell() { return {"/disableSkillShellExecution", true}; }

const PathRule* FirstBeyond(const PathRules& rules) {
  const auto is_beyond = [](const PathRule& rule) {
    if (rule.set != SetName::kNone) return rule.set != SetName::kAgentScratch;
    return rule.base != RuleBase::kRoot;
  };
  for (const PathRuleList& list : rules.allow) {
    for (const std::span<const PathRule> part : list) {
      const auto found = std::ranges::find_if(part, is_beyond);
      if (found != part.end()) return &*found;
    }
  }
  return nullptr;
}

ClientLimits ClientFenceFor(const Policy& policy, bool client_fence) {
  ClientLimits limits;
  for (const ClientFenceKey& key : kClientFence) {
    if (!client_fence) {
      limits.dropped.emplace_back(key.pointer);
      continue;
    }
    limits.flags.push_back({std::string(key.pointer), true});
    const bool is_read = key.access == Access::kRead;
    const PathRule* beyond = FirstBeyond(is_read ? policy.read : policy.write);
    if (beyond == nullptr) continue;
    limits.notes.push_back(std::string(is_read ? "read.allow" : "write.allow") + " has " +
                           Quote(beyond->written(), 60) +
                           ", which the client now refuses (--client-fence)");
  }
  if (client_fence) limits.notes.emplace_back(kClientFenceCost);
  return limits;
}

std::vector<SandboxEntry> SandboxEntriesFor(const Context& policies) {
  std::vector<SandboxEntry> entries;
  const Result<Policy> policy = policies.PolicyFor();
  if (!policy || policy->wrap_bash) return entries;
  for (const SettingsLayer layer : kSettingsLayers) {
    for (ClientLimits::Texts& list : SandboxFor(*policy, policies.places, layer, {}).lists) {
      if (list.pointer != kAllowWrite && list.pointer != kAllowedDomains) continue;
      for (std::string& text : list.texts)
        entries.push_back({layer, list.pointer, std::move(text)});
    }
  }
  return entries;
}

std::vector<SandboxEntry> EntriesBeyond(const std::vector<SandboxEntry>& more,
                                        const std::vector<SandboxEntry>& less,
                                        const std::vector<SettingsFile>& files) {
  std::vector<SandboxEntry> beyond;
  for (const SandboxEntry& entry : more) {
    const auto counts = [&](const SettingsFile& file) {
      return file.layer == entry.layer && Registers(file);
    };
    const bool is_common = Contains(less, entry);
    if (!is_common && std::ranges::any_of(files, counts)) beyond.push_back(entry);
  }
  return beyond;
}

bool HoldsAny(const std::vector<SettingsFile>& files, const std::vector<SandboxEntry>& entries) {
  return std::ranges::any_of(entries, [&](const SandboxEntry& entry) {
    return std::ranges::any_of(files,
                               [&](const SettingsFile& file) { return HasEntry(file, entry); });
  });
}

}  // namespace ringfence
