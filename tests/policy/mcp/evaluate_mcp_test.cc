// MCP tools: cases that fixtures/mcp cannot express, since they need a specific home, a disk or
// half a character.
#include <doctest/doctest.h>

#include "policy/evaluate/evaluate_argument.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

class Team : public World {
 public:
  Team() { User(R"("tools":{"allow":["mcp__team__*"]},"read":{"allow":["."]})"); }

  std::string Do(std::string_view input) const { return Call("mcp__team__do", input); }
};

}  // namespace

TEST_CASE("evaluator mcp: a home by its user's name is that home") {
  Team world;
  world.files.Put("/home/other/x", File());
  CHECK(world.Do(R"({"q":"~dev/.ssh/id_rsa"})") == "deny");
  CHECK(world.Do(R"({"q":"~dev/project/src"})") == "permit");
  CHECK(world.Do(R"({"q":"~other/x"})") == "deny");
  CHECK(world.Do(R"({"q":"~other"})") == "permit");  // an ordinary word
  CHECK(world.Do(R"({"path":"~other"})") == "deny");
  CHECK(world.Do(R"({"q":"~third/x"})") == "permit");
  CHECK(world.Do("{\"q\":\"~" + std::string(300, 'x') + "/y\"}") == "permit");
}

TEST_CASE("evaluator mcp: homes that cannot be checked count as existing") {
  Team world;
  world.files.Put("/srv/homes", UnreadableDirectory());
  world.MoveHome("/srv/homes/dev", "/srv/homes/dev");
  CHECK(world.Do(R"({"q":"~other/x"})") == "deny");
  world.NoHome();
  CHECK(world.Do(R"({"q":"~other/x"})") == "deny");
  CHECK(world.Do(R"({"q":"~/x"})") == "deny");
  CHECK(world.Do(R"({"q":"~other"})") == "permit");
}

TEST_CASE(
    "evaluator mcp: a path that cannot be checked counts as existing, an over-long name does not") {
  Team world;
  world.files.Put("/home/dev/project/locked", UnreadableDirectory());
  world.files.Put("/home/dev/locked", UnreadableDirectory());
  const std::string prose = R"({"q":"one two three four five/../../locked/x y z"})";
  CHECK(world.Do(prose) == "deny");
  world.cwd = "/home/dev/locked";
  CHECK(world.Do(R"({"q":"x"})") == "deny");
  const std::string name(300, 'x');
  CHECK(world.Do("{\"q\":\"/" + name + "/x\"}") == "permit");
  world.places.macos_names = true;
  CHECK(world.Do(R"({"q":"x"})") == "deny");
  CHECK(world.Do("{\"q\":\"/" + name + "/x\"}") == "permit");
}

TEST_CASE("evaluator mcp: if letter case is ignored, a name exists in any case") {
  Team world;
  world.places.macos_names = true;
  const FakeFiles folding({{"/home/dev/project/Link", LinkTo("/etc")},
                           {"/home/dev/project/src/a", File()},
                           {"/etc/passwd", File()}},
                          LetterCase::kIgnored);
  const auto verdict = [&](std::string_view text) {
    const Event event = world.EventOf("mcp__team__do", "{\"q\":\"" + std::string(text) + "\"}");
    return VerdictName(world.Decide(event, folding).verdict);
  };
  CHECK(verdict("LINK/passwd") == "deny");
  CHECK(verdict("/ETC/passwd") == "deny");
  CHECK(verdict("SRC/a") == "permit");
  CHECK(verdict("/API/v1") == "permit");
}

TEST_CASE("evaluator mcp: half a character never occurs in a path") {
  const Team world;
  CHECK(world.Do(R"({"path":"new\ud800"})") == "deny");
  CHECK(world.Do(R"({"q":"src/\ud800"})") == "deny");
  CHECK(world.Do(R"({"q":"/etc/\ud800"})") == "deny");
  CHECK(world.Do(R"({"q":"hello \ud800"})") == "permit");
}

TEST_CASE("evaluator mcp: the path of a file URL") {
  CHECK(PathOfFileUrl("file:///etc/x") == "/etc/x");
  CHECK(PathOfFileUrl("file://localhost/a%20b") == "/a b");
  CHECK(PathOfFileUrl("FILE:/etc/x?y#z") == "/etc/x");
  for (const std::string_view text : {"", "/etc/x", "file", "file:", "file:x", "file://server/x",
                                      "file:///%2", "1 2:///x", "https://a b/x"}) {
    CAPTURE(text);
    CHECK_FALSE(PathOfFileUrl(text).has_value());
  }
}

TEST_CASE("evaluator mcp: no command is suggested for a text of several paths") {
  Team world;
  world.files.Put("/srv/data/a", File());
  const auto reason = [&world](std::string_view text) {
    const std::string input = R"({"notes":")" + std::string(text) + R"("})";
    return ReasonText(world.Decide("mcp__team__do", input), "");
  };
  CHECK(reason("/srv/data/a").find("`ringfence allow /srv/data/a`") != std::string::npos);
  for (const std::string_view text :
       {"/srv/data/a, /srv/data/b", "/srv/data/x /srv/data/y", "/srv/data/x,/srv/data/y",
        "/srv/data/x, y", "/srv/data/x ~/y", "/srv/data/x;$HOME/y"}) {
    CAPTURE(text);
    const std::string said = reason(text);
    CAPTURE(said);
    CHECK(said.find("ringfence allow") == std::string::npos);
    CHECK(said.find("Name one path at a time. Not a path?") != std::string::npos);
  }
  // A single path may contain a space.
  CHECK(reason("/srv/data/new file").find("`ringfence allow /srv/data`") != std::string::npos);
}

TEST_CASE(
    "evaluator mcp: for a path denied from only one directory, the remedy is an absolute path") {
  Team world;
  world.files.Put("/home/dev/project/a/b", Directory());
  world.files.Put("/home/dev/project/js/t.js", File());
  world.files.Put("/home/dev/t.js", File());
  world.cwd = "/home/dev/project/a/b";
  const auto reason = [&world](std::string_view input) {
    return ReasonText(world.Decide("mcp__team__do", input), "");
  };
  constexpr std::string_view kAbsolute =
      "Use an absolute path: a relative one may be looked up in several directories.";
  for (const std::string_view input : {R"({"path":"../../js/t.js"})", R"({"path":"../a.py"})"}) {
    const std::string said = reason(input);
    CAPTURE(said);
    CHECK(said.find(kAbsolute) != std::string::npos);
    CHECK(said.find("ringfence allow") == std::string::npos);
  }
  CHECK(world.Do(R"({"path":"/home/dev/project/js/t.js"})") == "permit");
  // Outside from both directories, and from the only one.
  CHECK(reason(R"({"path":"../../../t.js"})").find(kAbsolute) == std::string::npos);
  world.cwd = "/home/dev/project";
  const std::string plain = reason(R"({"path":"../t.js"})");
  CHECK(plain.find(kAbsolute) == std::string::npos);
  CHECK(plain.find("`ringfence allow ~/t.js`") != std::string::npos);
}
