#include "run/trusted_command.h"

#include <doctest/doctest.h>

#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

// "npm install" with the programs of a usual machine.
struct TrustWorld {
  TrustWorld() {
    user = R"("write":{"allow":[".","@tmp","/srv/shared"]},)"
           R"("stage":{"commands":{"trusted":["npm install *","/usr/bin/npm ci"]}})";
    command.argv = {"npm", "install", "left-pad"};
    command.cwd = "/home/dev/project";
    command.environment = {"PATH=/usr/local/bin:/usr/bin"};
    Program("/usr/bin/npm");
  }

  void Program(std::string_view path, uint32_t mode = 0755) {
    world.files.Put(std::string(path), File().Mode(mode));
  }
  void Link(std::string_view path, std::string_view target) {
    world.files.Put(std::string(path), LinkTo(std::string(target)));
  }

  CommandTrust Trust() {
    world.User(user);
    const Policy policy = world.Merged(Event());
    const CachedFiles files(world.files);
    return FindTrust(command, {policy, world.places, files});
  }

  World world;
  std::string user;
  SandboxCommand command;
};

}  // namespace

TEST_CASE("trusted command: a pattern matches, and the program is where commands cannot write") {
  TrustWorld trust;
  CHECK(trust.Trust().is_trusted);
  CHECK(trust.Trust().why_not == "");
}

TEST_CASE("trusted command: without a pattern there is no reason to give") {
  TrustWorld trust;
  trust.command.argv = {"npm", "run", "build"};
  CHECK_FALSE(trust.Trust().is_trusted);
  CHECK(trust.Trust().why_not == "");
}

TEST_CASE("trusted command: a directory before the program's may not be writable") {
  struct Row {
    std::string_view name;
    std::string path;
    bool want;
  };
  const Row rows[] = {
      {"of the project", "/home/dev/project/bin:/usr/bin", false},
      {"of packages", "/home/dev/project/node_modules/.bin:/usr/bin", false},
      {"the project behind a link", "/opt/work/bin:/usr/bin", false},
      {"that the policy lets commands write", "/srv/shared/bin:/usr/bin", false},
      {"for temporary files", "/tmp/x:/usr/bin", false},
      {"after the program", "/usr/bin:/home/dev/project/bin", true},
      {"of the user", "/home/dev/.local/bin:/usr/bin", true},
      {"a relative one, which no search uses", "bin:./x:/usr/bin", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    TrustWorld trust;
    trust.Link("/opt/work", "/home/dev/project");
    trust.command.environment = {"PATH=" + row.path};
    CHECK(trust.Trust().is_trusted == row.want);
    CHECK(trust.Trust().why_not.empty() == row.want);
  }
}

TEST_CASE("trusted command: no link to the program may be writable") {
  TrustWorld trust;
  trust.command.environment = {"PATH=/opt/bin"};
  trust.Link("/opt/bin/npm", "/home/dev/project/npm");
  SUBCASE("that leads into the project") {
    trust.Program("/home/dev/project/npm");
    CHECK_FALSE(trust.Trust().is_trusted);
  }
  SUBCASE("that leads out of the project again") {
    trust.Link("/home/dev/project/npm", "/usr/bin/npm");
    CHECK_FALSE(trust.Trust().is_trusted);
  }
  SUBCASE("that never ends") {
    trust.Link("/opt/bin/npm", "/opt/bin/npm");
    CHECK_FALSE(trust.Trust().is_trusted);
  }
  SUBCASE("other links do not matter") {
    trust.Link("/opt/bin/npm", "/usr/bin/npm");
    CHECK(trust.Trust().is_trusted);
  }
}

TEST_CASE("trusted command: the search goes on after a file that not all may start") {
  TrustWorld trust;
  trust.Program("/home/dev/.local/bin/npm", 0644);
  trust.command.environment = {"PATH=/home/dev/.local/bin:/home/dev/project/bin:/usr/bin"};
  CHECK_FALSE(trust.Trust().is_trusted);
  trust.Program("/home/dev/.local/bin/npm", 0755);
  CHECK(trust.Trust().is_trusted);
}

TEST_CASE("trusted command: a program that was given by its path") {
  TrustWorld trust;
  trust.command.argv = {"/usr/bin/npm", "ci"};
  CHECK(trust.Trust().is_trusted);
  trust.user = R"("stage":{"commands":{"trusted":["./run *","bin/../../up"]}})";
  trust.command.argv = {"./run", "it"};
  CHECK_FALSE(trust.Trust().is_trusted);
  CHECK(trust.Trust().why_not.find("/home/dev/project/./run") != std::string::npos);
  trust.command.argv = {"bin/../../up"};
  CHECK(trust.Trust().is_trusted);
}

TEST_CASE("trusted command: a missing program is not replaced by one of the project") {
  TrustWorld trust;
  trust.command.environment = {"PATH=/opt/empty:/home/dev/project/bin"};
  CHECK_FALSE(trust.Trust().is_trusted);
  trust.command.environment = {"PATH=/opt/empty"};
  CHECK(trust.Trust().is_trusted);
}
