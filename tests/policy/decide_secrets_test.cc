// @secrets, @claude-scratch and @runs-later in decisions.
#include <doctest/doctest.h>

#include "tests/support/world.h"

using namespace ringfence;

namespace {

const std::string kSlug = "-home-dev-project";

std::string Tmp(const World& world, const std::string& tail) {
  return "/tmp/claude-1000/" + kSlug + "/" + world.session + tail;
}

}  // namespace

TEST_CASE("secrets: denied under a policy that allows everything else") {
  World world;
  world.User(R"("read":{"allow":["/"]},"write":{"allow":["/"]})");
  for (const std::string_view path : {"~/.ssh/id_ed25519",
                                      "~/.SSH/config",
                                      "~/.gnupg/secring.gpg",
                                      "~/.aws/credentials",
                                      "~/.kube/config",
                                      "~/.config/gcloud/x.db",
                                      "~/.docker/config.json",
                                      "~/.netrc",
                                      "~/.npmrc",
                                      "~/.pypirc",
                                      "~/.git-credentials",
                                      "~/.config/gh/hosts.yml",
                                      "~/.mozilla/firefox/x",
                                      "~/.config/google-chrome/Default/Cookies",
                                      "~/.local/share/keyrings/login.keyring",
                                      "~/.claude/.credentials.json",
                                      "~/.password-store/x.gpg",
                                      "~/.vault-token",
                                      "~/.cargo/credentials.toml",
                                      "~/.bash_history",
                                      "/etc/shadow",
                                      "/etc/ssl/private/x.key"}) {
    CAPTURE(path);
    CHECK(world.Read(path) == "deny");
    CHECK(world.Write(path) == "deny");
  }
}

TEST_CASE("secrets: names that only look like secrets are ordinary files") {
  World world;
  world.User(R"("read":{"allow":["/"]},"write":{"allow":["/"],"ask":[]})");
  for (const std::string_view path :
       {"~/.sshrc2", "~/project/.ssh/config", "~/.config/ghostty/config", "~/.docker/daemon.json",
        "~/.cargo/registry/x", "~/.npmrc.d/x", "/etc/passwd", "/etc/shadows", "~/.aws-lambda/x",
        "/home/other/.ssh/id_rsa"}) {
    CAPTURE(path);
    CHECK(world.Read(path) == "permit");
    CHECK(world.Write(path) == "permit");
  }
}

TEST_CASE("secrets: without a known home they are denied in every directory") {
  World world;
  world.NoHome();
  world.User(R"("read":{"allow":["/"]})");
  CHECK(world.Read("/home/anybody/.ssh/id_rsa") == "deny");
  CHECK(world.Read("/root/.aws/credentials") == "deny");
  CHECK(world.Read("/home/anybody/x") == "permit");
  CHECK(world.Read("/home/anybody") == "permit");
  CHECK(world.Read("/root") == "permit");
  world.MoveRoot("/rootless", "/rootless");
  CHECK(world.Read("/rootless/.npmrc") == "permit");  // "/root" is only its beginning
  CHECK(world.Read("/root/.npmrc") == "deny");
}

TEST_CASE("secrets: those of both homes are denied if HOME differs") {
  World world;
  world.files.Put("/home/other", Directory());
  world.AddHome("/home/other");
  world.User(R"("read":{"allow":["/"]})");
  CHECK(world.Read("/home/dev/.ssh/id_rsa") == "deny");
  CHECK(world.Read("/home/other/.ssh/id_rsa") == "deny");
}

TEST_CASE("secrets: other projects' transcripts are denied, this project's directory is not") {
  World world;
  world.User(R"("read":{"allow":[".","~/.claude"]})");
  CHECK(world.Read("~/.claude/projects/-home-dev-other/x.jsonl") == "deny");
  CHECK(world.Read("~/.claude/projects") == "deny");
  CHECK(world.Read("~/.claude/PROJECTS/-home-dev-other/x.jsonl") == "deny");
  CHECK(world.Read("~/.claude/projects/" + kSlug + "-2/x.jsonl") == "deny");
  CHECK(world.Read("~/.claude/projects/" + kSlug + "/x.jsonl") == "permit");
  CHECK(world.Read("~/.claude/projects/" + kSlug + "/../-home-dev-other/x") == "deny");
  CHECK(world.Read("~/.claude/history.jsonl") == "deny");
}

TEST_CASE("secrets: the client's other configuration directory has the same secrets") {
  World world;
  world.places.settings_folders.push_back(Path::Clean("/home/dev/cfg"));
  world.User(R"("read":{"allow":[".","~"]})");
  CHECK(world.Read("~/cfg/.credentials.json") == "deny");
  CHECK(world.Read("~/cfg/history.jsonl") == "deny");
  CHECK(world.Read("~/cfg/projects/-home-dev-other/x.jsonl") == "deny");
  CHECK(world.Read("~/cfg/projects/" + kSlug + "/x.jsonl") == "permit");
  CHECK(world.Read("~/cfg/CLAUDE.md") == "permit");
}

TEST_CASE("secrets: this project's directory does not lead to other projects' transcripts") {
  World world;
  world.User(R"("read":{"allow":[".","~/.claude"]})");
  world.files.Put("/home/dev/.claude/projects/" + kSlug + "/other", LinkTo("../-home-dev-other"));
  world.files.Put("/home/dev/.claude/projects/-home-dev-other/x.jsonl", File());
  world.files.Put("/home/dev/project/t", LinkTo("/home/dev/.claude/projects/-home-dev-other"));
  CHECK(world.Read("~/.claude/projects/" + kSlug + "/other/x.jsonl") == "deny");
  CHECK(world.Read("t/x.jsonl") == "deny");
}

TEST_CASE("secrets: the built-in policy permits reading no transcript, not even this project's") {
  const World world;
  CHECK(world.Read("~/.claude/projects/" + kSlug + "/x.jsonl") == "deny");
  CHECK(world.Read("~/.claude/projects/-home-dev-other/x.jsonl") == "deny");
}

TEST_CASE("scratch: task output, tool results, plans and memory of this session") {
  World world;
  world.files.Put("/tmp/claude-1000", Directory().Owner(1000).Mode(0700));
  CHECK(world.Read(Tmp(world, "/tasks/b1.output")) == "permit");
  CHECK(world.Write(Tmp(world, "/tasks/b1.output")) == "deny");
  CHECK(world.Read(Tmp(world, "/scratchpad/x")) == "permit");
  CHECK(world.Write(Tmp(world, "/scratchpad/x")) == "permit");
  CHECK(world.Read("~/.claude/plans/plan.md") == "permit");
  CHECK(world.Write("~/.claude/plans/plan.md") == "permit");
  CHECK(world.Read("~/.claude/projects/" + kSlug + "/memory/MEMORY.md") == "permit");
  CHECK(world.Write("~/.claude/projects/" + kSlug + "/memory/MEMORY.md") == "permit");
  const std::string results =
      "~/.claude/projects/" + kSlug + "/" + world.session + "/tool-results/x.txt";
  CHECK(world.Read(results) == "permit");
  CHECK(world.Write(results) == "deny");
}

TEST_CASE("scratch: a session that entered a worktree continues under its own id") {
  World world;
  world.files.Put("/tmp/claude-1000", Directory().Owner(1000).Mode(0700));
  const std::string tree = kSlug + "--claude-worktrees-x/" + world.session;
  CHECK(world.Read("/tmp/claude-1000/" + tree + "/tasks/x") == "permit");
  CHECK(world.Write("/tmp/claude-1000/" + tree + "/tasks/x") == "deny");
  CHECK(world.Write("/tmp/claude-1000/" + tree + "/scratchpad/x") == "permit");
  CHECK(world.Read("~/.claude/projects/" + tree + "/tool-results/x") == "permit");
}

TEST_CASE("scratch: no access to another session's, project's or user's files") {
  World world;
  world.files.Put("/tmp/claude-1000", Directory().Owner(1000).Mode(0700));
  world.files.Put("/tmp/claude-1001", Directory().Owner(1001).Mode(0700));
  const std::string id = world.session;
  const std::string paths[] = {
      "/tmp/claude-1000/" + kSlug + "/other/tasks/x",
      "/tmp/claude-1000/-home-dev-other/other/tasks/x",
      "/tmp/claude-1000/-home-dev-other/" + id + "/x",
      "/tmp/claude-1001/" + kSlug + "/" + id + "/tasks/x",
      "/tmp/claude-1000/" + kSlug + "/" + id,
      "/tmp/claude-1000/x",
      "/tmp/x",
      "~/.claude/projects/-home-dev-other/memory/MEMORY.md",
      "~/.claude/projects/" + kSlug + "/other/tool-results/x",
      Tmp(world, "/tasks/../../other/tasks/x"),
  };
  for (const std::string& path : paths) {
    CAPTURE(path);
    CHECK(world.Read(path) == "deny");
    CHECK(world.Write(path) == "deny");
  }
}

TEST_CASE("scratch: only in a real directory of this user that no one else can write to") {
  struct Owner {
    std::string_view name;
    FakeNode node;
    std::string_view want;
  };
  const Owner owners[] = {
      {"this user's", Directory().Owner(1000).Mode(0700), "permit"},
      {"readable by all", Directory().Owner(1000).Mode(0755), "permit"},
      {"another user's", Directory().Owner(1001).Mode(0700), "deny"},
      {"root's", Directory().Owner(0).Mode(0755), "deny"},
      {"writable by the group", Directory().Owner(1000).Mode(0770), "deny"},
      {"writable by all", Directory().Owner(1000).Mode(0777), "deny"},
      {"a link", LinkTo("/tmp/elsewhere").Owner(1000), "deny"},
      {"a file", File().Owner(1000), "deny"},
  };
  for (const Owner& owner : owners) {
    CAPTURE(owner.name);
    World world;
    world.files.Put("/tmp/claude-1000", owner.node);
    CHECK(world.Read(Tmp(world, "/tasks/x")) == owner.want);
    CHECK(world.Write(Tmp(world, "/scratchpad/x")) == owner.want);
  }
  const World missing;
  CHECK(missing.Read(Tmp(missing, "/tasks/x")) == "deny");
}

TEST_CASE("scratch: a CLAUDE_CONFIG_DIR that is the root opens nothing in it") {
  World world;
  world.places.settings_folders = {Path()};
  for (const char* path : {"/plans/x", "/skills/x", "/tasks/x", "/CLAUDE.md"}) {
    CAPTURE(path);
    CHECK(world.Read(path) == "deny");
    CHECK(world.Write(path) == "deny");
  }
}

TEST_CASE("scratch: a link in it leads nowhere else") {
  World world;
  world.files.Put("/tmp/claude-1000", Directory().Owner(1000).Mode(0700));
  world.files.Put(Tmp(world, "/scratchpad/out"), LinkTo("/etc"));
  CHECK(world.Read(Tmp(world, "/scratchpad/out/passwd")) == "deny");
}

TEST_CASE("scratch: /tmp may be a link, as on macOS") {
  World world;
  world.files.Remove("/tmp");
  world.files.Put("/tmp", LinkTo("/private/tmp"));
  world.files.Put("/private/tmp/claude-1000", Directory().Owner(1000).Mode(0700));
  CHECK(world.Read(Tmp(world, "/tasks/x")) == "permit");
  CHECK(world.Read("/private" + Tmp(world, "/tasks/x")) == "permit");
  CHECK(world.Read("/private/tmp/x") == "deny");
}

TEST_CASE("scratch: a session id that is not a plain word opens nothing") {
  World world;
  world.files.Put("/tmp/claude-1000", Directory().Owner(1000).Mode(0700));
  for (const std::string_view id : {"..", ".", "", "a/b", "../../../etc", "*"}) {
    CAPTURE(id);
    world.session = std::string(id);
    CHECK(world.Read("/tmp/claude-1000/" + kSlug + "/tasks/x") == "deny");
    CHECK(world.Read("/tmp/claude-1000/" + kSlug + "/a/tasks/x") == "deny");
    CHECK(world.Read("/tmp/claude-1000/tasks/x") == "deny");
    CHECK(world.Read("/etc/passwd") == "deny");
  }
}
