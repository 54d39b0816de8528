#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "policy/decide.h"
#include "policy/evaluate/fix.h"
#include "tests/support/suggested.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

// Causes of every kind, with paths of ordinary length.
struct ReasonCase {
  const char* name;
  const char* policy;
  const char* tool;
  const char* input;
};
constexpr ReasonCase kCauses[] = {
    {"outside, read", "", "Read", R"({"file_path":"/home/dev/src/library/include/header.h"})"},
    {"outside, write", "", "Write",
     R"({"file_path":"/home/dev/src/library/lib/source.cc","content":""})"},
    {"in a temporary folder", "", "Write",
     R"({"file_path":"/tmp/build-output/x.txt","content":""})"},
    {"denied", R"("write":{"deny":["docs/adr"]})", "Write",
     R"({"file_path":"docs/adr/0001-use-a-database.md","content":""})"},
    {"secrets", "", "Read", R"({"file_path":"/home/dev/.ssh/id_ed25519"})"},
    {"protected", "", "Write",
     R"({"file_path":"/home/dev/project/.claude/settings.json","content":""})"},
    {"a question", "", "Write",
     R"({"file_path":".github/workflows/build-and-test.yml","content":""})"},
    {"a list of the project", R"("write":{"allow":["src"]})", "Write",
     R"({"file_path":"docs/architecture.md","content":""})"},
    {"a profile",
     R"("profiles":{"p":{"when":{"permission_mode":"default"},"read":{"allow":["src"]}}})", "Read",
     R"({"file_path":"docs/architecture.md"})"},
    {"an MCP tool", "", "mcp__github__create_pull_request", "{}"},
    {"a tool", "", "Frobnicate", "{}"},
    {"a denied tool", R"("tools":{"deny":["WebFetch"]})", "WebFetch",
     R"({"url":"https://example.com","prompt":""})"},
    {"a host", R"("network":{"allow":["@agent-hosts"]})", "WebFetch",
     R"({"url":"https://registry.npmjs.org/left-pad","prompt":""})"},
    {"a denied host", R"("network":{"allow":["*"],"deny":["gist.github.com"]})", "WebFetch",
     R"({"url":"https://gist.github.com/someone/1234","prompt":""})"},
    {"a URL", "", "WebFetch", R"({"url":"ftp://example.com/x","prompt":""})"},
    {"a search", "", "Grep", R"({"pattern":"x","path":"/home/dev"})"},
    {"a shared folder", "", "Glob", R"({"pattern":"*","path":"/etc"})"},
    {"the sandbox", "", "Bash", R"({"command":"x","dangerouslyDisableSandbox":true})"},
    {"a device", "", "Read", R"({"file_path":"/dev/sda"})"},
    {"a worktree", "", "EnterWorktree", R"({"name":"../x"})"},
    {"a resource", "", "ReadMcpResourceTool", R"({"server":"github","uri":"repo://x"})"},
};

TEST_CASE("fix: a reason is short, and gives the remedy before the rule") {
  for (const ReasonCase& cause : kCauses) {
    CAPTURE(cause.name);
    World world;
    if (*cause.policy != 0) world.User(cause.policy);
    const Decision decision = world.Decide(cause.tool, cause.input);
    REQUIRE(decision.verdict != Verdict::kPermit);
    const std::string reason = ReasonText(decision, "");
    CAPTURE(reason);
    CHECK(reason.size() <= 240);
    const size_t rule = reason.find(" Rule: ");
    const std::string& remedy = decision.cause->remedy;
    if (remedy.empty() || rule == std::string::npos) continue;
    CHECK(reason.find(remedy) < rule);
  }
}

TEST_CASE("fix: the reason for a question that the mode refuses is also short") {
  for (const char* mode : {"auto", "bypassPermissions"}) {
    for (const char* path :
         {".github/workflows/ci.yml", ".git/hooks/pre-commit", ".claude/scheduled_tasks.json",
          ".git/rebase-merge/git-rebase-todo", ".claude/skills/deploy/SKILL.md"}) {
      World world;
      world.mode = mode;
      const std::string name = "/home/dev/project/" + std::string(path);
      const std::string reason = world.WhyNotWrite(name);
      CAPTURE(reason);
      CHECK(reason.find("sk the user to ") < reason.find(" Rule: "));
      // A rule in the user's policy is longer by this difference, plus 3.
      const std::string built_in = "built-in policy", user = "~/.config/ringfence/policy.json:18";
      CHECK(reason.find(built_in) != std::string::npos);
      CHECK(reason.size() + user.size() - built_in.size() + 3 <= 240);
    }
  }
}

TEST_CASE("fix: with long paths the command is still in the part that a terminal shows") {
  World world;
  world.files.Put("/home/dev/project/shared", LinkTo("/home/dev/work/company/monorepo"));
  for (const char* path : {"/home/dev/work/company/monorepo/packages/shared-components/index.ts",
                           "/home/dev/project/shared/packages/shared-components/src/index.ts",
                           "shared/packages/shared-components/src/index.ts"}) {
    const std::string reason = world.WhyNotRead(path);
    CAPTURE(reason);
    const size_t command = reason.find('`');
    REQUIRE(command != std::string::npos);
    CHECK(reason.find('`', command + 1) < 170);
  }
}

TEST_CASE("fix: a reason that fits keeps the names, and so does one without a command") {
  const std::string cut = "\xE2\x80\xA6";
  const std::string name = "read of \"/aaaaaaaaaa/bbbbbbbbbb/cccccccccc/dddddddddd\"";
  const std::string leads = "it leads to \"/eeeeeeeeee/ffffffffff/gggggggggg\", outside";
  const auto reason = [](const std::string& what, const std::string& why,
                         const std::string& remedy) {
    return ReasonText({Verdict::kDeny, Cause{what, why, {}, remedy}, {}, false, {}}, "");
  };
  const auto text = [](const std::string& what, const std::string& why, const std::string& remedy) {
    return "ringfence: " + what + " refused: " + why + ". " + remedy;
  };
  const auto fix = [](size_t size) { return "Do `" + std::string(size, 'x') + "`. More."; };
  CHECK(reason(name, leads, fix(10)) == text(name, leads, fix(10)));
  const std::string shorter = "it leads to \"" + cut + "/gggggggggg\", outside";
  const std::string shortest = "it leads to \"" + cut + "\", outside";
  CHECK(reason(name, leads, fix(45)) == text(name, shorter, fix(45)));
  CHECK(reason(name, leads, fix(86)) ==
        text("read of \"" + cut + "/dddddddddd\"", shortest, fix(86)));
  CHECK(reason(name, leads, fix(150)) == text("read", shortest, fix(150)));
  const std::string unfinished = "Do `" + std::string(150, 'x');
  CHECK(reason(name, "why", unfinished) == text("read", "why", unfinished));
  const std::string host = "the host \"registry.example.com\" is not listed";
  CHECK(reason(name, host, fix(150)) == text("read", host, fix(150)));
  const std::string words(200, 'w');
  CHECK(reason(name, leads, words) == text(name, leads, words));
  CHECK(reason(name, words, "") == "ringfence: " + name + " refused: " + words + ".");
  // Text that does not end with one path is not shortened; a tool's name has no preposition.
  for (const char* whole :
       {"read of \"a\"", "\"/aaaaaaaa/b\" and \"/aaaaaaaa/c\"", "nothing quoted"}) {
    CHECK(reason(whole, "why", fix(150)) == text(whole, "why", fix(150)));
  }
  CHECK(reason("tool \"mcp__a__b\"", "why", fix(150)) ==
        text("tool \"" + cut + "\"", "why", fix(150)));
}

TEST_CASE("fix: with --policy FILE the command names that file") {
  World world;
  world.Add(Layer::kCommandLine, R"("network":{"allow":["@agent-hosts"]})");
  const std::string file = world.sources.sources.back().file->path;
  for (const std::string& reason :
       {world.WhyNotRead("/home/dev/lib/a"), ReasonText(world.Decide("mcp__a__b", "{}"), ""),
        ReasonText(world.Decide("WebFetch", R"({"url":"https://x.example","prompt":""})"), "")}) {
    CAPTURE(reason);
    const std::vector<std::string> words = Suggested(reason);
    REQUIRE(words.size() >= 5);
    CHECK(words[2] == "--policy");
    CHECK(words[3] == file);
  }
}

TEST_CASE("fix: with --policy FILE the user's own policy cannot widen the project") {
  World world;
  world.files.Put("/home/dev/main/.git/HEAD", File());
  world.MoveRoot("/home/dev/main/app", "/home/dev/main/app");
  world.cwd = "/home/dev/main/app";
  CHECK(world.WhyNotRead("../lib/b").find(R"("root": "git")") != std::string::npos);
  world.Add(Layer::kCommandLine, "");
  world.places.policies.push_back(Path::Clean(world.sources.sources.back().file->path));
  const std::string reason = world.WhyNotRead("../lib/b");
  CAPTURE(reason);
  CHECK(reason.find(R"("root": "git")") == std::string::npos);
  CHECK(SuggestedPath(reason) == "~/main/lib");
}

TEST_CASE("fix: without a home, no fix is suggested that needs one") {
  World world;
  world.NoHome();
  world.files.Put("/srv/main/.git/HEAD", File());
  world.MoveRoot("/srv/main/app", "/srv/main/app");
  world.cwd = "/srv/main/app";
  const std::string reason = world.WhyNotRead("../lib/b");
  CAPTURE(reason);
  CHECK(reason.find(R"("root": "git")") == std::string::npos);
  CHECK(SuggestedPath(reason) == "/srv/main/lib");
}

TEST_CASE("fix: no command names a policy file that the user cannot name") {
  for (const char* file : {"/proc/self/fd/7", "/policies/a`b.json"}) {
    CAPTURE(file);
    World world;
    Policy policy = world.Merged(world.EventOf("Read", "{}"));
    policy.named_file = file;
    const CachedFiles files(world.files);
    const auto remedy = [&](std::string_view tool) {
      const Decision decision = Decide(world.EventOf(tool, PathInput("/srv/data/x")),
                                       {policy, world.places, files}, nullptr);
      REQUIRE(decision.verdict == Verdict::kDeny);
      return decision.cause->remedy;
    };
    CHECK(remedy("Read") == R"(Work in "/home/dev/project".)");
    CHECK(remedy("mcp__a__b") == "Ask the user to add it to the policy.");
  }
}

TEST_CASE("fix: the project is named if its own policy decides and a shell can name it") {
  const auto remedy = [](std::string_view own_file) {
    World world;
    Policy policy = world.Merged(world.EventOf("Read", "{}"));
    policy.own_file = own_file;
    const CachedFiles files(world.files);
    const Decision decision = Decide(world.EventOf("Read", PathInput("/srv/data/x")),
                                     {policy, world.places, files}, nullptr);
    return decision.cause->remedy;
  };
  const auto asks = [](const std::string& words) {
    return "Ask the user to run `ringfence allow " + words + "--read /srv/data`.";
  };
  CHECK(remedy("") == asks(""));
  CHECK(remedy("~/src/shop/.ringfence/policy.json") == asks("--project ~/src/shop "));
  CHECK(remedy("~/my src/.ringfence/policy.json") == asks("--project '~/my src' "));
  CHECK(remedy("/srv/a`b/.ringfence/policy.json") == asks(""));
}

TEST_CASE("fix: a project below /tmp is permanent: so are suggestions in it") {
  World world;
  world.MoveRoot("/tmp/project", "/tmp/project");
  world.cwd = "/tmp/project";
  world.User(R"("write":{"allow":["src"]})");
  CHECK(Suggested(world.WhyNotWrite("docs/api/x.md")) ==
        std::vector<std::string>{"ringfence", "allow", "/tmp/project/docs/api"});
  CHECK(Suggested(world.WhyNotWrite("/tmp/projects/x/y")) ==
        std::vector<std::string>{"ringfence", "allow", "--session", "/tmp/projects/x"});
}

TEST_CASE("fix: no command is suggested for a list that it cannot change") {
  const auto check = [](const World& world, const std::string& who) {
    for (const std::string& reason :
         {world.WhyNotRead("/srv/data/x"), world.WhyNotWrite("/srv/data/x"),
          ReasonText(world.Decide("mcp__a__b", "{}"), ""),
          ReasonText(world.Decide("ReadMcpResourceTool", R"({"server":"a","uri":"x://y"})"), ""),
          ReasonText(world.Decide("WebFetch", R"({"url":"https://x.example","prompt":""})"), "")}) {
      CAPTURE(reason);
      CHECK(reason.find('`') == std::string::npos);
      CHECK(reason.find(who) != std::string::npos);
    }
  };
  const std::string lists =
      R"("read":{"allow":["."]},"write":{"allow":["."]},"tools":{"allow":["Read","Write",)"
      R"("WebFetch","ReadMcpResourceTool"]},"network":{"allow":["y.example"]})";
  {
    World world;
    world.Project(lists, false);
    check(world, "the project's own policy");
    // The same if the user's own list lacks it: adding it only there does not help.
    world.User(lists);
    check(world, "the project's own policy");
  }
  {
    World world;
    world.User(R"("profiles":{"p":{"when":{"permission_mode":"default"},)" + lists + "}}");
    check(world, "this list of the profile");
  }
}

}  // namespace
