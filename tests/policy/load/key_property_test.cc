// Properties of every row of the key table, and of the rows that only tests have: merging the
// values of trusted files does not depend on their grouping, and tightening never loosens.
#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>

#include "agents/claude/agent.h"
#include "policy/load/load.h"
#include "tests/support/loaded.h"
#include "tests/support/test_keys.h"

using namespace ringfence;

namespace {

using Files = std::vector<std::unique_ptr<PolicyFile>>;

constexpr TightLayer kLayers[] = {TightLayer::kManaged, TightLayer::kUntrusted,
                                  TightLayer::kTrustedEvent};

// JSON values that a key of the type accepts: every word, both switches, the ends of a range, and
// lists that share some texts.
std::vector<std::string> SomeValues(const KeyType& type) {
  const bool is_path = type.form == TextForm::kOwnPath;
  if (type.form == TextForm::kProxyUrl) return {"\"http://a:1\"", "\"http://b:2\""};
  std::vector<std::string> values;
  switch (type.kind) {
    case KeyKind::kSwitch:
      return {"false", "true"};
    case KeyKind::kChoice:
      for (const KeyChoice& choice : type.choices) {
        values.push_back("\"" + std::string(choice.word) + "\"");
      }
      return values;
    case KeyKind::kSize:
      return {"\"16M\"", "\"20M\"", "\"3G\""};
    case KeyKind::kNumber:
      return {std::to_string(type.least + 1), std::to_string(type.least + 2),
              std::to_string(type.most)};
    case KeyKind::kText:
      return {is_path ? "\"/a\"" : "\"a\"", is_path ? "\"~/b\"" : "\"b\""};
    case KeyKind::kTexts:
      if (is_path) return {"[]", R"(["/a"])", R"(["~/b", "/a"])", R"(["/c", "~/b"])"};
      return {"[]", R"(["a"])", R"(["b", "a"])", R"(["c", "b"])"};
  }
  return values;
}

std::string MemberOf(std::string_view name, const std::string& value) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return "\"" + std::string(name) + "\": " + value;
  return "\"" + std::string(name.substr(0, dot)) + "\": {" + MemberOf(name.substr(dot + 1), value) +
         "}";
}

// One file per value, with only this key.
Files FilesOf(const KeyRow& row) {
  Files files;
  for (const std::string& value : SomeValues(row.type)) {
    std::string members = MemberOf(row.name, value);
    if (row.name == "alerts.enabled") members = R"("alerts": {"inbox": "/a", "enabled": true})";
    std::vector<Error> mistakes;
    auto file = LoadPolicy({PolicyWith(members), "/x", "x", true, &ClaudeCode()}, mistakes,
                           KeysAndTestKeys());
    if (file == nullptr) FAIL(mistakes.front().text());
    REQUIRE(file->sections.keys.Find(row.name) != nullptr);
    files.push_back(std::move(file));
  }
  return files;
}

const KeyValues& KeysOf(const std::unique_ptr<PolicyFile>& file) { return file->sections.keys; }

// All fields that rows set. The order of a list does not matter if the list is a limit.
auto FieldsOf(Policy policy) {
  std::vector<std::string_view> env = policy.sandbox.env.value_or(std::vector<std::string_view>{});
  for (auto* list : {&policy.stage.verify, &policy.stage.trusted, &policy.package_stores, &env}) {
    std::ranges::sort(*list);
  }
  if (policy.sandbox.env) policy.sandbox.env = env;
  return std::make_tuple(policy.unsandboxed, policy.wrap_bash, policy.permitted, policy.sandbox,
                         policy.stage, policy.audit, policy.say, policy.permission_mode,
                         policy.package_stores, policy.network);
}

Policy MergedOf(std::initializer_list<const std::unique_ptr<PolicyFile>*> files) {
  Policy policy;
  policy.network.emplace();
  for (const auto* file : files) MergeKeys(policy, KeysOf(*file));
  return policy;
}

Policy Tightened(Policy policy, const std::unique_ptr<PolicyFile>& file, TightLayer layer) {
  TightenKeys(policy, KeysOf(file), layer);
  return policy;
}

// Calls `check` for every row that is merged by its rule, with its files.
template <typename Check>
void ForEachRow(Check check) {
  int count = 0;
  for (const KeyRow& row : KeysAndTestKeys()) {
    if (row.apply == nullptr) continue;
    CAPTURE(row.name);
    check(row, FilesOf(row));
    ++count;
  }
  CHECK(count > 25);
}

bool IsLimit(const KeyRow& row) {
  return row.rules.tighten == KeyRule::kLower || row.rules.tighten == KeyRule::kHigher;
}

// A single file that is equivalent to both files together.
const std::unique_ptr<PolicyFile>* Representative(const Files& files,
                                                  const std::unique_ptr<PolicyFile>& a,
                                                  const std::unique_ptr<PolicyFile>& b) {
  for (const auto& file : files) {
    if (FieldsOf(MergedOf({&file})) == FieldsOf(MergedOf({&a, &b}))) return &file;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("key: each row's values give different policies") {
  ForEachRow([](const KeyRow&, const Files& files) {
    const auto differs = [&](const auto& file) {
      return FieldsOf(MergedOf({&file})) != FieldsOf(MergedOf({&files.front()}));
    };
    CHECK(std::ranges::any_of(files, differs));
  });
}

TEST_CASE("key: merging is idempotent and associative") {
  ForEachRow([](const KeyRow&, const Files& files) {
    for (const auto& a : files) {
      CHECK(FieldsOf(MergedOf({&a, &a})) == FieldsOf(MergedOf({&a})));
      for (const auto& b : files) {
        const auto* ab = Representative(files, a, b);
        REQUIRE(ab != nullptr);
        for (const auto& c : files) {
          const auto* bc = Representative(files, b, c);
          REQUIRE(bc != nullptr);
          CHECK(FieldsOf(MergedOf({ab, &c})) == FieldsOf(MergedOf({&a, bc})));
          CHECK(FieldsOf(MergedOf({ab, &c})) == FieldsOf(MergedOf({&a, &b, &c})));
        }
      }
    }
  });
}

TEST_CASE("key: tightening never loosens, and its order does not matter") {
  ForEachRow([](const KeyRow& row, const Files& files) {
    if (!IsLimit(row)) return;
    for (const TightLayer layer : kLayers) {
      if (!row.rules.is_tightened_by(layer)) continue;
      for (const auto& a : files) {
        const Policy policy = MergedOf({&a});
        CHECK(FieldsOf(Tightened(policy, a, layer)) == FieldsOf(policy));
        for (const auto& b : files) {
          const Policy tight = Tightened(policy, b, layer);
          CHECK(FieldsOf(Tightened(tight, a, layer)) == FieldsOf(tight));
          CHECK(FieldsOf(Tightened(tight, b, layer)) == FieldsOf(tight));
          for (const auto& c : files) {
            CHECK(FieldsOf(Tightened(tight, c, layer)) ==
                  FieldsOf(Tightened(Tightened(policy, c, layer), b, layer)));
          }
        }
      }
    }
  });
}

TEST_CASE("key: tightening takes the tighter value, and the common texts of two lists") {
  ForEachRow([](const KeyRow& row, const Files& files) {
    if (!IsLimit(row)) return;
    for (const auto& a : files) {
      for (const auto& b : files) {
        const KeyValue& one = *KeysOf(a).Find(row.name);
        const KeyValue& other = *KeysOf(b).Find(row.name);
        KeyValue wanted = one;
        std::erase_if(wanted.texts, [&](std::string_view text) {
          return std::ranges::find(other.texts, text) == other.texts.end();
        });
        wanted.number = row.rules.tighten == KeyRule::kLower ? std::min(one.number, other.number)
                                                             : std::max(one.number, other.number);
        const bool is_looser = row.type.kind != KeyKind::kTexts && wanted.number != other.number;
        CHECK(IsLooser(MergedOf({&a}), other) == is_looser);
        Policy policy = MergedOf({&a});
        row.apply(policy, wanted, KeyRule::kReplace);
        CHECK(FieldsOf(Tightened(MergedOf({&a}), b, TightLayer::kManaged)) == FieldsOf(policy));
      }
    }
  });
}

TEST_CASE("key: a layer that a row does not name changes nothing") {
  ForEachRow([](const KeyRow& row, const Files& files) {
    // Texts and commands of an untrusted file never count.
    if (!IsLimit(row)) CHECK_FALSE(row.rules.is_tightened_by(TightLayer::kUntrusted));
    for (const TightLayer layer : kLayers) {
      if (row.rules.is_tightened_by(layer)) continue;
      for (const auto& a : files) {
        for (const auto& b : files) {
          const Policy policy = MergedOf({&a});
          CHECK(FieldsOf(Tightened(policy, b, layer)) == FieldsOf(policy));
        }
      }
    }
  });
}
