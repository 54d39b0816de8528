// Arguments of the client's own tools: names that are not paths of this host, and paths and hosts
// in arguments that the tool is not known to have.
#include <doctest/doctest.h>

#include "policy/decide.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view name;
  std::string_view input, want;
};

template <size_t N>
void Check(const World& world, std::string_view tool, const Row (&rows)[N]) {
  for (const Row& row : rows) {
    CAPTURE(tool);
    CAPTURE(row.name);
    CHECK(world.Call(tool, row.input) == row.want);
  }
}

// A tool unknown to ringfence that the policy allows, with a policy for hosts.
struct Odd : World {
  Odd() { User(R"("tools":{"allow":["Odd"]},"network":{"allow":["good.example"]})"); }
};

}  // namespace

TEST_CASE(
    "arguments: an unknown tool's path lists may hold objects, other path arguments may not") {
  const Odd world;
  static constexpr Row kRows[] = {
      {"a list", R"({"files":["README.md"]})", "permit"},
      {"a list, outside", R"({"files":["README.md","/etc/passwd"]})", "deny"},
      {"a list of objects", R"({"files":[{"path":"README.md"}]})", "permit"},
      {"a list of objects, outside", R"({"files":[{"path":"/etc/passwd"}]})", "deny"},
      {"an object for a list", R"({"files":{"path":"README.md"}})", "deny"},
      {"an object for a path", R"({"path":{"x":"README.md"}})", "deny"},
      {"an object in a list of one path", R"({"path":[{"x":"README.md"}]})", "deny"},
      {"a number", R"({"path":5})", "deny"},
      {"other names", R"({"text":"/etc/passwd","note":{"x":"/etc/passwd"}})", "permit"},
  };
  Check(world, "Odd", kRows);
}

TEST_CASE("arguments: an unknown tool's URLs are evaluated as hosts and as paths") {
  const Odd world;
  static constexpr Row kRows[] = {
      {"a file URL", R"({"path":"file:///home/dev/project/README.md"})", "permit"},
      {"a file URL, outside", R"({"url":"file:///etc/passwd"})", "deny"},
      {"a host", R"({"url":"https://good.example/x"})", "permit"},
      {"another host", R"({"url":"https://bad.example/x"})", "deny"},
      {"another host under a path's name", R"({"path":"https://bad.example/x"})", "deny"},
      {"a host without a scheme", R"({"url":"good.example/x"})", "permit"},
      {"another host without a scheme", R"({"url":"bad.example/x"})", "deny"},
      {"a scheme of the server's own", R"({"uri":"team://x"})", "permit"},
      {"which climbs", R"({"uri":"team://../../../etc/passwd"})", "deny"},
      {"which is no path", R"({"path":"team://x"})", "deny"},
      {"a path", R"({"url":"src/x"})", "permit"},
      {"a path, outside", R"({"url":"../x"})", "deny"},
      {"a URL to some", R"({"url":"https:/good.example"})", "deny"},
      {"a URL to some, under a path's name", R"({"path":"view-source:file:///x"})", "deny"},
  };
  Check(world, "Odd", kRows);
}

TEST_CASE("arguments: a known tool has no other arguments that name a path or a host") {
  World world;
  world.User(R"("network":{"allow":["good.example"]})");
  static constexpr Row kRows[] = {
      {"a URL", R"({"file_path":"README.md","url":"https://bad.example"})", "deny"},
      {"a file URL", R"({"file_path":"README.md","uri":"file:///etc/passwd"})", "deny"},
      {"a list", R"({"file_path":"README.md","paths":["/etc/passwd"]})", "deny"},
  };
  Check(world, "Read", kRows);
}

TEST_CASE("arguments: attached files are read, those that the client already has are not") {
  const World world;
  static constexpr Row kRows[] = {
      {"a file", R"({"message":"x","attachments":["README.md"]})", "permit"},
      {"a file outside", R"({"message":"x","attachments":["README.md","/etc/passwd"]})", "deny"},
      {"no list", R"({"message":"x","attachments":"/etc/passwd"})", "deny"},
      {"an object", R"({"message":"x","attachments":[{"path":"/etc/passwd","size":1}]})", "permit"},
      {"a number", R"({"message":"x","attachments":[1]})", "deny"},
      {"a list in the list", R"({"message":"x","attachments":[["/etc/passwd"]]})", "deny"},
  };
  Check(world, "SendUserMessage", kRows);
  Check(world, "Brief", kRows);
}

TEST_CASE("arguments: published files are read by their source, whatever their published name") {
  const World world;
  static constexpr Row kRows[] = {
      {"a path", R"({"files":[{"path":"README.md"}]})", "permit"},
      {"a path outside", R"({"files":[{"path":"/etc/passwd"}]})", "deny"},
      {"a source", R"({"files":{"a.css":{"from":"README.md"}}})", "permit"},
      {"a source outside", R"({"files":{"a.css":{"from":"/etc/passwd"}}})", "deny"},
      {"a plain list", R"({"files":["README.md"]})", "permit"},
      {"a plain list, outside", R"({"files":["/etc/passwd"]})", "deny"},
      {"a name on the page", R"({"path":"/index.html","paths":["/etc/passwd"]})", "permit"},
  };
  Check(world, "Artifact", kRows);
}

TEST_CASE("arguments: the names of a server's own files are not paths of this host") {
  const World world;
  CHECK(world.Call("memory_read", R"({"path":"/memories/x"})") == "permit");
  CHECK(world.Call("DesignSync", R"({"path":"/x","paths":["/etc/x"],"assets":[1]})") == "permit");
  CHECK(world.Call("DesignSync", R"({"localDir":"/etc"})") == "deny");
}

TEST_CASE("arguments: a host argument means another computer, unless it is where the client runs") {
  const World world;
  CHECK(world.Call("Bash", R"({"command":"x","_host":""})") == "permit");
  CHECK(world.Call("Bash", R"({"command":"x","_host":"container"})") == "permit");
  CHECK(world.Call("Bash", R"({"command":"x","_host":"laptop"})") == "deny");
  CHECK(world.Call("Bash", R"({"command":"x","_host":1})") == "deny");
}

TEST_CASE("arguments: worktrees of the repository that the session has moved to") {
  const auto make = [](const World& world) {
    const std::string named = world.Call("EnterWorktree", R"({"name":"x"})");
    CHECK(world.Call("Agent", R"({"prompt":"x","isolation":"worktree"})") == named);
    return named;
  };
  World world;
  world.files.Put("/srv/other/.git/HEAD", File());
  world.files.Put("/srv/other/src", Directory());
  world.files.Put("/srv/plain", Directory());
  world.files.Put("/home/dev/project/vendor/lib/.git/HEAD", File());
  world.cwd = "/home/dev/project/vendor/lib";
  CHECK(make(world) == "permit");
  world.cwd = "/srv/plain";  // which is not in a repository, so no worktree is made there
  CHECK(make(world) == "permit");
  for (const char* folder : {"/srv/other", "/srv/other/src"}) {
    world.cwd = folder;
    CHECK(make(world) == "deny");
  }
  // If it cannot be determined where the session is, or if there is a repository.
  world.files.Put("/srv/closed", UnreadableDirectory());
  world.cwd = "/srv/closed";
  CHECK(make(world) == "deny");
  world.files.Put("/home/dev/project/loop", LinkTo("loop"));
  world.cwd = "/home/dev/project/loop";
  CHECK(make(world) == "deny");
}
