// Names in a failed program's output are decided again; only the policy's denials are reported.
#include "hook/denials.h"

#include <doctest/doctest.h>

#include "tests/support/world.h"

using namespace ringfence;

namespace {

using Kind = Named::Kind;

// The note about a name, or "" if the policy permits it.
std::string ResultNotes(const World& world, const Named& named, bool confined = false) {
  const Event event = world.EventOf("Bash", R"({"command":"x"})");
  const Policy policy = world.Merged(event);
  const CachedFiles files(world.files);
  const auto denial = DecideAgain(named, event, {policy, world.places, files}, confined);
  return denial ? ReasonText(denial->decision, "") : "";
}

}  // namespace

TEST_CASE("denials: a path that the policy permits is not reported") {
  const World world;
  CHECK(ResultNotes(world, {Kind::kPath, "/home/dev/project/README.md"}).empty());
  CHECK(ResultNotes(world, {Kind::kWritten, "src/x"}).empty());
  CHECK(ResultNotes(world, {Kind::kWritten, "../project/src/x"}).empty());
}

TEST_CASE("denials: a denial is reported without a hint how to permit it") {
  World world;
  world.User(R"("read":{"allow":["."],"deny":[]})");
  for (const Named& named :
       {Named{Kind::kPath, "/etc/passwd"}, Named{Kind::kWritten, "../x"},
        Named{Kind::kPath, "~/.ssh/id_rsa"}, Named{Kind::kWritten, "~/.config/ringfence/p"}}) {
    CAPTURE(named.text);
    const std::string told = ResultNotes(world, named);
    CHECK(told.find(" refused: ") != std::string::npos);
    CHECK(told.find("ringfence allow") == std::string::npos);
  }
}

TEST_CASE("denials: a write is evaluated if reading is permitted") {
  World world;
  world.User(R"("read":{"allow":["/"]})");
  CHECK(ResultNotes(world, {Kind::kPath, "/etc/passwd"})
            .starts_with("ringfence: write to \"/etc/passwd\""));
}

TEST_CASE("denials: a missing file counts only if a deny list covers it") {
  World world;
  world.User(R"("read":{"allow":["."],"deny":["private"]})");
  CHECK(ResultNotes(world, {Kind::kHidden, "/etc/nothing"}).empty());
  CHECK(ResultNotes(world, {Kind::kHidden, "/home/dev/project/private/x"})
            .starts_with("ringfence: read"));
  CHECK(
      ResultNotes(world, {Kind::kHidden, "/home/dev/.ssh/id_rsa"}).starts_with("ringfence: read"));
}

TEST_CASE("denials: a question counts as a denial only inside a running command") {
  const World world;
  CHECK(ResultNotes(world, {Kind::kWritten, ".envrc"}).empty());
  CHECK(ResultNotes(world, {Kind::kWritten, ".envrc"}, true).find("a running command cannot ask") !=
        std::string::npos);
}

TEST_CASE("denials: text that the kernel never got is not a path") {
  const World world;
  for (const std::string text : {"~root/x", "$HOME/x", " /etc/x", "C:\\x"}) {
    CAPTURE(text);
    CHECK(ResultNotes(world, {Kind::kPath, text}).empty());
  }
}

TEST_CASE("denials: hosts are decided by the policy's network section, or by its absence") {
  World world;
  const Named evil{Kind::kHost, "evil.example"};
  CHECK(ResultNotes(world, evil).empty());
  CHECK(ResultNotes(world, evil, true).find("gives commands no network") != std::string::npos);
  world.User(R"("network":{"allow":["good.example","p.example:443"]})");
  CHECK(ResultNotes(world, evil).find("\"evil.example\" is not listed") != std::string::npos);
  CHECK(ResultNotes(world, evil).find("ringfence allow") == std::string::npos);
  CHECK(ResultNotes(world, {Kind::kHost, "good.example"}, true).empty());
  CHECK(ResultNotes(world, {Kind::kHost, "p.example:443"}).empty());
  CHECK_FALSE(ResultNotes(world, {Kind::kHost, "p.example:22"}).empty());
  CHECK_FALSE(ResultNotes(world, {Kind::kHost, "a:b@c"}).empty());
  World tightened;
  tightened.Project(R"("network":{"allow":["good.example"]})", false);
  CHECK(ResultNotes(tightened, {Kind::kHost, "good.example"}).empty());
  CHECK(ResultNotes(tightened, {Kind::kHost, "good.example"}, true)
            .find("gives commands no network") != std::string::npos);
}

TEST_CASE("denials: two lines about one file are reported once") {
  World world;
  world.User(R"("read":{"allow":["/"]})");
  Event event = world.EventOf("Bash", R"({"command":"x"})");
  event.failure = "cat: /etc/x: Permission denied\ntouch: cannot touch '/etc/x': Permission denied";
  REQUIRE(NamesInFailure(event.failure).size() == 2);
  const Policy policy = world.Merged(event);
  const CachedFiles files(world.files);
  CHECK(DenialsOf(event, {policy, world.places, files}, false).size() == 1);
}
