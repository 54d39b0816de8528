// Links: in the agent's text, on the way to a rule's own path, and on the way to the home and the
// project.
#include <doctest/doctest.h>

#include "policy/decide.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

constexpr const char* kRoot = "/home/dev/project/";

struct Row {
  std::string_view name;
  std::string_view path, want;
};

constexpr Row kThroughLinks[] = {
    {"a link out of the project", "out/passwd", "deny"},
    {"the link itself", "out", "deny"},
    {"a link to a file outside", "pw", "deny"},
    {"a chain of links out", "chain", "deny"},
    {"a link inside the project", "inner/main.cc", "permit"},
    {"a new file behind a link inside", "inner/new.cc", "permit"},
    {"a new file behind a link out", "out/new", "deny"},
    {"a dangling link out: a write would make the file there", "dangling", "deny"},
    {"below a dangling link out", "dangling/x", "deny"},
    {"a dangling link inside", "soon", "permit"},
    {"up from behind a link: the kernel leaves the target", "out/../README.md", "deny"},
    {"up from behind a link and back, inside in both readings", "far/../project/README.md",
     "permit"},
    {"up from behind a link, inside for the kernel only", "far/../../dev/project/README.md",
     "deny"},
    {"up from behind a link inside", "inner/../README.md", "permit"},
    {"an absolute path through a link", "/home/dev/entry/README.md", "permit"},
    {"a link to the root of the disk", "slash/etc/passwd", "deny"},
    {"a link to the root of the disk and back", "slash/home/dev/project/README.md", "permit"},
    {"through a link above the project", "/home/dev/entry/out/passwd", "deny"},
};

void PutLinks(World& world) {
  const auto put = [&world](const char* name, const char* target) {
    world.files.Put(kRoot + std::string(name), LinkTo(target));
  };
  put("out", "/etc");
  put("pw", "/etc/passwd");
  put("chain", "chain2");
  put("chain2", "../project/out/passwd");
  put("inner", "src");
  put("dangling", "/srv/new/file");
  put("soon", "build/later");
  put("far", "/home/dev/x");
  put("slash", "/");
  world.files.Put("/home/dev/x", Directory());
  world.files.Put("/home/dev/entry", LinkTo("project"));
}

}  // namespace

TEST_CASE("decide: both readings of a path must end inside") {
  World world;
  PutLinks(world);
  for (const Row& row : kThroughLinks) {
    CAPTURE(row.name);
    CHECK(world.Read(row.path) == row.want);
    CHECK(world.Write(row.path) == row.want);
  }
}

TEST_CASE("decide: the reason names the target of a link") {
  World world;
  PutLinks(world);
  CHECK(world.WhyNotRead("pw") ==
        R"(ringfence: read of "pw" refused: it leads to "/etc/passwd", outside the project. )"
        R"(Ask the user to run `ringfence allow --read /etc/passwd`. Rule: built-in policy )"
        R"(/read/allow.)");
}

TEST_CASE("decide: a project reached through a link is the same project") {
  World world;
  world.files.Put("/home/dev/entry", LinkTo("/home/dev/project"));
  world.MoveRoot("/home/dev/entry", "/home/dev/project");
  world.cwd = "/home/dev/entry";
  for (const std::string_view path :
       {"README.md", "/home/dev/entry/README.md", "/home/dev/project/README.md",
        "~/entry/src/main.cc", "src/../README.md"}) {
    CAPTURE(path);
    CHECK(world.Read(path) == "permit");
    CHECK(world.Write(path) == "permit");
  }
  CHECK(world.Read("../x") == "deny");
}

TEST_CASE("decide: rules apply in a project that is reached through a link") {
  World world;
  world.files.Put("/home/dev/entry", LinkTo("/home/dev/project"));
  world.MoveRoot("/home/dev/entry", "/home/dev/project");
  world.User(R"("write":{"deny":["docs"],"ask":["src","@runs-later"]})");
  CHECK(world.Write("/home/dev/entry/docs/x") == "deny");
  CHECK(world.Write("/home/dev/project/docs/x") == "deny");
  CHECK(world.Write("/home/dev/entry/src/x") == "ask");
  // The walk passes /home/dev/project/.claude, but that is not the path being written.
  CHECK(world.Write("/home/dev/project/.claude/commands/x.md") == "ask");
  CHECK(world.Write("/home/dev/entry/.claude/commands/x.md") == "ask");
}

TEST_CASE("decide: a home reached through a link is the same home") {
  World world;
  world.files.Put("/home/dev", LinkTo("/data/dev"));
  world.files.Put("/data/dev/project/README.md", File());
  world.MoveHome("/home/dev", "/data/dev");
  world.MoveRoot("/home/dev/project", "/data/dev/project");
  world.User(R"("read":{"allow":[".","~/notes","@claude-scratch"]},
                "write":{"allow":[".","~/.config/nvim","~/.local/share/notes","@claude-scratch"],
                         "ask":[]})");
  CHECK(world.Read("~/notes/x") == "permit");
  CHECK(world.Read("/data/dev/notes/x") == "permit");
  CHECK(world.Read("~/.ssh/id_rsa") == "deny");
  CHECK(world.Read("/data/dev/.ssh/id_rsa") == "deny");
  // None of these is a protected name or a secret, though a parent of each contains some.
  CHECK(world.Write("~/.config/nvim/init.lua") == "permit");
  CHECK(world.Write("~/.local/share/notes/x") == "permit");
  CHECK(world.Write("~/.claude/plans/plan.md") == "permit");
  CHECK(world.Read("~/.claude/projects/-data-dev-project/" + world.session + "/tool-results/x") ==
        "permit");
}

TEST_CASE("decide: a directory that only leads to a denied one is not denied itself") {
  World world;
  world.files.Put("/home/dev/project/scratch", LinkTo("/home/dev/.claude/plans"));
  world.files.Put("/home/dev/.claude/plans", Directory());
  CHECK(world.Read("scratch/plan.md") == "permit");
  CHECK(world.Write("scratch/plan.md") == "permit");
}

TEST_CASE("decide: a denied path that is a link denies its target") {
  World world;
  world.files.Put("/home/dev/project/secret", LinkTo("data/real"));
  world.files.Put("/home/dev/project/data/real/key", File());
  world.files.Put("/home/dev/project/deep/link", LinkTo("../data/keys"));
  world.files.Put("/home/dev/project/data/keys/sub/a.pem", File());
  world.User(R"("read":{"deny":["secret","deep/link/sub/*.pem","/srv/none"]})");
  CHECK(world.Read("secret/key") == "deny");
  CHECK(world.Read("data/real/key") == "deny");
  CHECK(world.Read("data/real") == "deny");
  CHECK(world.Read("data") == "permit");
  CHECK(world.Read("data/REAL/key") == "deny");
  CHECK(world.Read("data/keys/sub/a.pem") == "deny");
  CHECK(world.Read("data/keys/sub/a.txt") == "permit");
  CHECK(world.Read("data/keys/b.pem") == "permit");
}

TEST_CASE("decide: a secret directory linked into the project stays secret") {
  World world;
  world.MoveRoot("/home/dev/dotfiles", "/home/dev/dotfiles");
  world.files.Put("/home/dev/dotfiles/ssh/id_rsa", File());
  world.files.Put("/home/dev/dotfiles/config/gh/hosts.yml", File());
  world.files.Put("/home/dev/dotfiles/config/nvim/init.lua", File());
  world.files.Put("/home/dev/.ssh", LinkTo("dotfiles/ssh"));
  world.files.Put("/home/dev/.config", LinkTo("/home/dev/dotfiles/config"));
  world.cwd = "/home/dev/dotfiles";
  CHECK(world.Read("ssh/id_rsa") == "deny");
  CHECK(world.Read("ssh") == "deny");
  CHECK(world.Write("ssh/authorized_keys") == "deny");
  CHECK(world.Read("config/gh/hosts.yml") == "deny");
  CHECK(world.Read("~/.ssh/id_rsa") == "deny");
  CHECK(world.Read("config/nvim/init.lua") == "permit");
  CHECK(world.Read("README.md") == "permit");
  CHECK(world.WhyNotRead("ssh/id_rsa").find("~/.ssh") != std::string::npos);
}

TEST_CASE(
    "decide: runs-later files are asked about where a link of the project or the home leads") {
  World world;
  world.files.Put("/home/dev/.claude", LinkTo("project/dots/claude"));
  world.files.Put(kRoot + std::string("dots/claude/hooks"), Directory());
  world.files.Put(kRoot + std::string(".github"), LinkTo("ci"));
  world.files.Put(kRoot + std::string("ci"), Directory());
  world.files.Put(kRoot + std::string(".envrc"), LinkTo("envfile"));
  world.files.Put(kRoot + std::string(".git/hooks"), LinkTo("../tools/githooks"));
  world.files.Put(kRoot + std::string("tools/githooks"), Directory());
  for (const char* path :
       {"dots/claude/hooks/pre.sh", "dots/claude/skills/s/SKILL.md", "dots/claude/plugins/p.json",
        "ci/workflows/x.yml", "envfile", "tools/githooks/pre-commit", ".githooks/pre-commit"}) {
    CAPTURE(path);
    CHECK(world.Write(path) == "ask");
    CHECK(world.Read(path) == "permit");
  }
  for (const char* path : {"dots/claude/notes.md", "ci/readme.md", "tools/x.sh", "dots/bashrc"}) {
    CAPTURE(path);
    CHECK(world.Write(path) == "permit");
  }
}

TEST_CASE("decide: this session's own results stay readable if ~/.claude is a link") {
  World world;
  world.files.Put("/home/dev/.claude", LinkTo("/srv/dotfiles/claude"));
  world.files.Put("/srv/dotfiles/claude/projects", Directory());
  const std::string own =
      "~/.claude/projects/-home-dev-project/" + world.session + "/tool-results/1.txt";
  CHECK(world.Read(own) == "permit");
  CHECK(world.Read("~/.claude/projects/-home-dev-other/x.jsonl") == "deny");
  CHECK(world.Read("/srv/dotfiles/claude/projects/-home-dev-other/x.jsonl") == "deny");
}

TEST_CASE(
    "decide: a link on the way to an allowed directory counts if the agent cannot repoint it") {
  World world;
  world.files.Put("/home/dev/lib", LinkTo("/srv/lib-2"));
  world.files.Put("/srv/lib-2/x", File());
  world.User(R"("read":{"allow":[".","~/lib"]})");
  CHECK(world.Read("~/lib/x") == "permit");
  CHECK(world.Read("/srv/lib-2/x") == "permit");
  CHECK(world.Read("/srv/lib-3/x") == "deny");
  CHECK(world.Write("~/lib/x") == "deny");
}

TEST_CASE("decide: a link that the agent may repoint gives no permission") {
  struct Link {
    std::string_view name;
    std::string_view at, entry, write;
  };
  static constexpr Link kLinks[] = {
      {"in the project", "/home/dev/project/shared", "/home/dev/project/shared", R"(["."])"},
      {"in a folder that may be written", "/srv/work/shared", "/srv/work/shared",
       R"([".","/srv/work"])"},
      {"the link is on the way", "/srv/work/shared", "/srv/work/shared/sub",
       R"([".","/srv/work"])"},
      {"a parent of the link may be written", "/srv/work/a/shared", "/srv/work/a/shared",
       R"([".","/srv/work"])"},
      {"by a pattern", "/srv/work/shared", "/srv/work/shared", R"([".","/srv/*"])"},
      {"in the temporary folder", "/tmp/shared", "/tmp/shared", R"([".","@tmp"])"},
  };
  for (const Link& link : kLinks) {
    CAPTURE(link.name);
    World world;
    world.files.Put(std::string(link.at), LinkTo("/etc"));
    world.User(R"("read":{"allow":[".",")" + std::string(link.entry) + R"("]},"write":{"allow":)" +
               std::string(link.write) + "}");
    CHECK(world.Read("/etc/passwd") == "deny");
    CHECK(world.Read(std::string(link.at) + "/passwd") == "deny");
  }
}

TEST_CASE("decide: nor does a link that the agent may repoint after a question") {
  World world;
  world.files.Put("/srv/work/shared", LinkTo("/etc"));
  world.User(R"("read":{"allow":[".","/srv/work/shared"]},"write":{"ask":["/srv/work"]})");
  CHECK(world.Read("/etc/passwd") == "deny");
}

TEST_CASE("decide: an allow entry below the project ends below it") {
  World world;
  world.files.Put("/home/dev/project/vendor", LinkTo("/etc"));
  world.User(R"("read":{"allow":["src","vendor"]},"write":{"allow":["src"]})");
  CHECK(world.Read("vendor/passwd") == "deny");
  CHECK(world.Read("/etc/passwd") == "deny");
  CHECK(world.Read("src/main.cc") == "permit");
}

TEST_CASE("decide: a path both allowed and denied through one link is denied") {
  World world;
  world.files.Put("/home/dev/lib", LinkTo("/srv/lib-2"));
  world.files.Put("/srv/lib-2/private/x", File());
  world.User(R"("read":{"allow":[".","~/lib"],"deny":["~/lib/private"]})");
  CHECK(world.Read("~/lib/y") == "permit");
  CHECK(world.Read("~/lib/private/x") == "deny");
  CHECK(world.Read("/srv/lib-2/private/x") == "deny");
  CHECK(world.Read("/srv/lib-2/Private/x") == "deny");
}

TEST_CASE("links: a rule whose path leads to the root of the disk does not apply to everything") {
  World world;
  world.files.Put("/home/dev/project/slash", LinkTo("/"));
  world.User(R"("read":{"deny":["slash"]},"write":{"deny":["slash"]})");
  CHECK(world.Read("README.md") == "permit");
  CHECK(world.Read("slash") == "deny");
  CHECK(world.Read("slash/home/dev/project/README.md") == "deny");
}

TEST_CASE(
    "links: a rule about another user's closed directory is ignored, one about the user's own is "
    "not") {
  struct Closed {
    std::string_view name, folder, rule;
    uint32_t owner;
    bool decided;
  };
  static constexpr Closed kRows[] = {
      {"root's", "/root", "/root/x/y", 0, true},
      {"root's, deeper", "/srv/a/b", "/srv/a/b/c", 0, true},
      {"the user's own", "/home/dev/project/closed", "closed/x", 1000, false},
      {"the user's own, elsewhere", "/srv/own", "/srv/own/x/y", 1000, false},
      {"root's, behind a link", "/srv/behind", "l/x/y", 0, false},
  };
  for (const Closed& row : kRows) {
    CAPTURE(row.name);
    World world;
    world.files.Put(std::string(row.folder), UnreadableDirectory().Owner(row.owner));
    world.files.Put("/home/dev/project/l", LinkTo("/srv/behind"));
    world.User(R"("read":{"deny":[")" + std::string(row.rule) + "\"]}");
    const Event event = world.EventOf("Read", PathInput("README.md"));
    const Policy policy = world.Merged(event);
    const CachedFiles files(world.files);
    const Decision decision = Decide(event, {policy, world.places, files});
    CHECK(decision.failure.has_value() != row.decided);
    if (row.decided) CHECK(world.Read(row.rule) == "deny");
  }
}
