// Properties of all policies: no profile selected by an event, no subagent and no untrusted project
// file gains a right; an additional deny never loosens, an additional allow never tightens.
// RINGFENCE_SEED repeats a run.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/mutate.h"
#include "tests/support/random_policy.h"
#include "tests/support/world.h"

using namespace ringfence;
using nlohmann::json;

namespace {

constexpr int kPolicies = 400;
constexpr int kCalls = 25;

std::string Members(const json& policy) {
  const std::string text = policy.dump();
  return text.substr(1, text.size() - 2);
}

struct Layers {
  json managed, user, project, untrusted;  // null: no file
  std::string profile;
};

// The result of a call, ordered from open to closed.
struct Outcome {
  Decision decision;
  int strength() const {
    return static_cast<int>(decision.verdict) * 2 + (decision.say_allow ? 0 : 1);
  }
  std::string text() const {
    return ReasonText(decision, "") + (decision.say_allow ? " (says allow)" : "");
  }
};

class LayersEvaluator {
 public:
  LayersEvaluator(const Layers& layers, bool with_links) {
    if (with_links) PutLinks();
    world_.profile = layers.profile;
    world_.places.macos_names = false;
    Add(Layer::kManaged, layers.managed, true);
    Add(Layer::kUser, layers.user, true);
    Add(Layer::kProject, layers.project, true);
    Add(Layer::kProject, layers.untrusted, false);
  }

  // The alert rules for this call.
  AlertRules AlertsOf(const RandomCall& call) {
    world_.mode = call.mode;
    world_.agent_type = call.agent_type;
    return world_.Merged(world_.EventOf(call.tool, call.input.dump())).alerts;
  }

  Outcome Run(const RandomCall& call) {
    world_.mode = call.mode;
    world_.agent_type = call.agent_type;
    return {world_.Decide(call.tool, call.input.dump())};
  }

 private:
  void Add(Layer layer, const json& policy, bool trusted) {
    if (policy.is_object()) world_.Add(layer, Members(policy), trusted);
  }

  void PutLinks() {
    world_.files.Put("/home/dev/project/a", LinkTo("b"));
    world_.files.Put("/home/dev/project/c/a", LinkTo("/srv/b"));
    world_.files.Put("/srv/a", LinkTo("/home/dev/project/b"));
    world_.files.Put("/home/dev/b", LinkTo("/srv"));
    world_.files.Put("/home/dev/project/b/x", File().Links(2));
  }

  World world_;
};

// Checks that `other` is at least as closed as `base` for every call. Returns false after the first
// call that fails.
bool CheckNeverWeaker(RandomPolicies& random, const Layers& base, const Layers& other,
                      bool with_links = true) {
  LayersEvaluator before(base, with_links);
  LayersEvaluator after(other, with_links);
  for (int i = 0; i < kCalls; ++i) {
    const RandomCall call = random.Call();
    const Outcome one = before.Run(call);
    const Outcome two = after.Run(call);
    if (two.strength() >= one.strength()) continue;
    CAPTURE(call.text());
    CAPTURE(base.user.dump());
    CAPTURE(other.user.dump());
    CAPTURE(other.managed.dump());
    CAPTURE(other.project.dump());
    CAPTURE(other.untrusted.dump());
    CAPTURE(other.profile);
    CAPTURE(one.text());
    CAPTURE(two.text());
    CHECK(two.strength() >= one.strength());
    return false;
  }
  return true;
}

class Random : public RandomPolicies {
 public:
  explicit Random(uint32_t offset) : RandomPolicies(TestSeed() + offset) {
    MESSAGE("RINGFENCE_SEED=" << TestSeed());
  }
  Layers SomeLayers() {
    Layers layers;
    layers.user = Policy();
    if (OneIn(4)) layers.managed = Policy();
    if (OneIn(3)) layers.project = Policy();
    return layers;
  }
};

bool IsChosenByEvent(const json& profile) {
  const json when = profile.value("when", json::object());
  return when.contains("subagent") || when.contains("agent_type") ||
         when.contains("permission_mode");
}

json WithoutEventProfiles(json policy) {
  if (!policy.is_object() || !policy.contains("profiles")) return policy;
  json& profiles = policy["profiles"];
  for (auto it = profiles.begin(); it != profiles.end();) {
    it = IsChosenByEvent(*it) ? profiles.erase(it) : std::next(it);
  }
  return policy;
}

}  // namespace

TEST_CASE("property: a profile that an event selects gains no right") {
  Random random(1);
  for (int i = 0; i < kPolicies; ++i) {
    Layers layers = random.SomeLayers();
    if (random.OneIn(3)) layers.untrusted = random.Policy();
    Layers without = layers;
    for (json* policy : {&without.managed, &without.user, &without.project, &without.untrusted}) {
      *policy = WithoutEventProfiles(*policy);
    }
    if (!CheckNeverWeaker(random, without, layers)) break;
  }
}

TEST_CASE("property: an event's profile gains no right over a registered one") {
  Random random(2);
  for (int i = 0; i < kPolicies; ++i) {
    Layers layers;
    layers.user = random.Policy();
    layers.user["profiles"]["fixed"] = random.Sections();
    layers.profile = "fixed";
    Layers without = layers;
    without.user = WithoutEventProfiles(without.user);
    if (!CheckNeverWeaker(random, without, layers)) break;
  }
}

TEST_CASE("property: an untrusted project file gains no right") {
  Random random(3);
  for (int i = 0; i < kPolicies; ++i) {
    const Layers layers = random.SomeLayers();
    Layers with = layers;
    with.project = {};
    Layers base = with;
    with.untrusted = random.Policy();
    if (random.OneIn(4)) with.profile = base.profile = "";
    if (!CheckNeverWeaker(random, base, with)) break;
  }
}

TEST_CASE("property: an untrusted file's text is not in any reason") {
  Random random(4);
  for (int i = 0; i < kPolicies; ++i) {
    Layers layers = random.SomeLayers();
    layers.project = {};
    layers.untrusted = random.Policy();
    // "qq" occurs in no call and in no trusted file.
    layers.untrusted["read"]["deny"].push_back("**/[bq][bq][bq]qq");
    layers.untrusted["read"]["deny"].push_back("{qq,a}");
    layers.untrusted["read"]["deny"].push_back("**/[qqab]");
    layers.untrusted["tools"]["deny"] = {"mcp__qq*", "*atch*qq*"};
    LayersEvaluator evaluator(layers, true);
    for (int n = 0; n < kCalls; ++n) {
      const RandomCall call = random.Call();
      const std::string reason = evaluator.Run(call).text();
      CAPTURE(call.text());
      CHECK(reason.find("qq") == std::string::npos);
    }
  }
}

TEST_CASE("property: neither an event's profile nor an untrusted file affects alerts") {
  Random random(9);
  int with_inbox = 0;
  for (int i = 0; i < kPolicies; ++i) {
    Layers layers = random.SomeLayers();
    layers.untrusted = random.Policy();
    Layers without = layers;
    without.untrusted = {};
    for (json* policy : {&without.managed, &without.user, &without.project}) {
      *policy = WithoutEventProfiles(*policy);
    }
    LayersEvaluator one(layers, false);
    LayersEvaluator other(without, false);
    for (int n = 0; n < 5; ++n) {
      const RandomCall call = random.Call();
      const AlertRules alerts = one.AlertsOf(call);
      CAPTURE(layers.user.dump());
      CHECK(alerts == other.AlertsOf(call));
      with_inbox += alerts.inbox.empty() ? 0 : 1;
    }
  }
  CHECK(with_inbox > 100);
}

TEST_CASE("property: no profile and no other file removes the managed file's alerts") {
  Random random(10);
  for (int i = 0; i < kPolicies; ++i) {
    Layers layers = random.SomeLayers();
    layers.managed = random.Policy();
    layers.managed["alerts"] = {{"inbox", "/srv/demanded"}, {"fields", {{"to", "ops"}}}};
    layers.managed.erase("profiles");
    layers.user["profiles"]["fixed"] = random.Sections();
    layers.user["profiles"]["fixed"]["alerts"] = {{"enabled", false}};
    if (random.OneIn(2)) layers.profile = "fixed";
    LayersEvaluator evaluator(layers, false);
    const AlertRules alerts = evaluator.AlertsOf(random.Call());
    CHECK(alerts.inbox == "/srv/demanded");
    CHECK(std::ranges::count(alerts.fields, AlertFields::value_type{"to", "ops"}) == 1);
  }
}

// Runs the same call for the main agent and a subagent. Returns false after the first call that
// permits the subagent more.
bool CheckSubagents(RandomPolicies& random, const Layers& layers) {
  LayersEvaluator evaluator(layers, true);
  for (int n = 0; n < kCalls; ++n) {
    RandomCall call = random.Call();
    call.agent_type.clear();
    const Outcome main = evaluator.Run(call);
    call.agent_type = random.AgentType();
    const Outcome sub = evaluator.Run(call);
    if (sub.strength() >= main.strength()) continue;
    CAPTURE(call.text());
    CAPTURE(layers.user.dump());
    CAPTURE(layers.managed.dump());
    CAPTURE(layers.project.dump());
    CAPTURE(main.text());
    CAPTURE(sub.text());
    CHECK(sub.strength() >= main.strength());
    return false;
  }
  return true;
}

TEST_CASE("property: the random calls get every verdict, otherwise they prove nothing") {
  Random random(8);
  int counts[3] = {};
  for (int i = 0; i < kPolicies; ++i) {
    LayersEvaluator evaluator(random.SomeLayers(), true);
    for (int n = 0; n < kCalls; ++n) {
      ++counts[static_cast<size_t>(evaluator.Run(random.Call()).decision.verdict)];
    }
  }
  for (const int count : counts) CHECK(count > kPolicies * kCalls / 50);
}

TEST_CASE("property: being a subagent gives no rights") {
  Random random(5);
  for (int i = 0; i < kPolicies; ++i) {
    if (!CheckSubagents(random, random.SomeLayers())) break;
  }
}

TEST_CASE("property: an additional deny never loosens") {
  Random random(6);
  for (int i = 0; i < kPolicies; ++i) {
    const Layers layers = random.SomeLayers();
    Layers more = layers;
    random.AddDeny(more.user);
    if (!CheckNeverWeaker(random, layers, more)) break;
  }
}

TEST_CASE("property: an additional allow never tightens") {
  Random random(7);
  for (int i = 0; i < kPolicies; ++i) {
    const Layers layers = random.SomeLayers();
    Layers more = layers;
    if (!random.AddAllow(more.user)) continue;
    // Without links, since an additional writable directory can invalidate a link on the way to
    // another entry.
    if (!CheckNeverWeaker(random, more, layers, false)) break;
  }
}
