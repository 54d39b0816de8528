// MCP tools: arguments that count as paths, with and without an "mcp" entry; resources.
#include <doctest/doctest.h>

#include "tests/support/world.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view name;
  std::string_view input, want;
};

void Check(const World& world, std::string_view tool, std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.input);
    CHECK(world.Call(tool, row.input) == row.want);
  }
}

class Team : public World {
 public:
  Team() { User(R"("tools":{"allow":["mcp__team__*","ReadMcpResourceTool"]})"); }
};

constexpr Row kUsualNames[] = {
    {"nothing", R"({})", "permit"},
    {"no path in it", R"({"text":"see /etc/passwd","count":3,"body":{"x":null}})", "permit"},
    {"a path under another name", R"({"text":"/etc/passwd"})", "deny"},
    {"path inside", R"({"path":"src/x"})", "permit"},
    {"path outside", R"({"path":"/etc/passwd"})", "deny"},
    {"file_path", R"({"file_path":"/etc/passwd"})", "deny"},
    {"filePath", R"({"filePath":"/etc/passwd"})", "deny"},
    {"FILE-PATH", R"({"FILE-PATH":"/etc/passwd"})", "deny"},
    {"file path", R"({"file path":"/etc/passwd"})", "deny"},
    {"source and destination", R"({"source":"src/a","destination":"/tmp/b"})", "deny"},
    {"directory", R"({"directory":"../../x"})", "deny"},
    {"cwd", R"({"cwd":"/"})", "deny"},
    {"repo_path", R"({"repo_path":"/home/dev/other"})", "deny"},
    {"the project as a folder to work in", R"({"repo_path":"/home/dev/project","cwd":"."})",
     "permit"},
    {"a list", R"({"paths":["src/a","src/b"]})", "permit"},
    {"a list with one outside", R"({"paths":["src/a","/etc/passwd"]})", "deny"},
    {"a list under a name for one", R"({"path":["src/a","/etc/passwd"]})", "deny"},
    {"a list in a list", R"({"paths":[["/etc/passwd"]]})", "deny"},
    {"objects in a list", R"({"files":[{"path":"src/a"},{"path":"/etc/passwd"}]})", "deny"},
    {"objects in a list, inside", R"({"files":[{"path":"src/a","content":"etc"}]})", "permit"},
    {"deep", R"({"request":{"options":{"target_path":"/etc/passwd"}}})", "deny"},
    {"a number", R"({"path":5})", "permit"},
    {"null", R"({"path":null})", "permit"},
    {"true", R"({"path":true})", "permit"},
    {"an empty string", R"({"path":""})", "permit"},
    {"an object", R"({"path":{"value":"src"}})", "permit"},
    {"an object instead of a list", R"({"paths":{"0":"/etc/passwd"}})", "deny"},
    {"paths as keys", R"({"files":{"/etc/cron.d/x":"* * * * * root id"}})", "deny"},
    {"a number in a list", R"({"paths":["src/a",5]})", "permit"},
    {"null in a list", R"({"paths":[null]})", "permit"},
    {"an empty list", R"({"paths":[]})", "permit"},
    {"a secret", R"({"path":"~/.ssh/id_rsa"})", "deny"},
    {"NUL", R"({"path":"src\u0000/x"})", "deny"},
    {"asked about, since it may be written", R"({"path":".git/hooks/pre-commit"})", "ask"},
    {"twice the same name in two spellings", R"({"path":"src","Path":"/etc"})", "deny"},
};

constexpr Row kUris[] = {
    {"a file inside", R"({"uri":"file:///home/dev/project/src/x"})", "permit"},
    {"a file outside", R"({"uri":"file:///etc/passwd"})", "deny"},
    {"encoded", R"({"uri":"file:///%65tc/passwd"})", "deny"},
    {"an encoded slash", R"({"uri":"file:///etc%2Fpasswd"})", "deny"},
    {"dots", R"({"uri":"file:///home/dev/project/../../../etc/passwd"})", "deny"},
    {"encoded dots", R"({"uri":"file:///home/dev/project/%2e%2e/%2E./x"})", "deny"},
    {"capitals", R"({"uri":"FILE:///etc/passwd"})", "deny"},
    {"localhost", R"({"uri":"file://localhost/etc/passwd"})", "deny"},
    {"localhost, inside", R"({"uri":"file://localhost/home/dev/project/x"})", "permit"},
    {"another host", R"({"uri":"file://server/home/dev/project/x"})", "deny"},
    {"one slash", R"({"uri":"file:/etc/passwd"})", "deny"},
    {"no slash", R"({"uri":"file:etc/passwd"})", "deny"},
    {"four slashes", R"({"uri":"file:////etc/passwd"})", "deny"},
    {"backslashes", R"({"uri":"file:\\\\\\etc\\passwd"})", "deny"},
    {"white space in front", R"({"uri":" file:///etc/passwd"})", "deny"},
    {"an encoded NUL", R"({"uri":"file:///home/dev/project/a%00"})", "deny"},
    {"half an escape", R"({"uri":"file:///home/dev/project/a%2"})", "deny"},
    {"a query behind", R"({"uri":"file:///home/dev/project/a?x=1#y"})", "permit"},
    {"an encoded question mark hides no climb",
     R"({"uri":"file:///home/dev/project/a%3F/../../../../etc/passwd"})", "deny"},
    {"an encoded hash hides no climb",
     R"({"uri":"file:///home/dev/project/a%23/../../../../etc/passwd"})", "deny"},
    {"a name with an encoded question mark", R"({"uri":"file:///home/dev/project/a%3Fb"})",
     "permit"},
    {"an escape is decoded once", R"({"uri":"file:///home/dev/project/%252e%252e/x"})", "permit"},
};

constexpr Row kOtherUris[] = {
    {"another scheme", R"({"uri":"team://channel/general"})", "permit"},
    {"https", R"({"url":"https://example.com/etc/passwd"})", "permit"},
    {"https as a source", R"({"source":"https://example.com/x"})", "permit"},
    {"a plain path", R"({"uri":"/etc/passwd"})", "deny"},
    {"a climb", R"({"uri":"../../etc/passwd"})", "deny"},
    {"a climb behind a scheme", R"({"uri":"team://../../etc/passwd"})", "deny"},
    {"a list of them", R"({"urls":["https://example.com","file:///etc/passwd"]})", "deny"},
    {"a number", R"({"uri":7})", "permit"},
};

}  // namespace

TEST_CASE("mcp: URLs in odd spellings open no unlisted host and no file") {
  World world;
  world.files.Put("/home/dev/project/ab:", LinkTo("/home/dev/.ssh"));
  world.User(R"("tools":{"allow":["mcp__browser__*","ReadMcpResourceTool"]},
                "network":{"allow":["good.example"]})");
  for (const std::string_view key : {"url", "uri", "path", "href", "page_url"}) {
    for (const std::string_view text :
         {" https://evil.example/", "\\u0001https://evil.example/", "ht\\ntps://evil.example/",
          "https:/evil.example/", "https:evil.example", "https:\\\\\\\\evil.example/",
          "fi\\tle:///etc/passwd", "view-source:file:///etc/passwd", "git+file:///etc",
          "blob:https://evil.example/", "\\u00a0https://evil.example/",
          "\\ufeffhttps://evil.example/", "/etc/passwd?x://", "~/.ssh/id_rsa#://", "ab://id_rsa",
          "https://evil.example/", "https://good.example/../../../../etc/x"}) {
      const std::string input = "{\"" + std::string(key) + "\":\"" + std::string(text) + "\"}";
      CAPTURE(input);
      CHECK(world.Call("mcp__browser__go", input) == "deny");
    }
  }
  CHECK(world.Call("mcp__browser__go", R"({"url":"evil.example/x"})") == "deny");
  CHECK(world.Call("mcp__browser__go", R"({"url":"good.example/x"})") == "permit");
  CHECK(world.Call("mcp__browser__go", R"({"url":"https://good.example/a/v1...v2"})") == "permit");
  CHECK(world.Call("mcp__browser__go", R"({"uri":"team://x/y"})") == "permit");
  World open;
  open.User(R"("tools":{"allow":["mcp__browser__*"]})");
  CHECK(open.Call("mcp__browser__go", R"({"url":"good.example/x"})") == "permit");
  open.cwd.reset();
  CHECK(open.Call("mcp__browser__go", R"({"uri":"team://x/y"})") == "permit");
  for (const std::string_view uri : {"https://evil.example/", " file:///etc/passwd",
                                     "../../.ssh/id_rsa?://", "ab://id_rsa", "ht\\ntps://x.y/"}) {
    CAPTURE(uri);
    CHECK(world.Call("ReadMcpResourceTool",
                     R"({"server":"browser","uri":")" + std::string(uri) + "\"}") == "deny");
  }
}

TEST_CASE("mcp: argument names that end like those of paths count as well") {
  World world;
  world.User(R"("tools":{"allow":["mcp__team__*"]})");
  for (const std::string_view key :
       {"image_path", "downloadPath", "log_file", "keyFile", "fileUri", "root_uri", "from_file"}) {
    const std::string input = "{\"" + std::string(key) + "\":\"file:///etc/passwd\"}";
    CAPTURE(input);
    CHECK(world.Call("mcp__team__x", input) == "deny");
  }
  CHECK(world.Call("mcp__team__x", R"({"xpath":"//div","profile":"/x"})") == "permit");
}

TEST_CASE("mcp: tools that no policy names are denied") {
  World world;
  CHECK(world.Call("mcp__team__send", R"({})") == "deny");
  world.User(R"("tools":{"allow":["mcp__team__send","Read"]})");
  CHECK(world.Call("mcp__team__send", R"({})") == "permit");
  CHECK(world.Call("mcp__team__send_all", R"({})") == "deny");
  CHECK(world.Call("mcp__team2__send", R"({})") == "deny");
}

TEST_CASE("mcp: arguments with usual path names count as writes") {
  const Team world;
  Check(world, "mcp__team__do", kUsualNames);
}

TEST_CASE(
    "mcp: the remedy for a path of a reading tool is a right to read, or the \"mcp\" section") {
  const Team world;
  const std::string reason =
      ReasonText(world.Decide("mcp__team__read", R"({"path":"/etc/passwd"})"), "");
  CHECK(reason.find("\"mcp\"") != std::string::npos);
  CHECK(reason.find("ringfence allow --read /etc/passwd") != std::string::npos);
  CHECK(reason.find("ringfence allow /etc/passwd") == std::string::npos);
}

TEST_CASE("mcp: file URLs are decoded and evaluated as paths") {
  const Team world;
  Check(world, "mcp__team__do", kUris);
}

TEST_CASE("mcp: other URLs are evaluated by their host, other texts as paths") {
  const Team world;
  Check(world, "mcp__team__do", kOtherUris);
}

TEST_CASE("mcp: hosts of http arguments are evaluated if the policy lists hosts") {
  World world;
  world.User(R"("tools":{"allow":["mcp__team__*"]},"network":{"allow":["example.com"]})");
  CHECK(world.Call("mcp__team__get", R"({"url":"https://example.com/x"})") == "permit");
  CHECK(world.Call("mcp__team__get", R"({"url":"https://evil.example/x"})") == "deny");
  CHECK(world.Call("mcp__team__get", R"({"source":"http://evil.example/x"})") == "deny");
  CHECK(world.Call("mcp__team__get", R"({"uri":"wss://evil.example"})") == "deny");
}

TEST_CASE("mcp: an entry lists the arguments that are read and written") {
  World world;
  world.User(R"("tools":{"allow":["mcp__fs__*"]},
                "read":{"allow":[".","/srv/in"]},
                "mcp":{"mcp__fs__move":{"read":["/source"],"write":["/destination"]}})");
  constexpr Row kRows[] = {
      {"read from where may be read", R"({"source":"/srv/in/a","destination":"a"})", "permit"},
      {"written where may only be read", R"({"source":"a","destination":"/srv/in/a"})", "deny"},
      {"read outside", R"({"source":"/etc/passwd","destination":"a"})", "deny"},
      {"by URL", R"({"source":"file:///etc/passwd","destination":"a"})", "deny"},
      {"a list", R"({"source":["/srv/in/a","/etc/passwd"]})", "deny"},
      {"a list, inside", R"({"source":["/srv/in/a","a"]})", "permit"},
      {"a number", R"({"source":1})", "deny"},
      {"null, as if it were left out", R"({"source":null})", "permit"},
      {"an object", R"({"source":{"x":"a"}})", "deny"},
      {"absent", R"({})", "permit"},
      {"other names are not evaluated", R"({"path":"/etc/passwd","source":"a"})", "permit"},
  };
  Check(world, "mcp__fs__move", kRows);
  CHECK(world.Call("mcp__fs__other", R"({"path":"/etc/passwd"})") == "deny");
}

TEST_CASE("mcp: an entry may point into lists and objects, and apply to several tools") {
  World world;
  world.User(R"("tools":{"allow":["mcp__fs__*"]},
                "mcp":{"mcp__fs__*":{"read":["/items/*/from","/a~1b"],"write":["/out"]}})");
  constexpr Row kRows[] = {
      {"each element", R"({"items":[{"from":"src/a"},{"from":"/etc/passwd"}]})", "deny"},
      {"all inside", R"({"items":[{"from":"src/a"},{"from":"src/b"}]})", "permit"},
      {"each member", R"({"items":{"x":{"from":"/etc/passwd"}}})", "deny"},
      {"a key with a slash", R"({"a/b":"/etc/passwd"})", "deny"},
      {"a list below the pointer", R"({"out":["x",["/etc/x"]]})", "deny"},
  };
  Check(world, "mcp__fs__copy", kRows);
}

TEST_CASE("mcp: the more specific file's entry replaces the wider one's") {
  World world;
  world.User(R"("tools":{"allow":["mcp__fs__*"]},"mcp":{"mcp__fs__put":{"write":["/to"]}})");
  world.Project(R"("mcp":{"mcp__fs__put":{"read":["/to"]}})", true);
  CHECK(world.Call("mcp__fs__put", R"({"to":"/etc/x"})") == "deny");
  CHECK(world.Call("mcp__fs__put", R"({"path":"/etc/x"})") == "permit");
}

TEST_CASE("mcp: an untrusted project's entry adds arguments and removes none") {
  World world;
  world.User(R"("tools":{"allow":["mcp__fs__*"]})");
  world.Project(R"("mcp":{"mcp__fs__put":{"write":["/odd"]}})", false);
  CHECK(world.Call("mcp__fs__put", R"({"odd":"/etc/x"})") == "deny");
  CHECK(world.Call("mcp__fs__put", R"({"path":"/etc/x"})") == "deny");
}

TEST_CASE("mcp: resources are read only from a server that the policy names") {
  const Team world;
  const auto read = [&world](std::string_view server, std::string_view uri) {
    return world.Call("ReadMcpResourceTool", R"({"server":")" + std::string(server) +
                                                 R"(","uri":")" + std::string(uri) + R"("})");
  };
  CHECK(read("team", "team://x") == "permit");
  CHECK(read("other", "team://x") == "deny");
  CHECK(read("Team", "team://x") == "deny");
  CHECK(read("team", "file:///etc/passwd") == "deny");
  CHECK(read("team", "FILE:/etc/passwd") == "deny");
  CHECK(read("team", "file:///home/dev/project/README.md") == "permit");
  CHECK(read("team", "file:///home/dev/project/a%3F/../../../../etc/passwd") == "deny");
  CHECK(world.Call("ReadMcpResourceTool", R"({"uri":"team://x"})") == "deny");
  CHECK(world.Call("ReadMcpResourceTool", R"({"server":"team"})") == "deny");
  CHECK(world.Call("ReadMcpResourceTool", R"({"server":["team"],"uri":"team://x"})") == "deny");
  CHECK(world.Call("ReadMcpResourceTool", R"({"server":"team","uri":7})") == "deny");
}

TEST_CASE("mcp: a resource that is a plain path is evaluated as one") {
  const Team world;
  CHECK(world.Call("ReadMcpResourceTool", R"({"server":"team","uri":"/etc/passwd"})") == "deny");
  CHECK(world.Call("ReadMcpResourceTool", R"({"server":"team","uri":"../../etc/x"})") == "deny");
}

TEST_CASE("mcp: resource directories and lists are decided by the server, too") {
  World world;
  world.User(
      R"("tools":{"allow":["mcp__team__*","ReadMcpResourceDirTool","ListMcpResourcesTool"]})");
  CHECK(world.Call("ReadMcpResourceDirTool", R"({"server":"team","uri":"team://x"})") == "permit");
  CHECK(world.Call("ReadMcpResourceDirTool", R"({"server":"x","uri":"team://x"})") == "deny");
  CHECK(world.Call("ReadMcpResourceDirTool", R"({"server":"team","uri":"file:///etc"})") == "deny");
  CHECK(world.Call("ListMcpResourcesTool", R"({})") == "permit");
  CHECK(world.Call("ListMcpResourcesTool", R"({"server":"team"})") == "permit");
  CHECK(world.Call("ListMcpResourcesTool", R"({"server":"x"})") == "deny");
}

TEST_CASE("mcp: resources of a denied server are denied, of an asked one ask") {
  World world;
  world.User(R"("tools":{"allow":["*"],"deny":["mcp__evil__*"],"ask":["mcp__team__*"]})");
  CHECK(world.Call("ReadMcpResourceTool", R"({"server":"evil","uri":"x://y"})") == "deny");
  CHECK(world.Call("ReadMcpResourceTool", R"({"server":"EVIL","uri":"x://y"})") == "deny");
  CHECK(world.Call("ReadMcpResourceTool", R"({"server":"team","uri":"x://y"})") == "ask");
  CHECK(world.Call("ReadMcpResourceTool", R"({"server":"other","uri":"x://y"})") == "permit");
}

TEST_CASE("mcp: a file URL that is not local to every parser is denied") {
  const Team world;
  static constexpr Row kRows[] = {
      {"no host ends", R"({"path":"file://[/home/dev/project/x"})", "deny"},
      {"another host", R"({"path":"file://other/home/dev/project/x"})", "deny"},
      {"this host", R"({"path":"file://localhost/home/dev/project/x"})", "permit"},
      {"no path", R"({"path":"file://localhost"})", "deny"},
  };
  Check(world, "mcp__team__x", kRows);
}

TEST_CASE("mcp: every one of very many paths is evaluated, and the log names a few") {
  const Team world;
  std::string list = R"({"paths":["src/x")";
  for (int i = 0; i < 20; ++i) list += ",\"src/" + std::to_string(i) + "\"";
  const Decision permitted = world.Decide("mcp__team__x", list + "]}");
  CHECK(permitted.verdict == Verdict::kPermit);
  CHECK(permitted.paths.size() == 8);
  CHECK(world.Call("mcp__team__x", list + R"(,"/etc/passwd"]})") == "deny");
}
