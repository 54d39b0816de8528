#include "cli/layout/rewrite.h"

#include <doctest/doctest.h>

#include <string>

using namespace ringfence;

namespace {

RewriteQuestion Asked(std::vector<std::string> profiles = {}) {
  return {.wrapper = {.program = "/opt/ringfence", .options = {"--root=/p"}},
          .profiles = std::move(profiles),
          .known = {"a", "b", "c d"}};
}

std::string Rewritten(std::string_view text, const RewriteQuestion& question = Asked()) {
  const auto layout = RewriteLayout(text, "x.kdl", question);
  return layout ? layout->text : layout.error().text();
}

struct Row {
  const char* name;
  std::string_view text;
  std::string_view want;
};

// Replaces W with the words in front of a command of profile a.
std::string Expanded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == 'W') {
      out += R"("run" "--profile=a" "--root=/p" "--")";
    } else if (c == 'P') {
      out += R"("/opt/ringfence")";
    } else {
      out += c;
    }
  }
  return out;
}

constexpr Row kRows[] = {
    {"a command without words", R"(layout { pane name="a" command="x"; })",
     R"(layout { pane name="a" command=P { args W "x"; }; })"},
    {"a command with words", R"(layout { pane name="a" command="x" { args "b" "c"; }; })",
     R"(layout { pane name="a" command=P { args W "x" "b" "c"; }; })"},
    {"all of it in the block",
     "layout {\n pane {\n  name \"a\"\n  command \"x\"\n  args \"b\"\n }\n}",
     "layout {\n pane {\n  name \"a\"\n  command P\n  args W \"x\" \"b\"\n }\n}"},
    {"a block over lines without words",
     "layout {\n\tpane name=\"a\" command=\"x\" {\n\t\tcwd \"/\"\n\t}\n}",
     "layout {\n\tpane name=\"a\" command=P {\n\t\targs W \"x\"\n\t\tcwd \"/\"\n\t}\n}"},
    {"with the line ends that it has",
     "layout {\r\n pane name=\"a\" command=\"x\" {\r\n  cwd \"/\"\r\n }\r\n}\r\n",
     "layout {\r\n pane name=\"a\" command=P {\r\n  args W \"x\"\r\n  cwd \"/\"\r\n }\r\n}\r\n"},
    {"a block on one line", R"(layout { pane name="a" command="x" { cwd "/"; }; })",
     R"(layout { pane name="a" command=P { args W "x"; cwd "/"; }; })"},
    {"an empty block", R"(layout { pane name="a" command="x" {}; })",
     R"(layout { pane name="a" command=P { args W "x"; }; })"},
    {"a comment in the way", "layout {\n pane name=\"a\" command=\"x\" // why\n}",
     "layout {\n pane name=\"a\" command=P { args W \"x\"; } // why\n}"},
    {"an entry that is commented out", "layout {\n pane name=\"a\" command=\"x\" /-size=1\n}",
     "layout {\n pane name=\"a\" command=P /-size=1 { args W \"x\"; }\n}"},
    {"a continued line", "layout {\n pane name=\"a\" \\\n  command=\"x\" {\n args \\\n \"b\"\n}\n}",
     "layout {\n pane name=\"a\" \\\n  command=P {\n args W \"x\" \\\n \"b\"\n}\n}"},
    {"raw strings and escapes",
     R"(layout { pane name=r"a" command=r#"x "y""# { args "\u{e9}\n"; }; })",
     "layout { pane name=r\"a\" command=P { args W \"x \\\"y\\\"\" \"\\u{e9}\\n\"; }; }"},
    {"words that are commented out",
     R"(layout { pane name="a" command="x" { args /-"q" "b"; /-args "z"; }; })",
     R"(layout { pane name="a" command=P { args W "x" /-"q" "b"; /-args "z"; }; })"},
    {"a pane that is commented out",
     R"(layout { /-pane name="z" command="x"; pane name="a" command="x"; })",
     R"(layout { /-pane name="z" command="x"; pane name="a" command=P { args W "x"; }; })"},
    {"floating panes, tabs, panes in panes",
     R"(layout { tab { pane { pane name="a" command="x"; }; floating_panes { pane name="a" command="x"; }; }; })",
     R"(layout { tab { pane { pane name="a" command=P { args W "x"; }; }; )"
     R"(floating_panes { pane name="a" command=P { args W "x"; }; }; }; })"},
    {"settings of a plugin are no pane",
     R"(layout { pane { plugin location="zellij:x" { pane command="y"; }; }; pane name="a" command="x"; })",
     R"(layout { pane { plugin location="zellij:x" { pane command="y"; }; }; pane name="a" command=P { args W "x"; }; })"},
    {"a pane of a template", R"(layout { pane_template name="t" command="x"; t name="a"; })",
     R"(layout { pane_template name="t" command="x"; t command=P name="a" { args W "x"; }; })"},
    {"a template's own name is a profile",
     R"(layout { a; pane_template name="a" command="x" { args "b"; }; })",
     R"(layout { a command=P { args W "x" "b"; }; pane_template name="a" command="x" { args "b"; }; })"},
    {"words of its own for a template's command",
     R"(layout { pane_template name="a" { command "x"; args "b"; }; a { args "c"; }; })",
     R"(layout { pane_template name="a" { command "x"; args "b"; }; a command=P { args W "x" "c"; }; })"},
    {"a command of its own takes the template's words",
     R"(layout { pane_template name="a" command="x" { args "b"; }; a command="y"; })",
     R"(layout { pane_template name="a" command="x" { args "b"; }; a command=P { args W "y" "b"; }; })"},
    {"what a template says of its command stays said",
     R"(layout { pane_template name="a" command="x" close_on_exit=true { start_suspended true; }; a; a start_suspended=false; })",
     R"(layout { pane_template name="a" command="x" close_on_exit=true { start_suspended true; }; )"
     R"(a command=P close_on_exit=true start_suspended=true { args W "x"; }; )"
     R"(a command=P close_on_exit=true start_suspended=false { args W "x"; }; })"},
    {"a pane in a template",
     R"(layout { pane_template name="t" { pane name="a" command="x"; children; }; t; })",
     R"(layout { pane_template name="t" { pane name="a" command=P { args W "x"; }; children; }; t; })"},
};

TEST_CASE("layout rewrite: each command is wrapped, and everything else stays") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Rewritten(row.text) == Expanded(row.want));
  }
}

TEST_CASE("layout rewrite: wrapped commands stay") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const std::string once = Rewritten(row.text);
    const auto twice = RewriteLayout(once, "x.kdl", Asked());
    REQUIRE(twice.has_value());
    CHECK(twice->text == once);
    const auto first = RewriteLayout(row.text, "x.kdl", Asked());
    REQUIRE(first.has_value());
    CHECK(twice->profiles == first->profiles);
  }
}

TEST_CASE("layout rewrite: profiles by name, by position, or one for all") {
  constexpr std::string_view kText =
      "layout {\n pane command=\"x\"\n pane name=\"c d\" command=\"y\"\n pane\n}";
  const auto profiles = [&](std::vector<std::string> given) {
    const auto layout = RewriteLayout(kText, "x.kdl", Asked(std::move(given)));
    std::string all;
    if (!layout) return layout.error().text();
    for (const std::string& profile : layout->profiles) all += profile + ";";
    return all;
  };
  CHECK(profiles({"a"}) == "a;");
  CHECK(profiles({"b", "a"}) == "b;a;");
  CHECK(profiles({}) == "x.kdl:2:2: the pane has a command and no name");
  CHECK(profiles({"a", "b", "a"}) == "x.kdl: 2 panes have a command, and 3 profiles are given");
  CHECK(Rewritten("layout { pane name=\"z\" command=\"x\"; }") ==
        "x.kdl:1:10: no policy has a profile \"z\"");
}

TEST_CASE("layout rewrite: panes that are already wrapped keep their position") {
  const std::string once =
      Rewritten("layout { pane command=\"x\"; pane command=\"y\"; }", Asked({"a", "b"}));
  CHECK(Rewritten(once, Asked({"a", "b"})) == once);
  CHECK(once.find(R"("--profile=a" "--root=/p" "--" "x")") != std::string::npos);
  CHECK(once.find(R"("--profile=b" "--root=/p" "--" "y")") != std::string::npos);
}

TEST_CASE("layout rewrite: commands that it does not confine are reported") {
  const auto layout = RewriteLayout(
      "layout {\n"
      " pane\n"
      " pane edit=\"x\"\n"
      " pane size=1 { plugin location=\"y\"; }\n"
      " pane split_direction=\"vertical\" { pane name=\"a\" command=\"x\"; }\n"
      " pane command=\"/old/ringfence\" { args \"run\" \"--no-sandbox\" \"--\" \"x\"; }\n"
      " pane command=\"/opt/ringfence\" { args \"run\" \"--mode=rwx\" \"--\" \"x\"; }\n"
      " pane command=\"/opt/ringfence\" { args \"run\" \"--what\"; }\n"
      " pane command=\"/opt/ringfence\" { args \"run\" \"--profile=a\" \"--\" \"x\"; }\n"
      " pane command=\"/opt/ringfence\" { args \"run\" \"--policy=/p\" \"--\" \"x\"; }\n"
      " pane name=\"b\" command=\"/opt/ringfence\" { args \"run\" \"--profile=a\" \"--\" \"x\"; }\n"
      " swap_tiled_layout { tab { pane; }; }\n"
      "}",
      "x.kdl", Asked());
  REQUIRE(layout.has_value());
  CHECK(layout->notes ==
        std::vector<std::string>{
            "x.kdl:2:2: runs a shell, which is not confined",
            "x.kdl:3:2: opens an editor, which is not confined",
            "x.kdl:6:2: runs another program, \"/old/ringfence\", and stays as it is",
            "x.kdl:6:2: is not confined: its \"ringfence run\" has --no-sandbox",
            "x.kdl:7:2: is not confined: its \"ringfence run\" has --mode rwx",
            "x.kdl:8:2: is not confined: its \"ringfence run\" has a command line "
            "that could not be parsed",
            "x.kdl:10:2: runs under another policy, \"/p\", and stays as it is",
            "x.kdl:11:2: runs under profile \"a\", not \"b\", and stays as it is",
        });
  CHECK(layout->profiles == std::vector<std::string>{"a"});
}

TEST_CASE("layout rewrite: unsupported input is an error with its place") {
  static constexpr Row kWrong[] = {
      {"no layout", "pane command=\"x\"", "x.kdl:1:1: holds no \"layout\""},
      {"two of them", "layout {}\nlayout {}", "x.kdl:2:1: a second \"layout\""},
      {"no command at all", "layout { pane; }", "x.kdl: no pane has a command"},
      {"no KDL", "layout {", "x.kdl:1:8: \"{\" without a matching \"}\""},
      {"two commands", R"(layout { pane command="x" { command "y"; }; })",
       "x.kdl:1:37: a second \"command\""},
      {"the same property twice", R"(layout { pane command="x" command="y"; })",
       "x.kdl:1:35: a second \"command\""},
      {"a command that is no string", "layout { pane command=1; }",
       "x.kdl:1:23: \"command\" that is not"},
      {"a command without a value", "layout { pane { command; }; }",
       "x.kdl:1:17: \"command\" without"},
      {"an empty command", R"(layout { pane name="a" command=""; })",
       "x.kdl:1:10: an empty command"},
      {"two lists of words", R"(layout { pane name="a" command="x" { args "b"; args "c"; }; })",
       "x.kdl:1:48: a second \"args\""},
      {"words as a property", R"(layout { pane name="a" command="x" args="b"; })",
       "x.kdl:1:41: \"args\" as a property"},
      {"a word that is a number", R"(layout { pane name="a" command="x" { args 1; }; })",
       "x.kdl:1:43: a word of \"args\""},
      {"a word that is a property", R"(layout { pane name="a" command="x" { args a="b"; }; })",
       "x.kdl:1:45: a word of \"args\""},
      {"words without a command", R"(layout { pane { args "b"; }; })",
       "x.kdl:1:17: \"args\" without a command"},
      {"a command and an editor", R"(layout { pane command="x" edit="y"; })",
       "x.kdl:1:10: a pane with a command"},
      {"a template's command and an editor",
       R"(layout { pane_template name="a" command="x"; a edit="y"; })",
       "x.kdl:1:46: a pane with a command"},
      {"a template's command and a plugin",
       R"(layout { pane_template name="a" command="x"; a { plugin location="y"; }; })",
       "x.kdl:1:46: a pane with a command"},
      {"a command and panes", R"(layout { pane name="a" command="x" { pane; }; })",
       "x.kdl:1:10: a pane with both a command"},
      {"a block that is commented out", R"(layout { pane name="a" command="x" /-{}; })",
       "x.kdl:1:10: a commented-out block"},
      {"a template without a name", R"(layout { pane_template command="x"; })",
       "x.kdl:1:10: a template without"},
      {"two templates of a name", R"(layout { pane_template name="t"; pane_template name="t"; })",
       "x.kdl:1:34: a second template"},
      {"a command of something else", R"(layout { what command="x"; })",
       "x.kdl:1:10: \"what\" has a command"},
  };
  for (const Row& row : kWrong) {
    CAPTURE(row.name);
    const std::string said = Rewritten(row.text);
    CAPTURE(said);
    CHECK(said.starts_with(row.want));
  }
}

}  // namespace
