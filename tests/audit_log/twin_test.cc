// Calls that two registrations of the hook decide.
#include "audit_log/twin.h"

#include <doctest/doctest.h>

#include "audit_log/line.h"
#include "tests/support/audit_log_file.h"

using namespace ringfence;

namespace {

constexpr int64_t kSeconds = 1'000'000'000;

// The text of an entry `age` nanoseconds before kTime.
std::string Entry(std::string_view via, std::string_view tool = "Read", int64_t age = 0) {
  std::string text = "{\"time\":\"" + AuditTime(kTime - age) + "\",\"event\":\"PreToolUse\"";
  text += ",\"tool\":\"" + std::string(tool) + "\"";
  if (!via.empty()) text += ",\"via\":\"" + std::string(via) + "\"";
  return text + ",\"us\":" + std::to_string(age % 1000 + 7);
}

std::string Line(std::string_view via, std::string_view tool = "Read", int64_t age = 0) {
  return Entry(via, tool, age) + ",\"chain\":\"00\"}\n";
}

}  // namespace

TEST_CASE("twin: an equal entry of the other registration counts") {
  CHECK(HasTwin(Line(""), Entry("plugin"), kTime));
  CHECK(HasTwin(Line("plugin"), Entry(""), kTime));
  CHECK(HasTwin(Line("") + Line("", "Write"), Entry("plugin"), kTime));
  CHECK(HasTwin("torn\n" + Line("", "Read", 3 * kSeconds), Entry("plugin"), kTime));
}

TEST_CASE("twin: nothing else counts") {
  CHECK_FALSE(HasTwin("", Entry("plugin"), kTime));
  CHECK_FALSE(HasTwin(Line("", "Write"), Entry("plugin"), kTime));
  CHECK_FALSE(HasTwin(Line("", "Read", 11 * kSeconds), Entry("plugin"), kTime));
  // The same registration: the same call was made again.
  CHECK_FALSE(HasTwin(Line(""), Entry(""), kTime));
  CHECK_FALSE(HasTwin(Line("plugin"), Entry("plugin"), kTime));
  CHECK_FALSE(HasTwin("{\"time\":\"\",\"us\":1}\nx\n\n", Entry("plugin"), kTime));
  for (const char* text : {"", "{\"event\":\"x\",\"us\":1", "{\"time\":\"2026"}) {
    CAPTURE(text);
    CHECK_FALSE(HasTwin(Line(""), text, kTime));
  }
}

TEST_CASE("twin: an entry of the plugin is recognized") {
  CHECK(HasPluginEntry(Entry("plugin")));
  CHECK_FALSE(HasPluginEntry(Entry("")));
}
