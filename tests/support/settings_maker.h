// A policy, a profile, and the settings that `ringfence settings` derives from them.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "agents/claude/settings/settings.h"
#include "agents/claude/setup/client_rules.h"
#include "agents/claude/setup/derived_settings.h"
#include "cli/check/lint.h"
#include "cli/common/registered.h"
#include "policy/load/layers.h"
#include "tests/support/world.h"

namespace ringfence {

constexpr const char* kHookProgram = "/opt/ringfence/bin/ringfence-hook";

class SettingsMaker {
 public:
  explicit SettingsMaker(const World& world, std::string profile = "")
      : world_(world), profile_(std::move(profile)) {
    Result<Policy> policy = MergePolicies(world.sources, profile_, world.places, Caller{});
    if (!policy) throw std::runtime_error(policy.error().text());
    policy_ = std::move(*policy);
  }

  SettingsQuestion Question(bool under_run = false) const {
    return {
        .policy = policy_,
        .sources = world_.sources,
        .places = world_.places,
        .command = CommandOf({.home = "/home/dev", .profile = profile_, .program = kHookProgram}),
        .guarded = {"~/.config/ringfence", "./.ringfence"},
        .wrapping = {"Bash(/opt/ringfence/bin/ringfence enter *)", "Bash(exit)"},
        .under_run = under_run};
  }
  OrderedJson Claude(bool under_run = false) const {
    return ClientSettingsFor(Question(under_run)).json;
  }
  OrderedJson Sdk(SdkLanguage language = SdkLanguage::kTypeScript) const {
    return SdkOptionsFor(Question(), language).json;
  }
  ToolNames Tools() const { return ToolNamesFor(policy_, world_.sources); }
  PathRulesOfClient Paths() const { return PathRulesFor(policy_, world_.places); }
  std::vector<std::string> Mentions() const { return MentionRulesFor(policy_, world_.places); }
  std::optional<Error> Unsafe() const {
    return UnsafeBypass({policy_, world_.sources, profile_, world_.places});
  }
  const Policy& policy() const { return policy_; }

 private:
  const World& world_;
  std::string profile_;
  Policy policy_;
};

// The client's reading of the settings.
inline ClientSettings MaybeDecision(const OrderedJson& settings) {
  return ParseClientSettings(settings.dump(), "settings.json", "/settings.json");
}

// The SDK's options in the form of the settings that the client gets.
inline OrderedJson SettingsIn(const OrderedJson& options) {
  OrderedJson settings = options["settings"];
  settings["sandbox"] = options["sandbox"];
  settings["permissions"]["defaultMode"] = options["permissionMode"];
  return settings;
}

// "", and the profiles that --profile or the project's directory selects.
inline std::vector<std::string> ProfilesOf(const PolicySources& sources) {
  std::vector<std::string> names{""};
  for (const PolicySource& source : sources.sources) {
    for (const Profile& profile : source.file->profiles) {
      if (profile.when && profile.when->is_chosen_by_event()) continue;
      names.emplace_back(profile.name);
    }
  }
  return names;
}

}  // namespace ringfence
