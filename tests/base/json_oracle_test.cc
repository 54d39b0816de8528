#include "tests/support/json_oracle.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/mutate.h"

using namespace ringfence;

namespace {

constexpr std::string_view kSamples[] = {
    R"({"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Read","tool_input":{"file_path":"/w/a"}})",
    R"([1,-0.5e+3,true,false,null,"a\u00e9\n\"\\\/",{"":[]},[[{}]]])",
    R"({"a":"\ud83d\ude00","b":"\ud800","c":"\u0000","d":{"a":1,"b":2}})",
    "{\"caf\xC3\xA9\":\"\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBF\",\"x\":\"\x7F\"}",
    R"( { "k0":0,"k1":1,"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7,"k8":8,"k9":9,"k10":1,"k11":1,)"
    R"("k12":1,"k13":1,"k14":1,"k15":1,"k16":1,"k17":1,"k18":1 } )",
    R"("a lone string that is long enough to be read in words of eight bytes")",
    "-12.5E-7",
    "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]",
};

constexpr std::string_view kWords[] = {"\"",
                                       "\\",
                                       "\\u0000",
                                       "\\ud800",
                                       "\\udc00",
                                       "\\u00e9",
                                       "\\\"",
                                       "{",
                                       "}",
                                       "[",
                                       "]",
                                       ",",
                                       ":",
                                       "0",
                                       "-",
                                       "e9",
                                       ".5",
                                       "1",
                                       " ",
                                       "\n",
                                       "\t",
                                       "null",
                                       "true",
                                       "\"a\":",
                                       "\"k1\":",
                                       "\xC3",
                                       "\xA9",
                                       "\xFF",
                                       "\xED\xA0\x80",
                                       "\x1F",
                                       "/**/",
                                       "//",
                                       "\xEF\xBB\xBF",
                                       "1e999999",
                                       "\\u12",
                                       "\\x"};

}  // namespace

TEST_CASE("oracle: the named differences are as documented") {
  struct Row {
    std::string_view name, text;
    bool accepted;
  };
  static constexpr Row kRows[] = {
      {"duplicate keys", R"({"a":1,"a":2})", false},
      {"NUL in a key", R"({"\u0000":1})", false},
      {"NUL in a value", R"(["\u0000"])", true},
      {"a byte order mark", "\xEF\xBB\xBF{}", false},
      {"a NUL byte at the end", std::string_view("{}\0x", 4), false},
      {"a lone surrogate", R"(["\udfff"])", true},
      {"two lone surrogates as keys", R"({"\ud800":1,"\ud801":1})", true},
      {"the same one twice", R"({"\ud800":1,"\uD800":1})", false},
      {"a broken escape", R"(["\u12"])", false},
      {"an escaped backslash before u", R"(["\\ud800"])", true},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(AskOracle(row.text).is_accepted == row.accepted);
    CHECK(Disagreement(row.text).empty());
  }
  CHECK_FALSE(AskOracle("[1e999]").is_known);
}

TEST_CASE("oracle: the scanner and nlohmann::json agree about damaged documents") {
  const uint32_t seed = TestSeed();
  MESSAGE("RINGFENCE_SEED=" << seed);
  std::mt19937 random(seed);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 40000; ++i) {
    std::string text(kSamples[random() % std::size(kSamples)]);
    if (random() % 4 == 0) text += kSamples[random() % std::size(kSamples)];
    text = Mutate(std::move(text), kWords, random);
    const std::string wrong = Disagreement(text);
    if (!wrong.empty()) FAIL(wrong);
    ++(AskOracle(text).is_accepted ? accepted : refused);
  }
  CHECK(accepted > 1000);  // enough damaged documents stay valid to test both results
  CHECK(refused > 1000);
}

TEST_CASE("oracle: the scanner alone decides about nesting beyond the limit") {
  for (const size_t depth : {199u, 200u, 201u, 5000u}) {
    CAPTURE(depth);
    const std::string text = std::string(depth, '[') + std::string(depth, ']');
    CHECK(AskOracle(text).is_accepted == (depth <= 200));
    CHECK(Disagreement(text).empty());
  }
}
