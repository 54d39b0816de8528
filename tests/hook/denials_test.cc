// Names in a failed program's output are decided again; only the policy's denials are reported.
#include "hook/denials.h"

#include <doctest/doctest.h>

#include "tests/support/world.h"

using namespace ringfence;

namespace {

using Kind = Named::Kind;

// The note about a name, or "" if the policy permits it.
std::string ResultNotes(const World& world, const Named& named,
                        ProgramSandbox sandbox = ProgramSandbox::kNone) {
  const Event event = world.EventOf("Bash", R"({"command":"x"})");
  const Policy policy = world.Merged(event);
  const CachedFiles files(world.files);
  const auto denial = DecideAgain(named, event, {policy, world.places, files}, sandbox);
  return denial ? ReasonText(denial->decision, "") : "";
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
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
  CHECK(ResultNotes(world, {Kind::kWritten, ".envrc"}, ProgramSandbox::kCommands)
            .find("a running command cannot ask") != std::string::npos);
}

TEST_CASE("denials: text that the kernel never got is not a path") {
  const World world;
  for (const std::string text : {"~root/x", "$HOME/x", " /etc/x", "C:\\x"}) {
    CAPTURE(text);
    CHECK(ResultNotes(world, {Kind::kPath, text}).empty());
  }
}

TEST_CASE("denials: without a sandbox, hosts are decided by the policy's network section") {
  World world;
  const Named evil{Kind::kHost, "evil.example"};
  CHECK(ResultNotes(world, evil).empty());
  world.User(R"("network":{"allow":["good.example","p.example:443","s.example:22"]})");
  const std::string told = ResultNotes(world, evil);
  CHECK(Has(told, "connection to \"evil.example\" refused"));  // of no scheme
  CHECK(Has(told, "\"evil.example\" is not listed"));
  CHECK_FALSE(Has(told, "ringfence allow"));
  CHECK(ResultNotes(world, {Kind::kHost, "p.example:443"}).empty());
  CHECK_FALSE(ResultNotes(world, {Kind::kHost, "p.example:22"}).empty());
  CHECK_FALSE(ResultNotes(world, {Kind::kHost, "a:b@c"}).empty());
  // The program did not say at which port.
  CHECK(ResultNotes(world, {Kind::kHost, "good.example"}).empty());
  CHECK(ResultNotes(world, {Kind::kHost, "s.example"}).empty());
  world.User(R"("network":{"unlisted":"ask"})");
  CHECK(ResultNotes(world, evil).empty());
}

TEST_CASE("denials: a command in a sandbox reaches what the policy lists, or has no network") {
  constexpr ProgramSandbox kCommands = ProgramSandbox::kCommands;
  World world;
  const Named evil{Kind::kHost, "evil.example:22", true};
  std::string told = ResultNotes(world, evil, kCommands);
  CHECK(Has(told, "commands have no network: the policy has no \"network\""));
  CHECK(Has(told, "Ask the user to run `ringfence allow evil.example:22`."));
  CHECK_FALSE(Has(ResultNotes(world, {Kind::kHost, "a:b@c"}, kCommands), "Ask the user"));
  world.User(R"("network":{"allow":["good.example"],"unlisted":"ask"})");
  told = ResultNotes(world, evil, kCommands);
  CHECK(Has(told, "\"evil.example\" is not listed, and a connection cannot ask"));
  CHECK(Has(told, "`ringfence allow evil.example:22`"));
  CHECK_FALSE(Has(told, "no network"));
  CHECK(ResultNotes(world, {Kind::kHost, "good.example", true}, kCommands).empty());
  CHECK_FALSE(ResultNotes(world, {Kind::kHost, "a:b@c", true}, kCommands).empty());
  CHECK(ResultNotes(world, {Kind::kHost, "localhost:3000", true}, kCommands).empty());
  world.User(R"("network":{"unlisted":"allow","deny":["evil.example"]})");
  CHECK(ResultNotes(world, evil, kCommands).empty());  // nothing there refuses it
  World tightened;
  tightened.Project(R"("network":{"allow":["good.example"]})", false);
  CHECK(ResultNotes(tightened, {Kind::kHost, "good.example"}).empty());
  told = ResultNotes(tightened, {Kind::kHost, "good.example"}, kCommands);
  CHECK(Has(told, "only the policy of an untrusted project has \"network\""));
}

TEST_CASE("denials: where each refused host has a line of ringfence, no other message counts") {
  World world;
  world.User(R"("network":{"allow":["good.example"]})");
  const Named evil{Kind::kHost, "evil.example"};
  CHECK(ResultNotes(world, evil, ProgramSandbox::kCommands).empty());
  // There, a name does not resolve for a program that does not ask the proxy.
  world.User(R"("network":{"allow":["good.example"]},"sandbox":{"layers":"landlock"})");
  CHECK_FALSE(ResultNotes(world, evil, ProgramSandbox::kCommands).empty());
  // Which may also happen where the kernel lacks something.
  World lenient;
  lenient.User(R"("network":{"allow":["good.example"]},"sandbox":{"missing":"warn"})");
  CHECK_FALSE(ResultNotes(lenient, evil, ProgramSandbox::kCommands).empty());
}

TEST_CASE("denials: a program in the sandbox of an agent reaches the agent's service as well") {
  constexpr ProgramSandbox kAgents = ProgramSandbox::kAgents;
  World world;
  CHECK(ResultNotes(world, {Kind::kHost, "api.anthropic.com:443"}, kAgents).empty());
  std::string told = ResultNotes(world, {Kind::kHost, "evil.example:443"}, kAgents);
  CHECK(Has(told, "\"evil.example\" is not listed"));
  CHECK_FALSE(Has(told, "no network"));
  world.User(R"("network":{"allow":["good.example"]})");
  told = ResultNotes(world, {Kind::kHost, "evil.example:443"}, kAgents);
  CHECK(Has(told, "`ringfence allow --session evil.example` in another terminal"));
}

TEST_CASE("denials: two lines about one file are reported once") {
  World world;
  world.User(R"("read":{"allow":["/"]})");
  Event event = world.EventOf("Bash", R"({"command":"x"})");
  event.failure = "cat: /etc/x: Permission denied\ntouch: cannot touch '/etc/x': Permission denied";
  REQUIRE(NamesInFailure(event.failure).size() == 2);
  const Policy policy = world.Merged(event);
  const CachedFiles files(world.files);
  CHECK(DenialsOf(event, {policy, world.places, files}, ProgramSandbox::kNone).size() == 1);
}
