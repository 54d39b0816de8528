#include "base/json_tree.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace ringfence;

using Kind = JsonTree::Kind;

namespace {

JsonTree Parsed(std::string text, bool comments = false) {
  Result<JsonTree> tree = JsonTree::Parse(std::move(text), "file.json", comments);
  REQUIRE(tree);
  return std::move(*tree);
}

std::string ParseError(std::string text, bool comments = false) {
  const Result<JsonTree> tree = JsonTree::Parse(std::move(text), "file.json", comments);
  return tree ? "" : tree.error().text();
}

// The value of a node, as written in the text.
std::string_view Written(const JsonTree& tree, const JsonTree::Node& node) {
  return std::string_view(tree.text()).substr(node.begin, node.end - node.begin);
}

const JsonTree::Node& Member(const JsonTree& tree, const JsonTree::Node& node,
                             std::string_view key) {
  const JsonTree::Node* member = tree.Find(node, key);
  REQUIRE(member != nullptr);
  return *member;
}

}  // namespace

TEST_CASE("json tree: every value has its kind, its content and its place in the text") {
  struct Row {
    std::string_view key;
    Kind kind;
    std::string_view content, written;
  };
  static constexpr Row kRows[] = {
      {"object", Kind::kObject, "", R"({ "x" : 1 })"},
      {"array", Kind::kArray, "", "[ 1 ,2 ]"},
      {"string", Kind::kString, "plain", R"("plain")"},
      {"escaped", Kind::kString, "a\nb", R"("a\nb")"},
      {"empty", Kind::kString, "", R"("")"},
      {"number", Kind::kNumber, "-1.5e3", "-1.5e3"},
      {"yes", Kind::kTrue, "", "true"},
      {"no", Kind::kFalse, "", "false"},
      {"nothing", Kind::kNull, "", "null"},
  };
  const JsonTree tree =
      Parsed(R"({"object":{ "x" : 1 },"array":[ 1 ,2 ], "string" : "plain","escaped":"a\nb",)"
             R"("empty":"","number":-1.5e3,"yes":true,"no":false,"nothing":null} )");
  CHECK(tree.root().kind == Kind::kObject);
  for (const Row& row : kRows) {
    CAPTURE(row.key);
    const JsonTree::Node& node = Member(tree, tree.root(), row.key);
    CHECK(node.kind == row.kind);
    CHECK(node.content() == row.content);
    CHECK(Written(tree, node) == row.written);
    CHECK(tree.text().substr(tree.KeyBegin(node), 1) == "\"");
    CHECK(tree.text().substr(tree.KeyBegin(node) + 1, tree.KeyOf(node).size()) == row.key);
    CHECK(tree.KeyOf(node) == row.key);
  }
  CHECK(tree.Find(tree.root(), "absent") == nullptr);
  CHECK(tree.Find(Member(tree, tree.root(), "array"), "x") == nullptr);
}

TEST_CASE("json tree: ParseForPeople reports a duplicate key along with other mistakes") {
  std::vector<Error> mistakes;
  const auto tree = JsonTree::ParseForPeople("{\"a\":1,\n\"a\":2, // x\n\"b\":{\"c\":1,\"c\":2}}",
                                             "f.json", mistakes);
  REQUIRE(tree.has_value());
  REQUIRE(mistakes.size() == 2);
  CHECK(mistakes[0].text() == "f.json:2:1: duplicate key \"a\"");
  CHECK(mistakes[1].text() == "f.json:3:12: duplicate key \"c\"");
  // Reported before the mistake that stops the parser.
  mistakes.clear();
  CHECK(JsonTree::ParseForPeople("{\"a\":1,\"a\":2,]", "f.json", mistakes).error().where ==
        "f.json:1:14");
  CHECK(mistakes.size() == 1);
  // The number of reported duplicates is limited.
  std::string many = "{\"a\":0";
  for (int i = 0; i < 1000; ++i) many += ",\"a\":0";
  mistakes.clear();
  CHECK_FALSE(JsonTree::ParseForPeople(many + "}", "f.json", mistakes).has_value());
  CHECK(mistakes.size() == JsonScanner::kMaxDuplicates);
}

TEST_CASE("json tree: children are in text order and know their parent") {
  const JsonTree tree = Parsed("[10,[20,30],{},40]");
  std::string order;
  for (JsonTree::Index i = tree.root().first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    order += std::string(Written(tree, tree.node(i))) + ";";
    CHECK(tree.node(i).parent == 0);
    CHECK(tree.IndexOf(tree.node(i)) == i);
  }
  CHECK(order == "10;[20,30];{};40;");
}

TEST_CASE("json tree: pointers follow RFC 6901, and another reader finds the same value there") {
  const std::string text =
      R"({"":{"a/b":[0,{"m~n":"x"}]},"plain":[[],[true]],"~1":null,"e\u0066":{"":1}})";
  const JsonTree tree = Parsed(text);
  const nlohmann::json oracle = nlohmann::json::parse(text);
  CHECK(tree.Pointer(tree.root()).empty());
  size_t nodes = 0;
  for (JsonTree::Index i = 1; i < 100; ++i) {
    if (i == 12) break;
    const JsonTree::Node& node = tree.node(i);
    CAPTURE(tree.Pointer(node));
    CHECK(oracle.at(nlohmann::json::json_pointer(tree.Pointer(node))) ==
          nlohmann::json::parse(Written(tree, node)));
    ++nodes;
  }
  CHECK(nodes == 11);
  const JsonTree::Node& inner = Member(tree, Member(tree, tree.root(), ""), "a/b");
  CHECK(tree.Pointer(Member(tree, tree.node(tree.node(inner.first_child).next), "m~n")) ==
        "//a~1b/1/m~0n");
}

TEST_CASE("json tree: a moved tree still owns its text") {
  JsonTree first = Parsed(R"({"key":"a\tb","n":1})");
  const JsonTree second = std::move(first);
  CHECK(Member(second, second.root(), "key").content() == "a\tb");
  CHECK(Member(second, second.root(), "n").content() == "1");
}

TEST_CASE("json tree: strings report their irregularities") {
  const JsonTree tree = Parsed(R"(["a\u0000","\udc00","plain"])");
  const JsonTree::Node& nul = tree.node(1);
  CHECK(nul.has_nul);
  CHECK(nul.content() == std::string_view("a\0", 2));
  CHECK(tree.node(2).has_lone_surrogate);
  CHECK_FALSE(tree.node(3).has_nul);
  CHECK_FALSE(tree.node(3).has_lone_surrogate);
}

TEST_CASE("json tree: a mistake is reported with file, line and column") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"first line", "[x]", "file.json:1:2: text without double quotes"},
      {"third line", "[\n1,\n  x]", "file.json:3:3: text without double quotes"},
      {"carriage returns count as columns", "[\r\n\t,]",
       "file.json:2:2: a comma without a value before it"},
      {"columns are bytes", "[\"\xC3\xA9\" x]", "file.json:1:7: missing comma"},
      {"at the end", "[1,\n", "file.json:2:1: the file ends before the \"[\" of line 1 is closed"},
      {"nothing", "", "file.json:1:1: the file holds no value"},
      {"a comment where none is accepted", "[/**/]",
       "file.json:1:2: comments are not allowed in this file"},
      {"duplicate key", "{\"a\":1,\n\"a\":2}", "file.json:2:1: duplicate key \"a\""},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(ParseError(std::string(row.text)) == row.want);
  }
  CHECK(ParseError("// x\n[/**/]", true).empty());
}

TEST_CASE("json tree: places count lines and bytes from 1") {
  CHECK(PlaceText("f", "ab\ncd", 0) == "f:1:1");
  CHECK(PlaceText("f", "ab\ncd", 2) == "f:1:3");
  CHECK(PlaceText("f", "ab\ncd", 3) == "f:2:1");
  CHECK(PlaceText("f", "ab\ncd", 5) == "f:2:3");
  CHECK(PlaceText("f", "", 0) == "f:1:1");
  CHECK(LineOf("a\nb\nc", 4) == 3);
}

TEST_CASE("json tree: kinds have readable names") {
  CHECK(KindName(Kind::kObject) == "an object");
  CHECK(KindName(Kind::kArray) == "an array");
  CHECK(KindName(Kind::kString) == "a string");
  CHECK(KindName(Kind::kNumber) == "a number");
  CHECK(KindName(Kind::kTrue) == "a boolean");
  CHECK(KindName(Kind::kFalse) == "a boolean");
  CHECK(KindName(Kind::kNull) == "null");
}

TEST_CASE("json tree: the text of a member that is not a string is empty") {
  const JsonTree tree = Parsed(R"({"text": "a", "number": 1})");
  CHECK(tree.Text(tree.root(), "text") == "a");
  CHECK(tree.Text(tree.root(), "number").empty());
  CHECK(tree.Text(tree.root(), "missing").empty());
  CHECK(tree.Text(Member(tree, tree.root(), "text"), "text").empty());
}
