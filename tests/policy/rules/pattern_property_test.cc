#include <doctest/doctest.h>

#include <ctime>
#include <random>

#include "base/case_fold.h"
#include "policy/rules/pattern.h"
#include "tests/support/mutate.h"
#include "tests/support/slow_match.h"

using namespace ringfence;

namespace {

constexpr std::string_view kPieces[] = {
    "a",    "b",  "A",   "B",   "/",           "/",           "*",  "**",  "**/", "/**", "?",
    "\\",   "[",  "]",   "[a]", "[!a]",        "[^b-]",       "-",  "!",   "^",   ".",   "[A-B]",
    "\xC3", "[]", "[[:", ":]",  "[[:alpha:]]", "[[:upper:]]", "//", "\\*", "[a-", "\xA9"};

std::string Joined(std::mt19937& random, size_t most) {
  std::string text;
  for (size_t n = random() % (most + 1); n > 0; --n) text += kPieces[random() % std::size(kPieces)];
  return text;
}

// Mostly letters and slashes, which patterns are likely to match.
std::string Name(std::mt19937& random) {
  static constexpr std::string_view kBytes = "aabbAB//.]-*\xC3\xA9";
  std::string text;
  for (size_t n = random() % 10; n > 0; --n) text += kBytes[random() % kBytes.size()];
  return text;
}

}  // namespace

TEST_CASE("pattern: random patterns match the same texts as a simple, slow matcher") {
  const uint32_t seed = TestSeed();
  MESSAGE("RINGFENCE_SEED=" << seed);
  std::mt19937 random(seed);
  int matches = 0;
  for (int i = 0; i < 150000; ++i) {
    const std::string pattern = Joined(random, 7);
    const MatchOptions options{.fold = random() % 2 == 0, .covers = random() % 2 == 0};
    const std::string text = options.fold ? FoldName(Name(random)) : Name(random);
    const bool want = SlowMatch(pattern, text, options);
    if (MatchPattern(pattern, text, options) != want) {
      FAIL("\"" << pattern << "\" and \"" << text << "\" fold " << options.fold << " covers "
                << options.covers << " want " << want);
    }
    matches += want ? 1 : 0;
    if (want && !CheckPattern(pattern)) FAIL("refused, and it matches: " << pattern);
  }
  CHECK(matches > 3000);
}

namespace {

std::string Repeated(std::string_view piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

// Processor time, in seconds, of a failing match.
double Seconds(const std::string& pattern, const std::string& text) {
  const std::clock_t began = std::clock();
  CHECK_FALSE(MatchPattern(pattern, text, {}));
  return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("pattern: hostile patterns take at most their length times the text's") {
  const std::string name(200, 'a');
  // Reference time: a pattern of 32,000 bytes that is read once for each byte of the text.
  const double once = Seconds("*[" + Repeated("b", 32000) + "]b", name);
  struct Row {
    std::string_view name;
    std::string pattern, text;
  };
  const Row kRows[] = {
      {"stars", Repeated("a*", 100) + "b" + Repeated("*", 31800), name},
      {"folders anywhere", Repeated("**/a/", 60) + "b", Repeated("a/", 30000)},
      {"a bracket of brackets", "*[" + Repeated("[", 32000) + "]b", name},
      {"a bracket of what looks like classes", "*[" + Repeated("[:", 16000) + "x]b", name},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const double took = Seconds(row.pattern, row.text);
    CAPTURE(took);
    CHECK(took < 10 * once + 0.1);
  }
}
