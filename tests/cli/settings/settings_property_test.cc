// Settings that `ringfence settings` derives from random policies.
#include <doctest/doctest.h>

#include "agents/claude/agent.h"
#include "policy/evaluate/evaluate_tool.h"
#include "tests/support/mutate.h"
#include "tests/support/random_policy.h"
#include "tests/support/settings_maker.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

class Property {
 public:
  explicit Property(uint32_t offset) : random_(TestSeed() + offset) {
    MESSAGE("RINGFENCE_SEED=" << TestSeed());
  }

  void Run(int policies) {
    for (int i = 0; i < policies; ++i) {
      World world;
      AddTo(world, Layer::kUser, true);
      if (random_.OneIn(4)) AddTo(world, Layer::kManaged, true);
      if (random_.OneIn(3)) AddTo(world, Layer::kProject, random_.OneIn(2));
      for (const std::string& profile : ProfilesOf(world.sources)) {
        const Result<Policy> policy = MergePolicies(world.sources, profile, world.places, Caller{});
        if (policy) Check(world, profile);
      }
    }
  }

 private:
  void AddTo(World& world, Layer layer, bool trusted) {
    text_ = random_.Policy().dump();
    world.Add(layer, text_.substr(1, text_.size() - 2), trusted);
  }

  void Check(const World& world, const std::string& profile) {
    CAPTURE(text_);
    const SettingsMaker maker(world, profile);
    const OrderedJson claude = maker.Claude();
    const OrderedJson sdk = maker.Sdk();
    CHECK(MaybeDecision(claude).drops.empty());
    CHECK(MaybeDecision(claude).ignored.empty());
    CHECK(MaybeDecision(SettingsIn(sdk)).drops.empty());
    CheckSandbox(claude["sandbox"], maker.policy());
    CheckSandbox(sdk["sandbox"], maker.policy());
    CheckTools(sdk, maker.policy());
    for (const std::string name : sdk["allowedTools"]) {
      CAPTURE(name);
      CHECK(EvaluateTool(name, maker.policy()).verdict == Verdict::kPermit);
      const auto tool = ClaudeCode().tools.Find(name);
      REQUIRE(tool.has_value());
      CHECK_FALSE(tool->runs_code);
    }
    if (!sdk["allowedTools"].empty()) CheckCallers(world, profile);
  }

  static void CheckSandbox(const OrderedJson& sandbox, const Policy& policy) {
    CHECK(sandbox["enabled"] == !policy.wrap_bash);
    if (policy.wrap_bash) return;
    CHECK(sandbox["allowUnsandboxedCommands"] == false);
    CHECK(sandbox["failIfUnavailable"] == true);
  }

  static void CheckTools(const OrderedJson& sdk, const Policy& policy) {
    if (!sdk["tools"].is_array()) return;
    for (const std::string name : sdk["tools"]) {
      CAPTURE(name);
      CHECK(EvaluateTool(name, policy).verdict != Verdict::kDeny);
    }
  }

  // A rule that permits without a prompt applies to every caller, so the hook must say "allow" to
  // every caller if it does not refuse the tool.
  static void CheckCallers(const World& world, const std::string& profile) {
    for (const char* agent : {"", "Explore", "Plan", "worker"}) {
      for (const char* mode : {"default", "plan", "bypassPermissions"}) {
        const Caller caller{agent, *agent != '\0', mode};
        const Result<Policy> policy = MergePolicies(world.sources, profile, world.places, caller);
        REQUIRE(policy.has_value());
        CAPTURE(agent);
        CAPTURE(mode);
        CHECK(policy->permitted == Permitted::kAllow);
      }
    }
  }

  RandomPolicies random_;
  std::string text_;
};

}  // namespace

TEST_CASE("property: no setting is dropped, and nothing is allowed that the policy denies") {
  Property(77).Run(300);
}
