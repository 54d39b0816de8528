// What the event reader keeps of an MCP tool's input: its bounds, and text that is not whole.
#include "hook/value_sieve.h"

#include <doctest/doctest.h>

#include "hook/event_reader.h"
#include "tests/fake_files.h"

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

TEST_CASE("values: more keys or more text than any call has are refused") {
  CHECK(Problem(Keys(20000)) == "");
  CHECK(Problem(Keys(20001)).find("too many paths") != std::string::npos);
  CHECK(Problem(LongTexts(128)) == "");
  CHECK(Problem(LongTexts(129)).find("too many paths") != std::string::npos);
}

TEST_CASE("values: any number of names is looked at") {
  const FakeFiles files{{"/p", Directory()}};
  const CachedFiles cached(files);
  Places places;
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

TEST_CASE("values: half of a character under a path's name is kept, to be refused") {
  const FakeFiles files{{"/p", Directory()}};
  const CachedFiles cached(files);
  Places places;
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
