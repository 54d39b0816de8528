// MakePlan(): hidden paths.
#include <doctest/doctest.h>

#include <span>

#include "base/contains.h"
#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view name;
  std::string_view policy;  // the user's policy, without "version"
  std::string_view want;    // the hidden paths
};

void CheckHidden(std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    PlanWorld plan;
    for (const char* path :
         {"/home/dev/project/.env", "/home/dev/project/private/x.key",
          "/home/dev/project/private/sub/y.key", "/home/dev/other/x", "/srv/store/real"}) {
      plan.world.files.Put(path, File());
    }
    plan.world.files.Put("/home/dev/project/link", LinkTo("/srv/store/real"));
    plan.world.files.Put("/home/dev/project/folder", LinkTo("../../../srv/store"));
    plan.world.User(row.policy);
    CHECK(PlacesText(plan.Plan().hidden) == row.want);
  }
}

}  // namespace

TEST_CASE("hidden: a path that is not created after all is not hidden") {
  PlanWorld plan;
  plan.world.User(R"("read":{"deny":["~/.env"]},"write":{"allow":[".","~/.env"]})");
  CHECK(PlacesText(plan.Plan().hidden) == "");
  CHECK(PlacesText(plan.Plan().writable) == "/home/dev/project");
}

TEST_CASE("hidden: existing secrets are, each with its kind, and nothing else") {
  PlanWorld plan;
  CHECK(PlacesText(plan.Plan().hidden) == "");
  for (const char* path : {"/home/dev/.ssh/id_ed25519", "/home/dev/.netrc", "/etc/shadow"}) {
    plan.world.files.Put(path, File());
  }
  CHECK(PlacesText(plan.Plan().hidden) ==
        "/etc/shadow (file), /home/dev/.netrc (file), /home/dev/.ssh");
  for (const HiddenPlace& place : plan.Plan().hidden) {
    CHECK((IsState(place) || place.why == R"(denied by "@secrets")"));
  }
}

TEST_CASE("hidden: two directories of the state are in every sandbox, even before they exist") {
  struct Row {
    std::string_view folder, file;
  };
  static constexpr Row kRows[] = {{"proxy", "control"}, {"sessions", "one.json"}};
  for (const Row& row : kRows) {
    CAPTURE(row.folder);
    const Path folder = Path::Clean("/home/dev/.local/state/ringfence/").Child(row.folder);
    const auto count = [&folder](const SandboxPlan& plan) {
      return std::ranges::count(plan.hidden, folder, &HiddenPlace::path);
    };
    PlanWorld plan;
    CHECK(count(plan.Plan()) == 1);
    CHECK(Contains(plan.Plan().state_folders, folder));
    plan.command.is_agent = true;
    CHECK(count(plan.Plan()) == 1);
    plan.command.is_trial = true;  // creates nothing
    CHECK(count(plan.Plan()) == 0);
    CHECK(plan.Plan().state_folders.empty());
    plan.world.files.Put(folder.Child(row.file).text(), File());
    CHECK(count(plan.Plan()) == 1);
    plan.command.is_trial = false;
    CHECK(count(plan.Plan()) == 1);
    CHECK_FALSE(Contains(plan.Plan().state_folders, folder));  // exists
    plan.world.User(R"("read":{"deny":["~/.local/state"]})");
    CHECK(count(plan.Plan()) == 0);  // is inside a hidden directory
  }
}

TEST_CASE("hidden: the audit log is in every sandbox, with its older parts") {
  const auto logs = [](const SandboxPlan& plan) {
    std::vector<Path> paths;
    for (const HiddenPlace& place : plan.hidden) {
      if (place.kind == PlaceKind::kFile && IsState(place)) paths.push_back(place.path);
    }
    return PathsText(paths);
  };
  const std::string folder = "/home/dev/.local/state/ringfence/";
  PlanWorld plan;
  CHECK(logs(plan.Plan()) == folder + "audit.jsonl");
  CHECK(plan.Plan().log_file.text() == folder + "audit.jsonl");
  plan.command.is_trial = true;  // creates nothing
  CHECK(logs(plan.Plan()) == "");
  CHECK(plan.Plan().log_file.is_root());
  plan.world.files.Put(folder + "audit.jsonl", File());
  plan.world.files.Put(folder + "audit.jsonl.20261129T000000.000000001Z", File());
  plan.world.files.Put(folder + "audit.jsonl.d/x", File());
  plan.world.files.Put(folder + "approvals.json", File());
  const std::string both =
      folder + "audit.jsonl, " + folder + "audit.jsonl.20261129T000000.000000001Z";
  CHECK(logs(plan.Plan()) == both);
  plan.command.is_trial = false;
  plan.command.is_agent = true;
  CHECK(logs(plan.Plan()) == both);
  CHECK(plan.Plan().log_file.is_root());  // exists
}

TEST_CASE("hidden: secrets of every home are, and only the given home allows anything") {
  PlanWorld plan;
  plan.world.AddHome("/home/other");
  plan.world.places.deny_only_homes = {Path::Clean("/home/other")};
  for (const char* path : {"/home/dev/.ssh/id", "/home/other/.ssh/id", "/home/other/work/x"}) {
    plan.world.files.Put(path, File());
  }
  plan.world.User(R"("write":{"allow":["~/work","~/work/*.o"]})");
  CHECK(PlacesText(plan.Plan().hidden) == "/home/dev/.ssh, /home/other/.ssh");
  CHECK(PlacesText(plan.Plan().writable) == "make /home/dev/work");
  plan.command.is_agent = true;
  for (const PlannedPlace& place : plan.Plan().writable) {
    CHECK_FALSE(place.path.IsInside(Path::Clean("/home/other")));
  }
}

TEST_CASE("hidden: paths that the policy denies or asks about") {
  static constexpr Row kRows[] = {
      {"a file", R"("read":{"deny":[".env"]})", "/home/dev/project/.env (file)"},
      {"a folder", R"("read":{"deny":["private"]})", "/home/dev/project/private"},
      {"what is not there", R"("read":{"deny":["none","/srv/none"]})", ""},
      {"asked about", R"("read":{"ask":["private"],"deny":[]})", "/home/dev/project/private"},
      {"a neighbour", R"("read":{"deny":["~/other"]})", "/home/dev/other"},
      {"nothing", R"("read":{"deny":[]})", ""},
      {"a pattern", R"("read":{"deny":["private/*.key"]})",
       "/home/dev/project/private/x.key (file)"},
      {"a pattern at any depth", R"("read":{"deny":["private/**/*.KEY"]})",
       "/home/dev/project/private/sub/y.key (file), /home/dev/project/private/x.key (file)"},
      {"a pattern for folders", R"("read":{"deny":["pri*"]})", "/home/dev/project/private"},
      {"a pattern of nothing", R"("read":{"deny":["none/*.key"]})", ""},
      {"inside one another", R"("read":{"deny":["private/sub","private","private/sub/y.key"]})",
       "/home/dev/project/private"},
  };
  CheckHidden(kRows);
}

TEST_CASE("hidden: names for any directory are found at every depth of the project") {
  PlanWorld plan;
  plan.world.files.Put("/home/dev/project/.env", File());
  plan.world.files.Put("/home/dev/project/a/b/c/.env", File());
  plan.world.files.Put("/home/dev/project/a/.ENV/x", File());
  plan.world.files.Put("/home/dev/project/a/.envrc", File());
  plan.world.User(R"("read":{"deny":["**/.env"]})");
  CHECK(PlacesText(plan.Plan().hidden) ==
        "/home/dev/project/.env (file), /home/dev/project/a/.ENV, "
        "/home/dev/project/a/b/c/.env (file)");
}

TEST_CASE("hidden: names for any directory are found in every writable path") {
  PlanWorld plan;
  plan.world.files.Put("/srv/lib/.env", File());
  plan.world.User(R"("read":{"deny":["**/.env"]},"write":{"allow":[".","/srv/lib"]})");
  CHECK(PlacesText(plan.Plan().hidden) == "/srv/lib/.env (file)");
}

TEST_CASE("hidden: names for any directory are found in every readable path") {
  PlanWorld plan;
  plan.world.files.Put("/srv/lib/.env", File());
  plan.world.User(
      R"("sandbox":{"reads":"listed"},"read":{"allow":[".","/srv/lib"],"deny":["**/.env"]})");
  CHECK(PlacesText(plan.Plan().readable).find("/srv/lib") != std::string::npos);
  CHECK(PlacesText(plan.Plan().hidden) == "/srv/lib/.env (file)");
}

TEST_CASE("hidden: if everything is readable, a note gives the reach of names for any directory") {
  PlanWorld plan;
  plan.world.files.Put("/srv/lib/.env", File());
  plan.world.User(R"("read":{"deny":["**/.env"]})");
  const SandboxPlan made = plan.Plan();
  const bool is_hidden = PlacesText(made.hidden).find("/srv/lib/.env") != std::string::npos;
  CHECK((is_hidden || Notes(made, "read.deny")));
}

TEST_CASE("hidden: the target of a link is, for every kind of rule") {
  static constexpr std::string_view kWant = "/srv/store/real (file)";
  static constexpr Row kRows[] = {
      {"a plain rule", R"("read":{"deny":["link"]})", kWant},
      {"a plain rule through a folder", R"("read":{"deny":["folder/real"]})", kWant},
      {"a pattern", R"("read":{"deny":["li*"]})", kWant},
      {"a pattern behind a link", R"("read":{"deny":["folder/r*"]})", kWant},
      {"for any folder", R"("read":{"deny":["**/link"]})", kWant},
  };
  CheckHidden(kRows);
}

TEST_CASE("hidden: a link that leads there is held in place, for every kind of rule") {
  struct Held {
    std::string_view deny;
    std::string_view link;
  };
  constexpr Held kRows[] = {
      {"link", "/home/dev/project/link"},          {"LINK", "/home/dev/project/link"},
      {"folder/real", "/home/dev/project/folder"}, {"li*", "/home/dev/project/link"},
      {"folder/r*", "/home/dev/project/folder"},   {"**/link", "/home/dev/project/link"},
  };
  for (const Held& row : kRows) {
    CAPTURE(row.deny);
    PlanWorld plan;
    plan.world.files.Put("/srv/store/real", File());
    plan.world.files.Put("/home/dev/project/link", LinkTo("/srv/store/real"));
    plan.world.files.Put("/home/dev/project/folder", LinkTo("../../../srv/store"));
    plan.world.User(R"("read":{"deny":[")" + std::string(row.deny) + R"("]})");
    const SandboxPlan made = plan.Plan();
    CHECK(made.names.Holds(row.link) != nullptr);
    CHECK(made.names.held().size() == 2);  // with the project; /srv is not writable
  }
}

TEST_CASE("hidden: nothing is sealed in it") {
  PlanWorld plan;
  plan.world.files.Put("/home/dev/project/.github/workflows/ci.yml", File());
  plan.world.files.Put("/home/dev/project/.vscode/settings.json", File());
  plan.world.User(R"("read":{"deny":[".github"]})");
  CHECK(PlacesText(plan.Plan().hidden) == "/home/dev/project/.github");
  CHECK(PlacesText(plan.Plan().sealed) == "/home/dev/project/.vscode");
}

TEST_CASE("hidden: hiding the project itself is an error") {
  for (const std::string deny : {"/", "/home", "~", "/*", "/home/*/project"}) {
    CAPTURE(deny);
    PlanWorld plan;
    plan.world.files.Put("/home/dev/project/x", File());
    plan.world.User(R"("read":{"deny":[")" + deny + R"("]})");
    CHECK(plan.WhyNot().what.find("the project \"/home/dev/project\" is in it") !=
          std::string::npos);
  }
}

TEST_CASE("hidden: circular and dangling links hide nothing and stop nothing") {
  PlanWorld plan;
  plan.world.files.Put("/home/dev/project/loop", LinkTo("loop"));
  plan.world.files.Put("/home/dev/project/back", LinkTo("."));
  plan.world.files.Put("/home/dev/project/gone", LinkTo("/nowhere"));
  plan.world.files.Put("/home/dev/project/.env", File());
  plan.world.User(R"("read":{"deny":["loop","gone","**/.env"]})");
  CHECK(PlacesText(plan.Plan().hidden) == "/home/dev/project/.env (file)");
}

TEST_CASE("hidden: a directory that cannot be listed is, since a command could open it") {
  PlanWorld plan;
  plan.world.files.Put("/home/dev/project/closed", UnreadableDirectory());
  plan.world.files.Put("/home/dev/project/z/.env", File());
  plan.world.User(R"("read":{"deny":["**/.env"]})");
  CHECK(PlacesText(plan.Plan().hidden) ==
        "/home/dev/project/closed, /home/dev/project/z/.env (file)");
}

TEST_CASE("hidden: no path is inside another, whatever sorts between them") {
  PlanWorld plan;
  for (const char* name : {"a/b", "a-old/x", "a b/x", "a.key"}) {
    plan.world.files.Put(std::string("/srv/") + name, File());
  }
  plan.world.User(R"("read":{"deny":["/srv/a","/srv/a-old","/srv/a b","/srv/a.key","/srv/a/b"]})");
  CHECK(PlacesText(plan.Plan().hidden) == "/srv/a, /srv/a b, /srv/a-old, /srv/a.key (file)");
}

TEST_CASE("hidden: other projects' transcripts are, this project's are kept") {
  PlanWorld plan;
  plan.world.files.Put("/home/dev/.claude/projects/-home-dev-other/x.jsonl", File());
  CHECK(PlacesText(plan.Plan().hidden) == "/home/dev/.claude/projects");
  plan.world.files.Put("/home/dev/.claude/projects/-home-dev-project/x.jsonl", File());
  CHECK(PlacesText(plan.Plan().hidden) ==
        "/home/dev/.claude/projects but /home/dev/.claude/projects/-home-dev-project");
}

TEST_CASE("hidden: a link in place of a kept directory keeps nothing") {
  PlanWorld plan;
  plan.world.files.Put("/home/dev/.claude/projects/-home-dev-project", LinkTo("-home-dev-other"));
  plan.world.files.Put("/home/dev/.claude/projects/-home-dev-other/x.jsonl", File());
  CHECK(PlacesText(plan.Plan().hidden) == "/home/dev/.claude/projects");
}

TEST_CASE("hidden: a rule without an exception hides what another rule keeps") {
  for (const std::string_view deny : {R"("read":{"deny":["@secrets","~/.claude/projects"]})",
                                      R"("read":{"deny":["~/.claude/projects","@secrets"]})"}) {
    CAPTURE(deny);
    PlanWorld plan;
    plan.world.files.Put("/home/dev/.claude/projects/-home-dev-project/x.jsonl", File());
    plan.world.User(deny);
    CHECK(PlacesText(plan.Plan().hidden) == "/home/dev/.claude/projects");
  }
}

TEST_CASE("hidden: a denied path inside a kept directory is hidden") {
  PlanWorld plan;
  plan.world.files.Put("/home/dev/.claude/projects/-home-dev-project/secret", File());
  plan.world.files.Put("/home/dev/.claude/projects/-home-dev-z/secret", File());
  plan.world.User(
      R"("read":{"deny":["~/.claude/projects/-home-dev-project/secret","~/.claude/projects/-home-dev-z/secret"]})");
  CHECK(PlacesText(plan.Plan().hidden) ==
        "/home/dev/.claude/projects but /home/dev/.claude/projects/-home-dev-project, "
        "/home/dev/.claude/projects/-home-dev-project/secret (file)");
}

TEST_CASE("hidden: paths covered by private directories are not, except in the host's /tmp") {
  PlanWorld plan;
  plan.world.files.Put("/tmp/secret", File());
  plan.world.files.Put("/run/secret", File());
  plan.world.User(R"("read":{"deny":["/tmp/secret","/run/secret"]})");
  CHECK(PlacesText(plan.Plan().hidden) == "");
  plan.world.User(R"("write":{"allow":[".","@tmp"]})");
  CHECK(PlacesText(plan.Plan().hidden) == "/tmp/secret (file)");
}

TEST_CASE("hidden: even with a writable root, private directories cover their paths") {
  PlanWorld plan;
  plan.world.files.Put("/run/secret", File());
  plan.world.User(R"("read":{"deny":["/run/secret"]},"write":{"allow":["/"]})");
  CHECK(PlacesText(plan.Plan().hidden) == "");
}

TEST_CASE("hidden: programs may read a .env file that tools ask about") {
  PlanWorld plan;
  for (const char* path : {"/home/dev/project/.env", "/home/dev/project/app/.env.local",
                           "/home/dev/project/.env.example", "/home/dev/project/a.key"}) {
    plan.world.files.Put(path, File());
  }
  plan.world.User(R"("read":{"ask":["@dotenv"],"deny":["@secrets"]})");
  CHECK(PlacesText(plan.Plan().hidden) == "");
  CHECK_FALSE(Notes(plan.Plan(), "patterns for any folder"));
  PlanWorld mixed;
  mixed.world.files.Put("/home/dev/project/a.key", File());
  mixed.world.files.Put("/home/dev/project/b.key", File());
  mixed.world.files.Put("/home/dev/project/.env", File());
  mixed.world.User(R"("read":{"ask":["a.key","@dotenv","b.key"]})");
  CHECK(PlacesText(mixed.Plan().hidden) ==
        "/home/dev/project/a.key (file), /home/dev/project/b.key (file)");
}

TEST_CASE("hidden: a denied .env file is, and a sample is not") {
  PlanWorld plan;
  for (const char* path : {"/home/dev/project/.env", "/home/dev/project/app/.env.local",
                           "/home/dev/project/.env.example"}) {
    plan.world.files.Put(path, File());
  }
  plan.world.User(R"("read":{"deny":["@dotenv"]})");
  CHECK(PlacesText(plan.Plan().hidden) ==
        "/home/dev/project/.env (file), /home/dev/project/app/.env.local (file)");
}

TEST_CASE("hidden: of the client's projects the session's own and its memory are kept") {
  PlanWorld plan;
  const std::string projects = "/home/dev/.claude/projects/";
  for (const char* name : {"-home-dev-project/a.jsonl", "-home-dev-main/memory/MEMORY.md",
                           "-home-dev-main/a.jsonl", "-home-dev-other/memory/a.md"}) {
    plan.world.files.Put(projects + name, File());
  }
  const std::string own = "/home/dev/main/.git/worktrees/x";
  plan.world.files.Put("/home/dev/project/.git", File("gitdir: " + own));
  plan.world.files.Put(own + "/commondir", File("../.."));
  plan.world.files.Put(own + "/gitdir", File("/home/dev/project/.git"));
  CHECK(PlacesText(plan.Plan().hidden) ==
        "/home/dev/.claude/projects but /home/dev/.claude/projects/-home-dev-project"
        " but /home/dev/.claude/projects/-home-dev-main/memory");
}

TEST_CASE("hidden: the agent finds the directory that it creates for ringfence's plugin") {
  const Path data = Path::Clean("/home/dev/.claude/plugins/data/ringfence-ringfence");
  PlanWorld plan;
  const auto is_made = [&] { return Contains(plan.Plan().state_folders, data); };
  plan.command.is_agent = true;
  CHECK_FALSE(is_made());  // not installed
  plan.world.files.Put("/home/dev/.claude/plugins/cache/ringfence/x", File());
  CHECK(is_made());
  for (const PlannedPlace& place : plan.Plan().writable) CHECK_FALSE(data.IsInside(place.path));
  plan.command.is_trial = true;
  CHECK_FALSE(is_made());
  plan.command.is_trial = false;
  plan.command.is_agent = false;
  CHECK_FALSE(is_made());
  plan.command.is_agent = true;
  plan.world.files.Put(data.Child("x").text(), File());
  CHECK_FALSE(is_made());  // exists
}
