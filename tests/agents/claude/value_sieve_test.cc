// Values of an MCP tool's input that the event reader keeps: limits, and malformed text.
#include "agents/claude/value_sieve.h"

#include <doctest/doctest.h>

#include <random>

#include "agents/claude/agent.h"
#include "agents/claude/event_reader.h"
#include "tests/support/fake_files.h"
#include "tests/support/mutate.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

Result<Event> Read(std::string_view members, const EventFilter& filter = {}) {
  const std::string text =
      R"({"hook_event_name":"PreToolUse","tool_name":"mcp__a__b","cwd":"/p","tool_input":{)" +
      std::string(members) + "}}";
  TextSource source(text);
  return ReadEvent(source, filter);
}

std::string Problem(std::string_view members) {
  const Result<Event> event = Read(members);
  return event ? "" : event.error().text();
}

std::string Keys(int count) {
  std::string object = R"("files":{"/x":1)";
  for (int i = 1; i < count; ++i) object += ",\"/" + std::to_string(i) + "\":1";
  return object + "}";
}

std::string LongTexts(int count) {
  const std::string text = "\"/" + std::string((size_t{64} << 10) - 1, 'x') + "\"";
  std::string list = "\"q\":[" + text;
  for (int i = 1; i < count; ++i) list += "," + text;
  return list + "]";
}

}  // namespace

TEST_CASE("values: every dropped value would be permitted") {
  static constexpr std::string_view kParts[] = {
      "~",       "$HOME", "${HOME}", "/",       "//",
      "..",      ".",     ":",       ":/",      " ",
      ",",       "etc",   "src",     "link",    "dev",
      ".env",    ".git",  "x",       "hooks/y", "@",
      "?",       "#",     "file:",   "https:",  "evil.example",
      "[::1]",   "22",    "\\t",     "new",     "*",
      "project", "home",  "ro",      "jdbc:"};
  static constexpr std::string_view kKeys[] = {"q",    "path", "paths", "url",    "volumes",
                                               "host", "repo", "data",  "output", "file1"};
  World world;
  world.User(R"("tools":{"allow":["mcp__team__*"]},"network":{"allow":["good.example"]})");
  world.files.Put("/home/dev/project/link", LinkTo("/etc"));
  world.files.Put("/home/dev/project/src/x", File());
  world.files.Put("/etc/x", File());
  const CachedFiles files(world.files);
  EventFilter filter;
  filter.files = &files;
  filter.places = &world.places;
  std::mt19937 random(TestSeed());
  const auto one_of = [&random](const auto& words) { return words[random() % std::size(words)]; };
  int denied = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (auto parts = 1 + random() % 5; parts > 0; --parts) text += one_of(kParts);
    const bool is_key = random() % 8 == 0;
    std::string input = "\"" + std::string(one_of(kKeys)) + "\":";
    input += is_key ? "{\"" + text + "\":1}" : "[\"" + text + "\"]";
    CAPTURE(input);
    const std::string json =
        R"({"hook_event_name":"PreToolUse","tool_name":"mcp__team__do","session_id":"s","cwd":"/home/dev/project","tool_input":{)" +
        input + "}}";
    TextSource all(json);
    TextSource some(json);
    const Result<Event> whole = ReadEvent(all, {});
    const Result<Event> sieved = ReadEvent(some, filter);
    REQUIRE(whole.has_value());
    REQUIRE(sieved.has_value());
    const Verdict verdict = world.Decide(*whole, world.files).verdict;
    denied += verdict == Verdict::kDeny ? 1 : 0;
    CHECK(world.Decide(*sieved, world.files).verdict == verdict);
  }
  CHECK(denied > 300);
}

TEST_CASE("values: more keys or text than a call may have are refused") {
  CHECK(Problem(Keys(20000)) == "");
  CHECK(Problem(Keys(20001)).find("too many paths") != std::string::npos);
  CHECK(Problem(LongTexts(128)) == "");
  CHECK(Problem(LongTexts(129)).find("too many paths") != std::string::npos);
}

TEST_CASE("values: any number of names is checked") {
  const FakeFiles files{{"/p", Directory()}};
  const CachedFiles cached(files);
  Places places{.agent = &ClaudeCode()};
  places.start = Path::Clean("/p");
  std::string members;
  for (int i = 0; i < 40; ++i) members += "\"key" + std::to_string(i) + "\":1,";
  EventFilter filter;
  filter.files = &cached;
  filter.places = &places;
  const Result<Event> event =
      Read(members + R"("name":"new","rows":[{"source_dir":"new"},{"source_dir":"new"}])", filter);
  REQUIRE(event.has_value());
  REQUIRE(event->input.size() == 2);
  CHECK(event->input[0].pointer == "/rows/0/source_dir");
  CHECK(event->input[1].pointer == "/rows/1/source_dir");
}

TEST_CASE("values: half a character under a path's name is kept, to be refused") {
  const FakeFiles files{{"/p", Directory()}};
  const CachedFiles cached(files);
  Places places{.agent = &ClaudeCode()};
  places.start = Path::Clean("/p");
  EventFilter filter;
  filter.files = &cached;
  filter.places = &places;
  const std::string half = "\"" + std::string(300, 'x') + R"(\ud800")";
  const Result<Event> event = Read("\"path\":" + half + ",\"q\":" + half, filter);
  REQUIRE(event.has_value());
  REQUIRE(event->input.size() == 1);
  CHECK(event->input[0].key == "path");
  CHECK(event->input[0].has_lone_surrogate);
}
