#include "cli/layout/kdl.h"

#include <doctest/doctest.h>

#include <string>

using namespace ringfence;

namespace {

std::string Shown(const KdlValue& value) {
  switch (value.kind) {
    case KdlValue::Kind::kString:
      return KdlString(value.text);
    case KdlValue::Kind::kNumber:
      return value.text;
    case KdlValue::Kind::kTrue:
      return "true";
    case KdlValue::Kind::kFalse:
      return "false";
    case KdlValue::Kind::kNull:
      return "null";
  }
  return "";
}

// A document in a normal form: "name entry key=entry {child;};".
std::string Shown(const std::vector<KdlNode>& nodes) {
  std::string out;
  for (const KdlNode& node : nodes) {
    out += node.name;
    for (const KdlEntry& entry : node.entries) {
      out += " " + (entry.name ? *entry.name + "=" : "") + Shown(entry.value);
    }
    if (node.has_block) out += " {" + Shown(node.children) + "}";
    out += ";";
  }
  return out;
}

std::string Read(std::string_view text) {
  const auto nodes = ReadKdl(text, "x.kdl");
  return nodes ? Shown(*nodes) : nodes.error().text();
}

struct Row {
  const char* name;
  std::string_view text;
  std::string_view want;
};

TEST_CASE("kdl: nodes, entries and blocks are read as the specification says") {
  static constexpr Row kRows[] = {
      {"nothing", "", ""},
      {"one node", "a", "a;"},
      {"entries of all kinds", "a 1 \"b\" c=true d=null false", "a 1 \"b\" c=true d=null false;"},
      {"a block", "a { b; c 1; }", "a {b;c 1;};"},
      {"a block that is empty", "a{}", "a {};"},
      {"a block over lines", "a {\n  b\n}\n", "a {b;};"},
      {"several on a line", "a;b ; c", "a;b;c;"},
      {"quoted names", "\"a b\" \"c d\"=1", "a b c d=1;"},
      {"types", "(t)a (u8)1 b=(\"x y\")\"z\"", "a 1 b=\"z\";"},
      {"names with signs and points", "--a -b=1\n.c\n+", "--a -b=1;.c;+;"},
      {"names that begin as values do", "truey nullx=1", "truey nullx=1;"},
      {"numbers", "a 0x1F -0b1_0 +0o17 1_000.5e-3 3E4", "a 0x1F -0b1_0 +0o17 1_000.5e-3 3E4;"},
      {"line ends of all kinds",
       "a\r\nb\rc\fd\xC2\x85"
       "e\xE2\x80\xA8"
       "f\xE2\x80\xA9",
       "a;b;c;d;e;f;"},
      {"white space of Unicode",
       "\xEF\xBB\xBF"
       "a\xC2\xA0"
       "1\xE3\x80\x80"
       "2",
       "a 1 2;"},
      {"a hash in a name", "a#b r#c=1", "a#b r#c=1;"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Read(row.text) == row.want);
  }
}

TEST_CASE("kdl: strings") {
  static constexpr Row kRows[] = {
      {"escapes", R"(a "\n\r\t\\\/\"\b\f")", R"(a "\n\r\t\\/\"\b\f";)"},
      {"code points", R"(a "\u{e9}\u{1F600}\u{0}")", "a \"\xC3\xA9\xF0\x9F\x98\x80\\u{0}\";"},
      {"over lines", "a \"b\nc\"", "a \"b\\nc\";"},
      {"raw", R"(a r"\n" r#"a"b"# r##"a"#b"##)", R"(a "\\n" "a\"b" "a\"#b";)"},
      {"raw names", R"(r"a b" r#"c"#="d")", R"(a b c="d";)"},
      {"what people do not see is written in numbers", "a \"\xE2\x80\xAE\x7F\"",
       R"(a "\u{202e}\u{7f}";)"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Read(row.text) == row.want);
  }
}

TEST_CASE("kdl: comments are not content, and continued lines are joined") {
  static constexpr Row kRows[] = {
      {"line comments", "// x\na // y\nb//z", "a;b;"},
      {"block comments nest", "/* a /* b */ c */ d /* e */ 1 /**/", "d 1;"},
      {"a block comment between a name and a block", "a/**/{/**/b/**/;}", "a {b;};"},
      {"a node that is commented out", "/-a 1 { b; }\nc", "c;"},
      {"with white space behind it", "/- /* x */ a\nc", "c;"},
      {"entries that are commented out", "a /-1 2 /-b=3 /- \"x\"", "a 2;"},
      {"a block that is commented out", "a 1 /-{ b; }\nc/-{}", "a 1;c;"},
      {"the last child is commented out", "a { b; /-c; }", "a {b;};"},
      {"a continued line", "a \\\n 1 \\ // x\n 2 \\\r\n{ b; }", "a 1 2 {b;};"},
      {"a comment over lines does not end a node", "a /* \n */ 1", "a 1;"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Read(row.text) == row.want);
  }
}

TEST_CASE("kdl: text outside the specification is an error with its place") {
  static constexpr Row kRows[] = {
      {"text without quotes", "a b", "x.kdl:1:3: \"b\" is neither"},
      {"a string that does not end", "a\nb \"x", "x.kdl:2:3: this string has no end"},
      {"a raw string that does not end", "a r#\"x\"", "x.kdl:1:3: this string has no end"},
      {"an unknown escape", R"(a "\x")", "x.kdl:1:4: an escape"},
      {"a code point that is too large", R"(a "\u{110000}")", "x.kdl:1:4: \"\\u\""},
      {"half of a surrogate pair", R"(a "\u{d800}")", "x.kdl:1:4: \"\\u\""},
      {"seven digits", R"(a "\u{0000041}")", "x.kdl:1:4: \"\\u\""},
      {"no digits", R"(a "\u{}")", "x.kdl:1:4: \"\\u\""},
      {"a comment that does not end", "a /* /* */", "x.kdl:1:3: this comment has no end"},
      {"a block that nothing closes", "a {\n b\n", "x.kdl:1:3: \"{\" without"},
      {"a block that closes nothing", "a\n}", "x.kdl:2:1: \"}\" without"},
      {"a child without an end", "a { b }", "x.kdl:1:7: expected the end of the node"},
      {"two blocks", "a {} {}", "x.kdl:1:6: expected the end of the node"},
      {"an entry behind a block", "a {} 1", "x.kdl:1:6: expected the end of the node"},
      {"entries without space", "a \"b\"\"c\"", "x.kdl:1:6: expected the end of the node"},
      {"a number with a tail", "a 1x", "x.kdl:1:4: expected the end of the node"},
      {"half a number", "a 1.", "x.kdl:1:3: an incomplete number"},
      {"a number without digits", "a 0x", "x.kdl:1:3: an incomplete number"},
      {"a property without a value", "a b=\n", "x.kdl:1:3: missing value"},
      {"a property with text for a value", "a b=c", "x.kdl:1:5: \"c\""},
      {"a type without a value", "a (t)\n", "x.kdl:1:3: missing value"},
      {"a type without an end", "(t a", "x.kdl:1:1: missing \")\""},
      {"a keyword as a node", "true 1", "x.kdl:1:1: \"true\" is a value"},
      {"a keyword as a property", "a null=1", "x.kdl:1:3: \"null\" is a value"},
      {"a number as a node", "1", "x.kdl:1:1: a node cannot begin"},
      {"a backslash that ends no line", "a \\ 1", "x.kdl:1:3: a \"\\\""},
      {"nothing commented out", "a /-", "x.kdl:1:5: \"/-\""},
      {"a node commented out that is none", "/-", "x.kdl:1:3: a node cannot begin"},
      {"values of KDL 2", "a #true", "x.kdl:1:3: \"#true\""},
      {"bytes that are no UTF-8", "a \"\xFF\"", "x.kdl:1:4: is not UTF-8"},
      {"a lone semicolon", ";", "x.kdl:1:1: a node cannot begin"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const std::string said = Read(row.text);
    CAPTURE(said);
    CHECK(said.starts_with(row.want));
  }
  CHECK(Read(std::string_view("a\0", 2)) == "x.kdl:1:2: contains NUL");
}

TEST_CASE("kdl: depth and size are limited") {
  const auto nested = [](size_t depth) {
    std::string text;
    for (size_t i = 0; i < depth; ++i) text += "a {";
    for (size_t i = 0; i < depth; ++i) text += "};";
    return text;
  };
  CHECK(ReadKdl(nested(64), "x").has_value());
  CHECK(Read(nested(65)).find("too many nested blocks") != std::string::npos);
  CHECK(Read(std::string((1u << 20) + 1, ' ')).find("megabyte") != std::string::npos);
  CHECK(Read(std::string(1u << 19, '/') + "*").find("x.kdl") == std::string::npos);  // open comment
}

TEST_CASE("kdl: places refer to the text") {
  const std::string text = "(t)pane a=\"b\" /-1 { args \"c\"; } // x";
  const auto nodes = ReadKdl(text, "x");
  REQUIRE(nodes.has_value());
  const KdlNode& node = nodes->front();
  const auto at = [&](size_t begin, size_t end) { return text.substr(begin, end - begin); };
  CHECK(node.begin == 0);
  CHECK(at(0, node.name_end) == "(t)pane");
  CHECK(at(0, node.entries_end) == "(t)pane a=\"b\" /-1");
  CHECK(at(node.entries.front().value.begin, node.entries.front().value.end) == "\"b\"");
  CHECK(at(node.block_begin, node.block_end) == " args \"c\"; ");
  CHECK(at(node.children.front().begin, node.children.front().name_end) == "args");
}

TEST_CASE("kdl: a document survives being written and read") {
  for (const std::string text : {"", "a b", "\"", "\\", "\n\r\t\b\f", "\x01\x1F\x7F", "#\"", "é",
                                 "\xF0\x9F\x98\x80", "\xEF\xBB\xBF", "'`$;{}()"}) {
    CAPTURE(text);
    const std::string document = "a " + KdlString(text);
    CHECK(document.find('\n') == std::string::npos);
    const auto nodes = ReadKdl(document, "x");
    REQUIRE(nodes.has_value());
    CHECK(nodes->front().entries.front().value.text == text);
  }
}

}  // namespace
