#include "policy/load/key.h"

#include <doctest/doctest.h>

#include "agents/claude/agent.h"
#include "policy/load/layers.h"
#include "policy/load/load.h"
#include "tests/support/loaded.h"
#include "tests/support/test_keys.h"

using namespace ringfence;

namespace {

using Texts = std::vector<std::string_view>;

std::unique_ptr<PolicyFile> LoadWithTestKeys(std::string_view members) {
  std::vector<Error> mistakes;
  auto file =
      LoadPolicy({PolicyWith(members), "/x/policy.json", "policy.json", true, &ClaudeCode()},
                 mistakes, KeysAndTestKeys());
  if (file == nullptr) FAIL(mistakes.front().text());
  return file;
}

void Add(PolicySources& sources, PolicySource source, std::string_view members) {
  source.file = LoadWithTestKeys(members);
  sources.sources.push_back(std::move(source));
}

Policy Merged(const PolicySources& sources) {
  Places places{.agent = &ClaudeCode()};
  places.root = places.root_real = Path::Clean("/srv/project");
  const Result<Policy> policy = MergePolicies(sources, "", places, {});
  if (!policy) FAIL(policy.error().text());
  return *policy;
}

PolicySources WithBuiltIn() {
  PolicySources sources;
  sources.built_in = LoadWithTestKeys(
      R"("read":{"allow":["."]},"write":{"allow":["."]},"bash":{"unsandboxed":"deny"})");
  return sources;
}

}  // namespace

TEST_CASE("key: a key that only exists in the table is loaded, merged and tightened") {
  PolicySources sources = WithBuiltIn();
  Add(sources, {.layer = Layer::kUser},
      R"("stage":{"commands":{"test_switch":true},"test_texts":["a","b"]},
         "sandbox":{"test_choice":"full","test_number":17,"test_size":"4M"},
         "network":{"test_paths":["/x"]},"test_text":"~/a")");
  Policy policy = Merged(sources);
  CHECK(policy.stage.auto_apply);
  CHECK(policy.stage.verify == Texts{"a", "b"});
  CHECK(policy.sandbox.layers == SandboxLayers::kFull);
  CHECK(policy.sandbox.processes == 17);
  CHECK(policy.sandbox.io == 4u << 20);
  CHECK(policy.package_stores == Texts{"/x", "node_modules"});
  CHECK(policy.say == "~/a");

  Add(sources, {.layer = Layer::kProject},
      R"("stage":{"test_texts":["b","c"]},"test_text":"/b",
         "sandbox":{"test_choice":"landlock","test_number":18,"test_size":"8M"})");
  policy = Merged(sources);
  CHECK(policy.stage.verify == Texts{"b", "c"});
  CHECK(policy.sandbox.layers == SandboxLayers::kLandlock);
  CHECK(policy.sandbox.processes == 18);
  CHECK(policy.sandbox.io == 8u << 20);
  CHECK(policy.say == "/b");

  Add(sources, {.layer = Layer::kProject, .trusted = false},
      R"("stage":{"commands":{"test_switch":false},"test_texts":["c","d"]},"test_text":"/c",
         "sandbox":{"test_choice":"full","test_number":19,"test_size":"2M"})");
  policy = Merged(sources);
  CHECK_FALSE(policy.stage.auto_apply);
  CHECK(policy.stage.verify == Texts{"c"});
  CHECK(policy.sandbox.layers == SandboxLayers::kFull);
  CHECK(policy.sandbox.processes == 18);
  CHECK(policy.sandbox.io == 2u << 20);
  CHECK(policy.say == "/b");
}

TEST_CASE("key: the managed file is a limit, key by key with its profile") {
  PolicySources sources = WithBuiltIn();
  Add(sources, {.layer = Layer::kManaged},
      R"("sandbox":{"test_number":9,"test_size":"2M"},
         "profiles":{"p":{"when":{"root":"/srv"},"sandbox":{"test_number":12}}})");
  Add(sources, {.layer = Layer::kUser}, R"("sandbox":{"test_number":15,"test_size":"3M"})");
  const Policy policy = Merged(sources);
  CHECK(policy.sandbox.processes == 12);
  CHECK(policy.sandbox.io == 2u << 20);
}

TEST_CASE("key: a profile does not have the keys of whole files") {
  CHECK(Mistakes(PolicyWith(R"("profiles":{"p":{"audit":{"rotate":"1M"}}})")) ==
        "policy.json:1:31: /profiles/p/audit is not a known key");
}

TEST_CASE("key: a value knows its place if the row keeps it") {
  const Loaded loaded =
      Load("{\"version\": 1,\n\"profiles\": {\"p\": {\n\"bash\": {\"unsandboxed\": \"ask\"}}}}");
  REQUIRE(loaded.file);
  const KeyValue* value = loaded.file->profiles[0].sections.keys.Find("bash.unsandboxed");
  REQUIRE(value != nullptr);
  CHECK(value->place() == RulePlace{"policy.json", "/profiles/p/bash/unsandboxed", 3, true});
}

TEST_CASE("key: the later of two values of one key wins") {
  const auto one = LoadWithTestKeys(R"("sandbox":{"test_number":4,"cpus":1})");
  const auto other = LoadWithTestKeys(R"("sandbox":{"test_number":5})");
  KeyValues values = one->sections.keys;
  for (const KeyValue& value : other->sections.keys) values.Put(value);
  CHECK(std::distance(values.begin(), values.end()) == 2);
  CHECK(values.Find("sandbox.test_number")->number == 5);
  CHECK(values.Get<double>("sandbox.cpus") == 1.0);
  CHECK_FALSE(values.Get<bool>("bash.wrap"));
}
