#include "base/json_mistake.h"

#include <doctest/doctest.h>

#include "base/json_tree.h"

using namespace ringfence;

namespace {

// "1:2: what [hint]" of the mistake in a policy-like document, or "" if there is none.
std::string Mistake(std::string_view text, bool comments = true) {
  const Result<JsonTree> tree = JsonTree::Parse(std::string(text), "f", comments);
  if (tree) return "";
  const Error& error = tree.error();
  return error.text().substr(2) + (error.hint.empty() ? "" : " [" + error.hint + "]");
}

struct Row {
  std::string_view text, want;
};

template <size_t N>
void CheckRows(const Row (&rows)[N]) {
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(Mistake(row.text) == row.want);
  }
}

}  // namespace

TEST_CASE("json mistake: commas") {
  static constexpr Row kRows[] = {
      {"[1,]", "1:3: trailing comma before ] [remove the comma]"},
      {"{\"a\":[1,2,\n]}", "1:10: trailing comma before ] [remove the comma]"},
      {"{\"a\":1, // last\n}", "1:7: trailing comma before } [remove the comma]"},
      {"{\"a\":1 \"b\":2}",
       "1:8: missing comma [put a comma between this and the value in front of it]"},
      {"[true false]",
       "1:7: missing comma [put a comma between this and the value in front of it]"},
      {"[{}\n{}]", "2:1: missing comma [put a comma between this and the value in front of it]"},
      {"[,1]", "1:2: a comma without a value before it [remove the comma]"},
      {"[1,,2]", "1:4: a comma without a value before it [remove the comma]"},
      {"{,}", "1:2: a comma without a value before it [remove the comma]"},
      {"[1;2]", "1:3: \";\" instead of a comma [write a comma]"},
      {"[1=2]", "1:3: \"=\" instead of a comma [write a comma]"},
      {"[1 [2]]", "1:4: missing comma [put a comma between this and the value in front of it]"},
      {"[1 _x]", "1:4: missing comma [put a comma between this and the value in front of it]"},
      {"[1 !]", "1:4: expected , or ]"},
      {"{},", "1:3: text after the end of the document"},
  };
  CheckRows(kRows);
}

TEST_CASE("json mistake: quotes") {
  static constexpr Row kRows[] = {
      {"{'a':1}", "1:2: text in single quotes [use double quotes]"},
      {"{\"a\":'x'}", "1:6: text in single quotes [use double quotes]"},
      {"[`x`]", "1:2: text in backquotes [use double quotes]"},
      {"[\xE2\x80\x9Cx\xE2\x80\x9D]", "1:2: a typographic quote (U+201C) [write \" instead]"},
      {"{\xC2\xAB"
       "a\xC2\xBB:1}",
       "1:2: a typographic quote (U+00AB) [write \" instead]"},
      {"{allow:[]}", "1:2: a key without double quotes [write \"allow\"]"},
      {"{$ref:1}", "1:2: a key without double quotes [write \"$ref\"]"},
      {"{_a-b:1}", "1:2: a key without double quotes [write \"_a-b\"]"},
      {"{-a:1}", "1:2: a key without double quotes [write \"-a\"]"},
      {"{\"a\":src}", "1:6: text without double quotes [write \"src\"]"},
      {"[\"x", "1:2: this string has no end [close it with \"]"},
      {"[\"x\n\"]",
       "1:2: this string does not end on its line [close it with \" (\\n for a line break)]"},
      {"[\"x\r\n\"]",
       "1:2: this string does not end on its line [close it with \" (\\n for a line break)]"},
      {"[\"x\ty\"]", "1:4: a tab in a string [write \\t]"},
      {"[\"x\x01\"]", "1:4: a control character in a string"},
      {"[\"C:\\dir\"]", "1:7: an unknown escape in a string [write \\\\ for a backslash]"},
  };
  CheckRows(kRows);
}

TEST_CASE("json mistake: literals and numbers of other languages") {
  static constexpr Row kRows[] = {
      {"{\"a\":True}", "1:6: \"True\" is not JSON [write true, in lower case]"},
      {"{\"a\":FALSE}", "1:6: \"FALSE\" is not JSON [write false, in lower case]"},
      {"{\"a\":None}", "1:6: \"None\" is not JSON [write null, or leave the key out]"},
      {"{\"a\":yes}", "1:6: \"yes\" is not JSON [write true]"},
      {"{\"a\":off}", "1:6: \"off\" is not JSON [write false]"},
      {"{\"a\":01}", "1:7: a number that begins with 0 [write it in decimal, without a leading 0]"},
      {"{\"a\":0x1F}",
       "1:7: a number that begins with 0 [write it in decimal, without a leading 0]"},
      {"{\"a\":.5}", "1:6: not a number [begin a number with a digit or \"-\"]"},
      {"{\"a\":+1}", "1:6: not a number [begin a number with a digit or \"-\"]"},
  };
  CheckRows(kRows);
}

TEST_CASE("json mistake: comments, brackets and colons") {
  static constexpr Row kRows[] = {
      {"# x\n{}", "1:1: \"#\" does not begin a comment [write // instead]"},
      {"{\"a\":1 # x\n}", "1:8: \"#\" does not begin a comment [write // instead]"},
      {"{\"a\" 1}", "1:6: missing \":\" after a key [write \"key\": value]"},
      {"{\"a\"", "1:5: the file ends before the \"{\" of line 1 is closed [add the missing }]"},
      {"{:1}", "1:2: expected a key in double quotes"},
      {"{\"a\"=1}", "1:5: missing \":\" after a key [write \"key\": value]"},
      {"{\"a\":}", "1:6: missing value [write one in front of this bracket]"},
      {"{\"a\":1}}", "1:8: \"}\" without a matching \"{\" [remove it]"},
      {"{}]", "1:3: \"]\" without a matching \"[\" [remove it]"},
      {"{\"a\":1]", "1:7: \"]\" in place of the end of the \"{\" of line 1 [add the missing }]"},
      {"{\"a\":[1,2",
       "1:10: the file ends before the \"[\" of line 1 is closed [add the missing ]]"},
      {"{\n\"a\": {\n\"b\":1\n",
       "4:1: the file ends before the \"{\" of line 2 is closed [add the missing }]"},
      {"\"version\": 1",
       "1:10: a key outside of { } [put { in front of the first key and } behind the last]"},
  };
  CheckRows(kRows);
  CHECK(Mistake("[/**/]", false) ==
        "1:2: comments are not allowed in this file [remove the comment]");
}

TEST_CASE("json mistake: files that are not JSON, or not UTF-8") {
  static constexpr Row kRows[] = {
      {"version = 1", "1:1: not JSON [begin the file with \"{\"]"},
      {"<html>", "1:1: not JSON [begin the file with \"{\"]"},
      {"}", "1:1: not JSON [begin the file with \"{\"]"},
      {"// nothing\n", "2:1: the file holds no value [begin it with \"{\"]"},
      {"\xEF\xBB\xBF{}",
       "1:1: a byte order mark is not JSON [save the file as UTF-8 without a byte order mark]"},
      {"\xFF\xFE{", "1:1: the file is not in UTF-8 [save it as UTF-8]"},
      {"[\"\xFF\"]", "1:3: invalid UTF-8 [save the file as UTF-8]"},
      {"[\xC2\xA0"
       "1]",
       "1:2: an invisible character (U+00A0) [replace it with a plain space]"},
      {"[\xE2\x80\x8B"
       "1]",
       "1:2: an invisible character (U+200B) [replace it with a plain space]"},
      {"[\xF3\xA0\x80\x81"
       "1]",
       "1:2: an invisible character (U+0E0001) [replace it with a plain space]"},
      {"[1\xEF\xBC\x8C"
       "2]",
       "1:3: an unexpected character (U+FF0C) [put text in double quotes; use plain ASCII for { } "
       "[ ] "
       ", and :]"},
  };
  CheckRows(kRows);
}

TEST_CASE("json mistake: only plain words of the file are repeated") {
  CHECK(Mistake("{ignore all previous:1}") ==
        "1:2: a key without double quotes [write \"ignore\"]");
  CHECK(Mistake("{\"a\":" + std::string(200, 'x') + "}") == "1:6: text without double quotes");
  CHECK(Mistake("{" + std::string(200, 'x') + ":1}") == "1:2: a key without double quotes");
}
