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

TEST_CASE("trusted command: the interpreter of a script may not be writable either") {
  struct Row {
    std::string_view name;
    std::string line;
    bool want;
  };
  const std::string kLong = "/" + std::string(300, 'x');
  const Row rows[] = {
      {"an interpreter out of reach", "#!/usr/bin/node", true},
      {"with an option", "#! /usr/bin/node  --no-warnings \t", true},
      {"of the project", "#!/home/dev/project/node", false},
      {"behind a link into the project", "#!/opt/node", false},
      {"in a directory that commands may write", "#!/srv/shared/node", false},
      {"a relative one", "#!node", false},
      {"none", "#!", false},
      {"an argument that could be a program", "#!/usr/bin/nice node", false},
      {"a line that the kernel cuts", "#!" + kLong, false},
      {"a NUL byte", std::string("#!/usr/bin/node\0", 16), false},
      {"env, found out of reach", "#!/usr/bin/env sh", true},
      {"env, found behind a writable directory", "#!/usr/bin/env node", false},
      {"env by a link", "#!/opt/environment node", false},
      {"env, a path", "#!/usr/bin/env /usr/bin/node", true},
      {"env, a relative path", "#!/usr/bin/env ./node", false},
      {"env without a name", "#!/usr/bin/env", false},
      {"env with an option", "#!/usr/bin/env -S sh", false},
      {"env with a variable", "#!/usr/bin/env A=1", false},
      {"env with several words", "#!/usr/bin/env sh -e", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    TrustWorld trust;
    trust.command.environment = {"PATH=/usr/bin:/home/dev/project/bin:/usr/local/bin"};
    for (const char* program : {"/usr/bin/node", "/usr/bin/env", "/usr/bin/nice", "/usr/bin/sh",
                                "/srv/shared/node", "/home/dev/project/node", kLong.c_str()}) {
      trust.Program(program);
    }
    // `env node` finds this one, behind a directory of the project.
    trust.world.files.Remove("/usr/bin/node");
    trust.Program("/usr/local/bin/node");
    if (row.line.find("env") == row.line.npos || row.line.find("/usr/bin/node") != row.line.npos) {
      trust.Program("/usr/bin/node");
    }
    trust.Link("/opt/node", "/home/dev/project/node");
    trust.Link("/opt/environment", "/usr/bin/env");
    trust.world.files.Put("/usr/bin/npm", File(row.line + "\nrun();\n").Mode(0755));
    CHECK(trust.Trust().is_trusted == row.want);
    CHECK(trust.Trust().why_not.empty() == row.want);
  }
}

TEST_CASE("trusted command: env also looks in the relative directories of PATH") {
  for (const char* path : {"", ":", "bin", "./x"}) {
    CAPTURE(path);
    TrustWorld trust;
    trust.Program("/usr/bin/env");
    trust.Program("/usr/local/bin/node");
    trust.world.files.Put("/usr/bin/npm", File("#!/usr/bin/env node\n").Mode(0755));
    trust.command.environment = {"PATH=/usr/bin:/usr/local/bin"};
    CHECK(trust.Trust().is_trusted);
    trust.command.environment = {"PATH=/usr/bin:" + std::string(path) + ":/usr/local/bin"};
    CHECK_FALSE(trust.Trust().is_trusted);
    CHECK(trust.Trust().why_not.find("\"node\"") != std::string::npos);
  }
  TrustWorld trust;
  trust.world.files.Put("/usr/bin/npm", File("#!/usr/bin/env node\n").Mode(0755));
  trust.command.environment = {"PATH=/usr/bin:"};
  CHECK_FALSE(trust.Trust().is_trusted);
}

TEST_CASE("trusted command: an interpreter can be a script, up to a limit") {
  TrustWorld trust;
  const auto script = [&trust](const std::string& path, const std::string& interpreter) {
    trust.world.files.Put(path, File("#!" + interpreter + "\n").Mode(0755));
  };
  trust.Program("/usr/bin/sh");
  script("/usr/bin/npm", "/usr/bin/a");
  script("/usr/bin/a", "/usr/bin/b");
  script("/usr/bin/b", "/usr/bin/sh");
  CHECK(trust.Trust().is_trusted);
  script("/usr/bin/b", "/home/dev/project/sh");
  CHECK_FALSE(trust.Trust().is_trusted);
  script("/usr/bin/b", "/usr/bin/a");
  CHECK_FALSE(trust.Trust().is_trusted);
}

TEST_CASE("trusted command: a script that cannot be read is not trusted") {
  TrustWorld trust;
  trust.world.User(trust.user);
  const Policy policy = trust.world.Merged(Event());
  const FailingFiles closed(trust.world.files, FailingFiles::Call::kReadText, "/usr/bin/npm",
                            EACCES);
  const CachedFiles files(closed);
  const CommandTrust found = FindTrust(trust.command, {policy, trust.world.places, files});
  CHECK_FALSE(found.is_trusted);
  CHECK(found.why_not == "the interpreter of \"/usr/bin/npm\" cannot be read");
}

TEST_CASE("trusted command: a script that only its owner may start counts, too") {
  TrustWorld trust;
  trust.world.files.Put("/opt/bin/npm", File("#!/home/dev/project/node\n").Mode(0700));
  trust.command.environment = {"PATH=/opt/bin:/usr/bin"};
  CHECK_FALSE(trust.Trust().is_trusted);
  trust.world.files.Put("/opt/bin/npm", File("#!/home/dev/project/node\n").Mode(0600));
  CHECK(trust.Trust().is_trusted);
}

TEST_CASE("trusted command: the shell that runs other files may not be writable") {
  TrustWorld trust;
  trust.Link("/bin/sh", "/srv/shared/sh");
  CHECK_FALSE(trust.Trust().is_trusted);
  trust.Link("/bin/sh", "/usr/bin/dash");
  CHECK(trust.Trust().is_trusted);
}
