// The rate limit of alerts.
#include "hook/alert_rate.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

constexpr int64_t kNow = 1'792'000'000;

AlertRate::Question Ask(int group, int alert, int64_t at = kNow) {
  return {AlertDigest({std::to_string(group)}), AlertDigest({std::to_string(alert)}), at};
}

}  // namespace

TEST_CASE("alert digest: the boundaries between its parts count") {
  CHECK(AlertDigest({"ab", "c"}) != AlertDigest({"a", "bc"}));
  CHECK(AlertDigest({"ab", "c"}).size() == 16);
}

TEST_CASE("alert rate: the state survives being written and read") {
  AlertRate rate;
  uint64_t held = 0;
  CHECK(rate.Take(Ask(1, 1), &held));
  CHECK_FALSE(rate.Take(Ask(1, 1), &held));
  AlertRate again = AlertRate::Read(rate.text());
  CHECK(again.text() == rate.text());
  CHECK_FALSE(again.Take(Ask(1, 1), &held));
  CHECK(again.Take(Ask(1, 2), &held));
  CHECK(held == 2);
}

TEST_CASE("alert rate: an invalid line is dropped") {
  for (const std::string text :
       {"x", "w a b 1", "w 0123456789abcdef 0123456789abcdef", "h 0123456789abcdef x 1",
        "w 0123456789abcdef 0123456789abcdef 1x", "q 0123456789abcdef 1 1", "\n\n",
        "w 0123456789abcdef x 1", "w 0123456789abcdeg 0123456789abcdef 1"}) {
    CAPTURE(text);
    CHECK(AlertRate::Read(text).text().empty());
  }
  std::string many;
  for (size_t i = 0; i < 2 * AlertRate::kMost; ++i) {
    const std::string digest = AlertDigest({std::to_string(i)});
    many += "w " + digest + " " + digest + " 1\nh " + digest + " 1 1\n";
  }
  CHECK(AlertRate::Read(many).text().size() < AlertRate::kMostText);
}

TEST_CASE("alert rate: it stays small for any number of sessions") {
  AlertRate rate;
  uint64_t held = 0;
  size_t written = 0;
  for (int i = 0; i < 5000; ++i) written += rate.Take(Ask(i, i), &held) ? 1 : 0;
  CHECK(written == AlertRate::kMost);
  CHECK(rate.text().size() < AlertRate::kMostText);
  CHECK(AlertRate::Read(rate.text()).text() == rate.text());
  CHECK(rate.Take(Ask(1, 1, kNow + 60), &held));
}

TEST_CASE("alert rate: a clock that was set back or ahead silences nothing") {
  AlertRate rate;
  uint64_t held = 0;
  CHECK(rate.Take(Ask(1, 1), &held));
  CHECK(rate.Take(Ask(1, 1, kNow - 1000), &held));
  CHECK(rate.Take(Ask(1, 1, kNow + 1000), &held));
}
