#include <doctest/doctest.h>

#include "policy/rules/pattern.h"
#include "sandbox/render.h"
#include "sandbox/sbpl_text.h"
#include "tests/support/sbpl.h"

using namespace ringfence;

namespace {

Path At(const std::string& text) { return Path::Clean(text); }

// A project in which everything is writable.
SandboxPlan Project() {
  SandboxPlan plan;
  plan.system = HostSystem::kMacos;
  plan.root = At("/Users/dev/p");
  plan.cwd = plan.root;
  plan.user = 501;
  plan.argv = {"make"};
  plan.writable = {{.path = plan.root}};
  return plan;
}

SbplProfile Of(const SandboxPlan& plan) { return SbplProfile(SeatbeltProfile(plan)); }

GuardedName Pattern(const std::string& tail, const std::string& base = "/Users/dev/p") {
  return {.base = base, .tail = tail, .has_pattern = true};
}

GuardedName Anywhere(const std::string& tail) {
  return {.base = "/", .tail = "**/" + tail, .has_pattern = true, .is_anywhere = true};
}

// True if a rule for the name refuses a file of the project.
bool Refuses(GuardedName name, const std::string& file) {
  SandboxPlan plan = Project();
  plan.names.Refuse(std::move(name));
  return !Of(plan).MayWrite("/Users/dev/p/" + file);
}

}  // namespace

TEST_CASE("seatbelt: a name cannot end a string or begin a form") {
  CHECK(SbplString("/a\")(allow default)(x \"") == R"("/a\")(allow default)(x \"")");
  CHECK(SbplString("/a\\") == R"("/a\\")");
  CHECK(SbplString("/a\n\x01\x7F") == R"("/a\x0a\x01\x7f")");
  SandboxPlan plan = Project();
  plan.writable.push_back({.path = At("/q\"))\n(allow file-write*) ; \\")});
  const SbplProfile profile = Of(plan);
  CHECK(profile.MayWrite("/q\"))\n(allow file-write*) ; \\/x"));
  CHECK_FALSE(profile.MayWrite("/etc/x"));
}

TEST_CASE("seatbelt: reasons stay in their comments") {
  SandboxPlan plan = Project();
  plan.writable.push_back({.path = At("/q"), .why = "x\n(allow file-write*)"});
  CHECK_FALSE(Of(plan).MayWrite("/etc/x"));
}

TEST_CASE("seatbelt: names are those that the kernel uses") {
  CHECK(MacosPath(At("/tmp/x")).text() == "/private/tmp/x");
  CHECK(MacosPath(At("/var")).text() == "/private/var");
  CHECK(MacosPath(At("/etc/ssh")).text() == "/private/etc/ssh");
  CHECK(MacosPath(At("/private/tmp")).text() == "/private/tmp");
  CHECK(MacosPath(At("/variety")).text() == "/variety");
  CHECK(MacosPath(At("/System/Volumes/Data/Users/dev")).text() == "/Users/dev");
  CHECK(MacosPath(At("/System/Volumes/Data/private/tmp")).text() == "/private/tmp");
  CHECK(MacosPath(At("/System/Volumes/Data")).text() == "/System/Volumes/Data");
  CHECK(NameRegex(MacosName({.base = "/", .tail = "etc/h*", .has_pattern = true}),
                  Spelling::kExact) == "^/private/etc/h[^/]*(/|$)");
}

TEST_CASE("seatbelt: expressions are equivalent to git's patterns") {
  static constexpr const char* kPatterns[] = {
      "*",     "?",     "a*b",          "*.o",   "[abc]", "[!a]",   "[^a-c]x", "[]x]",
      "[a-]",  "[\\]]", "[[:digit:]]*", "a/**",  "**/x",  "a/**/x", "**/a/**", "\\*",
      "a\\?b", "a.b",   "a+b",          "(a|b)", "a{2}",  "$x^",    "a**b",    "[[]",
      "[A-Z]", "**",    "a/*/b",        "[!-~]", "x[^]]", "[\\\\]", "k",       "s*"};
  static constexpr const char* kTexts[] = {
      "a",     "b",    "x",     "ab",      "aXb",   "a.o", ".o",    "]x",    "]",   "-",   "7up",
      "a/b",   "a/x",  "a/b/x", "a/b/c/x", "b/a/c", "*",   "a?b",   "a.b",   "axb", "a+b", "aab",
      "(a|b)", "a{2}", "aa",    "$x^",     "a/b/b", "[",   "^",     "\\",    "x^",  "x]",  "A",
      "a\"b",  "a b",  "a\nb",  "~",       "K",     "S1",  "a/c/b", "b/x/y", "x/y", "Ax"};
  for (const char* pattern : kPatterns) {
    for (const char* text : kTexts) {
      CAPTURE(pattern);
      CAPTURE(text);
      const MatchOptions exact{.covers = true};
      const auto matches = [&](Spelling spelling) {
        const std::string regex = NameRegex(Pattern(pattern), spelling);
        return !SbplProfile("(version 1)(allow default)(deny file-read* (regex " +
                            SbplString(regex) + "))")
                    .MayRead("/Users/dev/p/" + std::string(text));
      };
      CHECK(matches(Spelling::kExact) == MatchPattern(pattern, text, exact));
      std::string folded(text);
      for (char& c : folded) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      // An expression for "k" or "s" may match unprintable bytes, such as "\n".
      if (folded.find('\n') != std::string::npos) continue;
      const MatchOptions fold{.fold = true, .covers = true};
      CHECK(matches(Spelling::kForgiven) == MatchPattern(pattern, folded, fold));
    }
  }
}

TEST_CASE("seatbelt: refused names ignore letter case and match characters that fold to a letter") {
  struct Row {
    GuardedName name;
    const char* file;
    bool refuses;
  };
  const Row kRows[] = {
      {Anywhere(".git/hooks"), ".git/hooks", true},
      {Anywhere(".git/hooks"), "a/b/.GIT/Hooks/pre-commit", true},
      {Anywhere(".git/hooks"), "a\nb/.git/hooks/x", true},
      {Anywhere(".git/hooks"), ".git/hoo\xE2\x84\xAAs/x", true},
      {Anywhere(".git/hooks"), ".git/hook\xC5\xBF", true},
      {Anywhere(".git/hooks"), ".git/hook", false},
      {Anywhere(".git/hooks"), ".git/hooks2", false},
      {Anywhere(".git/hooks"), "x.git/hooks", false},
      {Anywhere(".git/modules/**/config"), ".git/modules/a/b/config", true},
      {Anywhere(".git/modules/**/config"), ".git/modules/config", true},
      {{.base = "/Users/dev/p", .tail = "docs"}, "DOCS/x", true},
      {{.base = "/Users/dev/p", .tail = "docs"}, "doc", false},
      {{.base = "/Users/dev/p", .tail = "a*b"}, "axb", false},
      {{.base = "/Users/dev/p", .tail = "\xC3\xA9t"}, "\xC3\x89T", true},
      {{.base = "/Users/dev/p", .tail = "\xC3\xA9t"}, "at", false},
      {{.base = "/Users/dev/p", .tail = "t", .except = "mine"}, "t/other", true},
      {{.base = "/Users/dev/p", .tail = "t", .except = "mine"}, "t/Mine/x", false},
      {{.base = "/Users/dev/p", .tail = "t", .except = "mine"}, "t", true},
      {{.base = "/Users/dev/p", .tail = "c", .unless_new = true}, "c", true},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name.text());
    CAPTURE(row.file);
    CHECK(Refuses(row.name, row.file) == row.refuses);
  }
}

TEST_CASE("seatbelt: what is kept in a hidden place can be written and removed as usual") {
  SandboxPlan plan = Project();
  plan.hidden = {{.path = At("/Users/dev/p/secret")},
                 {.path = At("/Users/dev"), .kept = {plan.root}}};
  plan.names.Refuse(Anywhere(".git/hooks"));
  const SbplProfile profile = Of(plan);
  CHECK(profile.MayWrite("/Users/dev/p/a/b"));
  CHECK(profile.MayRemove("/Users/dev/p/a/b"));
  CHECK_FALSE(profile.MayRemove("/Users/dev/p/.git/hooks/x"));
  for (const char* hidden : {"/Users/dev/x", "/Users/dev/p/secret"}) {
    CHECK_FALSE(profile.MayRead(hidden));
    CHECK_FALSE(profile.MayRemove(hidden));
  }
  CHECK(profile.Allows({.operation = "file-read-metadata", .path = "/Users/dev"}));
}

TEST_CASE("seatbelt: no directory is moved to where it would create a refused name") {
  SandboxPlan plan = Project();
  plan.names.Refuse(Anywhere(".github/workflows"));
  plan.names.Refuse({.base = "/Users/dev/p", .tail = "docs/adr/x"});
  plan.names.Refuse(Pattern("src/*/key"));
  plan.names.GuardBareRepositories("x");
  const SbplProfile profile = Of(plan);
  for (const char* name : {".github", "a/.GitHub", "docs", "docs/adr", "src", ".git", "a/.git"}) {
    CAPTURE(name);
    const std::string path = std::string("/Users/dev/p/") + name;
    CHECK_FALSE(profile.MayWrite(path));
    CHECK_FALSE(profile.MayRemove(path));
  }
  for (const char* name : {".github/x", "docs/y", "docs/adr/y", "src/a", ".git/index", ".gitx"}) {
    CAPTURE(name);
    const std::string path = std::string("/Users/dev/p/") + name;
    CHECK(profile.MayWrite(path));
    CHECK(profile.MayRemove(path));
  }
  CHECK(profile.MayRemove("/Users/dev/p"));
}

TEST_CASE(
    "seatbelt: only kept directories of hidden ones are readable, and nothing is moved away") {
  SandboxPlan plan = Project();
  plan.hidden = {
      {.path = At("/Users/dev/.claude/projects"), .kept = {At("/Users/dev/.claude/projects/p")}},
      {.path = At("/Users/dev/p/conf/.env"), .kind = PlannedPlace::Kind::kFile}};
  const SbplProfile profile = Of(plan);
  CHECK_FALSE(profile.MayRead("/Users/dev/.claude/projects"));
  CHECK_FALSE(profile.MayRead("/Users/dev/.claude/projects/q/x"));
  CHECK_FALSE(profile.MayRead("/Users/dev/.CLAUDE/Projects/q/x"));
  CHECK(profile.MayRead("/Users/dev/.claude/projects/p/x"));
  CHECK(profile.MayRead("/Users/dev/.claude/x"));
  CHECK(profile.Allows({.operation = "file-read-metadata", .path = "/Users/dev/.claude/projects"}));
  CHECK_FALSE(profile.MayRead("/Users/dev/p/conf/.env"));
  CHECK_FALSE(profile.MayRemove("/Users/dev/p/conf/.env"));
  CHECK_FALSE(profile.MayRemove("/Users/dev/p/conf"));
  CHECK_FALSE(profile.Allows({.operation = "file-link", .path = "/Users/dev/p/conf/.env"}));
  CHECK_FALSE(profile.Allows({.operation = "file-clone", .path = "/Users/dev/p/conf/.env"}));
  CHECK_FALSE(profile.Allows({.operation = "file-link", .path = "/Users/dev/other"}));
}

TEST_CASE("seatbelt: if reads are listed, nothing else is readable") {
  SandboxPlan plan = Project();
  plan.reads_all = false;
  plan.readable = {{.path = At("/opt/x")},
                   {.path = At("/etc/one"), .kind = PlannedPlace::Kind::kFile}};
  const SbplProfile profile = Of(plan);
  for (const char* path : {"/opt/x/y", "/Users/dev/p/y", "/usr/lib/x", "/private/etc/one", "/"}) {
    CAPTURE(path);
    CHECK(profile.MayRead(path));
  }
  for (const char* path : {"/Users/dev/y", "/Users", "/opt/y", "/private/tmp/x", "/dev/disk0"}) {
    CAPTURE(path);
    CHECK_FALSE(profile.MayRead(path));
  }
  CHECK(profile.Allows({.operation = "file-read-metadata", .path = "/Users"}));
  CHECK_FALSE(profile.Allows({.operation = "file-read-metadata", .path = "/Users/other"}));
}

TEST_CASE("seatbelt: only the loopback, and sockets in the command's directories") {
  SandboxPlan plan = Project();
  plan.sockets = {At("/Users/dev/p/host.sock")};
  const SbplProfile own = Of(plan);
  CHECK(own.MayConnect("127.0.0.1", 3000));
  CHECK_FALSE(own.MayConnect("192.0.2.1", 443));
  CHECK(own.MayConnectSocket("/Users/dev/p/s"));
  CHECK(own.MayConnectSocket("/private/tmp/ringfence-501/s"));
  for (const char* socket : {"/private/var/run/docker.sock", "/private/tmp/tmux-501/default",
                             "/private/var/run/mDNSResponder", "/Users/dev/p/host.sock"}) {
    CAPTURE(socket);
    CHECK_FALSE(own.MayConnectSocket(socket));
  }
  CHECK_FALSE(own.MayLookUp("com.apple.nsurlsessiond"));
  plan.network.kind = PlannedNetwork::Kind::kHost;
  const SbplProfile host = Of(plan);
  CHECK(host.MayConnect("192.0.2.1", 443));
  CHECK(host.MayConnectSocket("/private/var/run/mDNSResponder"));
  CHECK_FALSE(host.MayConnectSocket("/private/var/run/docker.sock"));
}

TEST_CASE("seatbelt: of the network only the egress proxy's port") {
  SandboxPlan plan = Project();
  plan.network.kind = PlannedNetwork::Kind::kProxyPort;
  const SbplProfile profile(SeatbeltProfile(plan, 40000));
  CHECK(profile.MayConnect("127.0.0.1", 40000));
  CHECK_FALSE(profile.MayConnect("127.0.0.1", 3000));
  CHECK_FALSE(profile.MayConnect("192.0.2.1", 40000));
  CHECK_FALSE(profile.MayConnectSocket("/private/var/run/mDNSResponder"));
  CHECK_FALSE(profile.MayLookUp("com.apple.nsurlsessiond"));
  const SbplProfile unknown(SeatbeltProfile(plan));
  CHECK_FALSE(unknown.MayConnect("127.0.0.1", 40000));
}

TEST_CASE("seatbelt: nothing starts a program outside, and trust and keys stay reachable") {
  const SbplProfile profile = Of(Project());
  for (const char* operation : {"job-creation", "lsopen", "appleevent-send",
                                "user-preference-write", "file-mount", "signal"}) {
    CAPTURE(operation);
    CHECK_FALSE(profile.Allows({.operation = operation}));
  }
  CHECK(profile.Allows({.operation = "signal", .same_sandbox = true}));
  for (const char* service : {"com.apple.coreservices.launchservicesd", "com.apple.lsd.open",
                              "com.apple.coreservices.appleevents", "com.apple.xpc.smd"}) {
    CAPTURE(service);
    CHECK_FALSE(profile.MayLookUp(service));
  }
  for (const char* service :
       {"com.apple.trustd", "com.apple.trustd.agent", "com.apple.SecurityServer",
        "com.apple.securityd.xpc", "com.apple.cfprefsd.agent",
        "com.apple.system.opendirectoryd.libinfo"}) {
    CAPTURE(service);
    CHECK(profile.MayLookUp(service));
  }
}

TEST_CASE("seatbelt: only devices that store nothing are writable") {
  const SbplProfile profile = Of(Project());
  CHECK(profile.MayWrite("/dev/null"));
  CHECK(profile.MayWrite("/dev/fd/2"));
  CHECK(profile.MayWrite("/dev/tty"));
  CHECK_FALSE(profile.MayWrite("/dev/disk0"));
  CHECK_FALSE(profile.MayWrite("/dev/ttys004"));
  CHECK_FALSE(profile.MayRead("/dev/ttys004"));
}

TEST_CASE("seatbelt: the private /tmp is a directory of this user") {
  SandboxPlan plan = Project();
  plan.names.Refuse(Anywhere(".git/hooks"));
  CHECK(Of(plan).MayWrite("/private/tmp/ringfence-501/x/.git/hooks/y"));
  CHECK_FALSE(Of(plan).MayWrite("/private/tmp/x"));
  plan.private_tmp = false;
  CHECK_FALSE(Of(plan).MayWrite("/private/tmp/ringfence-501/x"));
}

TEST_CASE("seatbelt: without confinement everything is permitted") {
  SandboxPlan plan = Project();
  plan.mode = SandboxMode::kRwx;
  CHECK(SeatbeltProfile(plan).find("deny") == std::string::npos);
  CHECK(Of(plan).MayWrite("/etc/x"));
}
