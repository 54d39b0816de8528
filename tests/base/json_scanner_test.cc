#include "base/json_scanner.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "base/syscall.h"
#include "tests/support/scan_text.h"

using namespace ringfence;

namespace {

std::string Nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string ObjectWithKeys(size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  return text;
}

// Delivers one piece, then fails.
class FailingSource final : public ByteSource {
 public:
  explicit FailingSource(std::string_view first) : first_(first) {}
  Result<std::string_view> Next() override {
    if (!first_.empty()) return std::exchange(first_, {});
    return SystemError("read(stdin)", EIO);
  }

 private:
  std::string_view first_;
};

}  // namespace

TEST_CASE("scanner: a document becomes its tokens") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"an empty object", "{}", "{ } ."},
      {"an empty array", "[]", "[ ] ."},
      {"a lone string", R"("a")", R"("a" .)"},
      {"a lone number", "-12.5e+3", "-12.5e+3 ."},
      {"the words", "[true,false,null]", "[ true false null ] ."},
      {"members and elements", R"({"a":[1,{"b":"c"}],"d":null})",
       R"({ "a": [ 1 { "b": "c" } ] "d": null } .)"},
      {"white space everywhere", " \t\r\n{ \"a\" : [ 1 , 2 ] } \n", R"({ "a": [ 1 2 ] } .)"},
      {"an empty key", R"({"":1})", R"({ "": 1 } .)"},
      {"an object in every place", "[{},[{}],{}]", "[ { } [ { } ] { } ] ."},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Scan(row.text) == row.want);
  }
}

TEST_CASE("scanner: the size of the pieces does not matter") {
  static constexpr std::string_view kTexts[] = {
      R"({"a":"plain","b":["x\ny","caf\u00e9",1.5e3],"c":{"d":true}})",
      "{\"caf\xC3\xA9\":\"\xE2\x82\xAC\xF0\x9F\x98\x80 and more text here\"}",
      R"(["\ud83d\ude00","\ud800","\u0000 long enough to need more than eight bytes"])",
      R"(  [ 12345678901234567890 , -0.000e-10 , false ]  )",
      R"({"a":1,"a":2})",
      R"(["unfinished)",
      "[\"bad \xFF byte\"]",
      "[\"cut \xE2\x82\"]",
      R"([1,])",
      "\xEF\xBB\xBF{}",
  };
  for (const std::string_view text : kTexts) {
    const std::string whole = Scan(text);
    for (size_t piece = 1; piece <= text.size(); ++piece) {
      CAPTURE(text);
      CAPTURE(piece);
      CHECK(Scan(text, {}, {.piece = piece}) == whole);
    }
  }
}

TEST_CASE("scanner: every mistake is an error with its place") {
  struct Row {
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"", "0 empty input"},
      {"  ", "2 unexpected end of input"},
      {"\xEF\xBB\xBF{}", "0 a byte order mark is not JSON"},
      {"[\xEF\xBB\xBF]", "1 expected a value"},
      {"{} {}", "3 text after the end of the document"},
      {"1 2", "2 text after the end of the document"},
      {"[1", "2 unexpected end of input"},
      {"[1 2]", "3 expected , or ]"},
      {"[1,]", "2 trailing comma before ]"},
      {"[,1]", "1 expected a value"},
      {"[1}", "2 expected , or ]"},
      {"{\"a\":1 \"b\":2}", "7 expected , or }"},
      {"{\"a\":1]", "6 expected , or }"},
      {"{\"a\":1,}", "6 trailing comma before }"},
      {"{a:1}", "1 expected a key in double quotes"},
      {"{'a':1}", "1 expected a key in double quotes"},
      {"{1:1}", "1 expected a key in double quotes"},
      {"{\"a\" 1}", "5 expected : after a key"},
      {"{\"a\"}", "4 expected : after a key"},
      {"{\"a\":}", "5 expected a value"},
      {"{\"a\":", "5 unexpected end of input"},
      {"{\"a\"", "4 unexpected end of input"},
      {"{", "1 unexpected end of input"},
      {"[", "1 unexpected end of input"},
      {"}", "0 expected a value"},
      {"]", "0 expected a value"},
      {"tru", "0 expected a value"},
      {"[nul]", "1 expected a value"},
      {"True", "0 expected a value"},
      {"NaN", "0 expected a value"},
      {"-Infinity", "0 not a number"},
      {"truex", "4 text after the end of the document"},
      {"// x\n1", "0 expected a value"},
      {"[1/**/]", "2 expected , or ]"},
      {"{\"a\":1,\"a\":2}", "7 duplicate key \"a\""},
      {"{\"a\\u0000\":1}", "1 a key contains NUL"},
      {std::string_view("{}\0", 3), "2 text after the end of the document"},
      {std::string_view("\0", 1), "0 expected a value"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK(ScanError(row.text) == row.want);
  }
}

TEST_CASE("scanner: numbers follow RFC 8259 and keep their spelling") {
  static constexpr std::string_view kGood[] = {
      "0", "-0", "1", "10", "0.5", "-1.25", "1e9", "1E9", "1e+9", "1e-9", "0e0", "0.0e00", "1e999"};
  for (const std::string_view number : kGood) {
    CAPTURE(number);
    CHECK(Scan(number) == std::string(number) + " .");
  }
  static constexpr std::string_view kBad[] = {"01",    "-",   "+1",  ".5",  "1.",   "1.e5",
                                              "1e",    "1e+", "-a",  "0x1", "1_0",  "--1",
                                              "1e5.5", "00",  "-01", "1,0", "1e1e1"};
  for (const std::string_view number : kBad) {
    CAPTURE(number);
    CHECK_FALSE(IsAccepted(number));
  }
}

TEST_CASE("scanner: an endless number takes no memory") {
  CHECK(Scan(std::string(100000, '1')) == std::string(64, '1') + " .");
  const std::string small = "0." + std::string(100000, '0') + "1";
  CHECK(Scan(small) == "0." + std::string(62, '0') + " .");
}

TEST_CASE("scanner: duplicate keys are found, however they are written") {
  struct Row {
    std::string_view name;
    std::string_view text;
    bool ok;
  };
  static constexpr Row kRows[] = {
      {"an escaped letter", R"({"file_path":1,"file_p\u0061th":2})", false},
      {"an escaped slash", R"({"a/b":1,"a\/b":2})", false},
      {"a surrogate pair and its bytes", "{\"\xF0\x9F\x98\x80\":1,\"\\ud83d\\ude00\":2}", false},
      {"the same lone surrogate", R"({"\ud800":1,"\uD800":2})", false},
      {"two lone surrogates", R"({"\ud800":1,"\ud801":2})", true},
      {"twice empty", R"({"":1,"":2})", false},
      {"another case is another key", R"({"a":1,"A":2})", true},
      {"another object is another place", R"({"a":{"a":[{"a":1},{"a":1}]}})", true},
      {"behind a nested object", R"({"a":{"b":1},"c":{"a":2},"a":3})", false},
      {"in the inner object only", R"({"x":{"a":1,"b":{"a":0},"a":2}})", false},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(IsAccepted(row.text) == row.ok);
  }
}

TEST_CASE("scanner: duplicates are found among any number of keys") {
  for (const size_t count : {1u, 15u, 16u, 17u, 18u, 31u, 32u, 33u, 64u, 1000u, 20000u}) {
    const std::string keys = ObjectWithKeys(count);
    CAPTURE(count);
    CHECK(IsAccepted(keys + "\"last\":0}"));
    CHECK_FALSE(IsAccepted(keys + "\"k0\":0}"));
    CHECK_FALSE(IsAccepted(keys + "\"k" + std::to_string(count - 1) + "\":0}"));
    CHECK_FALSE(IsAccepted(keys + "\"inner\":" + keys + "\"last\":0},\"k0\":0}"));
    CHECK(IsAccepted(keys + "\"inner\":" + keys + "\"last\":0},\"last\":0}"));
  }
}

TEST_CASE("scanner: the length of a key is limited") {
  const std::string limit(64 * 1024, 'k');
  CHECK(IsAccepted("{\"" + limit + "\":1}"));
  CHECK(ScanError("{\"" + limit + "k\":1}") == "1 a key is too long");
}

TEST_CASE("scanner: nesting is limited as the options say") {
  CHECK(IsAccepted(Nested(200)));
  CHECK(ScanError(Nested(201)) == "200 nested deeper than 200");
  CHECK(IsAccepted(Nested(3), {.max_depth = 3}));
  CHECK(ScanError(R"({"a":{"b":{}}})", {.max_depth = 2}) == "10 nested deeper than 2");
  CHECK(ScanError(std::string(5000000, '[')) == "200 nested deeper than 200");
}

TEST_CASE("scanner: comments are white space on request") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"to the end of the line", "// a\n[1] // b", "[ 1 ] ."},
      {"between stars", "/* a */[/**/1/***/,/* / * */2]", "[ 1 2 ] ."},
      {"around a key", "{/**/\"a\"/**/:/**/1/**/}/**/", R"({ "a": 1 } .)"},
      {"in a string it is text", R"("/* a // b")", R"("/* a // b" .)"},
      {"a carriage return does not end it", "[1,// a\r2\n3]", "[ 1 3 ] ."},
      {"a quote in a comment", "[1 /* \" */]", "[ 1 ] ."},
      {"any bytes in a comment", "[1 /* \xFF */]", "[ 1 ] ."},
      {"it has no end", "[1 /* ", "[ 1 ! 6 this comment has no end"},
      {"/*/ is not a whole comment", "/*/ 1", "! 5 this comment has no end"},
      {"a slash alone", "[1 / 2]", "[ 1 ! 4 a comment begins with // or /*"},
      {"a slash at the end", "1/", "1 ! 2 a comment begins with // or /*"},
      {"nothing but a comment", "// a", "! 4 unexpected end of input"},
      {"a trailing comma stays wrong", "[1,/**/]", "[ 1 ! 2 trailing comma before ]"},
      {"hash is no comment", "# a\n1", "! 0 expected a value"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    for (const size_t piece : {0u, 1u, 2u, 3u}) {
      CHECK(Scan(row.text, {.comments = true}, {.piece = piece}) == row.want);
    }
  }
}

TEST_CASE("scanner: after an error only errors follow, and the first one stays") {
  TextSource source("[x 1]");
  JsonScanner scanner(source, {});
  CHECK(scanner.Next() == Token::kArrayBegin);
  CHECK(scanner.Next() == Token::kError);
  CHECK(scanner.Next() == Token::kError);
  CHECK(scanner.error_offset() == 1);
  CHECK(scanner.error_text() == "expected a value");
}

TEST_CASE("scanner: a failing source is an error with the source's message") {
  static constexpr std::string_view kFirsts[] = {"{\"a\":", "\"abc", "12",    "  ",
                                                 "tr",      "[1",    "{\"a\\"};
  for (const std::string_view first : kFirsts) {
    CAPTURE(first);
    FailingSource source(first);
    JsonScanner scanner(source, {});
    Token token = scanner.Next();
    while (token != Token::kError && token != Token::kEnd) token = scanner.Next();
    CHECK(token == Token::kError);
    CHECK(scanner.error_text() == "read(stdin): EIO");
  }
}

TEST_CASE("scanner: every token knows where it started") {
  TextSource source(R"( {"a" : [ 12, "b" ] } )");
  JsonScanner scanner(source, {});
  struct Row {
    Token token;
    size_t offset, depth;
  };
  static constexpr Row kRows[] = {
      {Token::kObjectBegin, 1, 1}, {Token::kKey, 2, 1},     {Token::kArrayBegin, 8, 2},
      {Token::kNumber, 10, 2},     {Token::kString, 14, 2}, {Token::kArrayEnd, 18, 1},
      {Token::kObjectEnd, 20, 0},  {Token::kEnd, 22, 0},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.offset);
    CHECK(scanner.Next() == row.token);
    CHECK(scanner.token_offset() == row.offset);
    CHECK(scanner.depth() == row.depth);
  }
  CHECK(scanner.offset() == 22);
}
