#include "base/json_edit.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace ringfence;

namespace {

JsonEdit Opened(const std::string& text, bool comments = false) {
  Result<JsonEdit> edit = JsonEdit::Open(text, "file.json", comments);
  REQUIRE(edit.has_value());
  return std::move(*edit);
}

TEST_CASE("json edit: an added member looks like its neighbours") {
  struct Row {
    const char* name;
    const char* before;
    const char* after;
  };
  static constexpr Row kRows[] = {
      {"lines", "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"k\": [1, 2]\n}\n"},
      {"tabs", "{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"k\": [1, 2]\n}"},
      {"CRLF", "{\r\n    \"a\": 1\r\n}\r\n", "{\r\n    \"a\": 1,\r\n    \"k\": [1, 2]\r\n}\r\n"},
      {"one line", "{\"a\": 1}", "{\"a\": 1, \"k\": [1, 2]}"},
      {"empty", "{}", "{\n  \"k\": [1, 2]\n}"},
      {"blank", "{ \n }\n", "{\n  \"k\": [1, 2]\n}\n"},
      {"mark", "\xEF\xBB\xBF{\n \"a\": 1\n}", "\xEF\xBB\xBF{\n \"a\": 1,\n \"k\": [1, 2]\n}"},
      {"several on a line", "{\n  \"a\": 1, \"b\": 2\n}",
       "{\n  \"a\": 1, \"b\": 2, \"k\": [1, 2]\n}"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    JsonEdit edit = Opened(row.before);
    edit.AddMember(edit.root(), "k", {1, 2});
    CHECK(edit.text() == row.after);
  }
}

TEST_CASE("json edit: an object is rendered on several lines, with the file's own indentation") {
  JsonEdit edit = Opened("{\n\t\"a\": 1\n}\n");
  edit.AddMember(edit.root(), "k", {{"x", {{"y", true}}}, {"z", OrderedJson::array()}});
  CHECK(edit.text() ==
        "{\n\t\"a\": 1,\n\t\"k\": {\n\t\t\"x\": {\n\t\t\t\"y\": true\n\t\t},\n\t\t\"z\": "
        "[]\n\t}\n}\n");
}

TEST_CASE("json edit: comments stay where they are") {
  struct Row {
    const char* before;
    const char* after;
  };
  static constexpr Row kRows[] = {
      {"{ \"a\": [\n  \"x\" // why\n] }", "{ \"a\": [\n  \"x\", // why\n  \"n\"\n] }"},
      {"{ \"a\": [\n  \"x\" /* why */ // and\n  // \"y\",\n] }",
       "{ \"a\": [\n  \"x\", /* why */ // and\n  \"n\"\n  // \"y\",\n] }"},
      {"{ \"a\": [\"x\" /* why */] }", "{ \"a\": [\"x\", \"n\" /* why */] }"},
      {"{ \"a\": [ // \"y\"\n ] }", "{ \"a\": [ // \"y\"\n  \"n\"\n] }"},
      {"// top\n{ \"a\": [] }", "// top\n{ \"a\": [\"n\"] }"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.before);
    JsonEdit edit = Opened(row.before, true);
    edit.AddElement(*edit.At("/a"), "n");
    CHECK(edit.text() == row.after);
  }
}

TEST_CASE("json edit: removing is the inverse of adding") {
  for (const char* text :
       {"{\"a\":1}", "{\n  \"a\": 1\n}", "{ \"a\" : [ 1 ,2 ] }", "{\r\n\"a\":1\r\n}"}) {
    CAPTURE(text);
    JsonEdit edit = Opened(text);
    edit.AddMember(edit.root(), "k", {{"x", 1}});
    edit.AddMember(edit.root(), "l", "y");
    edit.Remove(*edit.At("/k"));
    edit.Remove(*edit.At("/l"));
    CHECK(edit.text() == text);
  }
}

TEST_CASE("json edit: the first and the only member can be removed") {
  JsonEdit edit = Opened("{\n  \"a\": 1,\n  \"b\": 2\n}");
  edit.Remove(*edit.At("/a"));
  CHECK(edit.text() == "{\n  \"b\": 2\n}");
  edit.Remove(*edit.At("/b"));
  CHECK(edit.text() == "{}");
  edit.SetGap(edit.root(), "\n");
  CHECK(edit.text() == "{\n}");
}

TEST_CASE("json edit: pointers reach array positions, and keys with slashes and tildes") {
  const JsonEdit edit = Opened(R"({"a/b": {"c~d": [5, {"e": 6}]}})");
  CHECK(edit.Raw(*edit.At("/a~1b/c~0d/1/e")) == "6");
  CHECK(edit.At("/a~1b/c~0d/2") == nullptr);
  CHECK(edit.At("/a") == nullptr);
}

TEST_CASE("json edit: long lists fill lines") {
  JsonEdit edit = Opened("{\n  \"a\": 1\n}");
  const std::string word(30, 'x');
  edit.AddMember(edit.root(), "k", {word, word, word});
  const std::string quoted = "\"" + word + "\"";
  CHECK(edit.text() == "{\n  \"a\": 1,\n  \"k\": [\n    " + quoted + ", " + quoted + ",\n    " +
                           quoted + "\n  ]\n}");
}

}  // namespace
