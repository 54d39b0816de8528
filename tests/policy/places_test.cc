#include "policy/places.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "tests/support/registrations.h"

using namespace ringfence;

TEST_CASE("places: the root is CLAUDE_PROJECT_DIR, and --root before it") {
  Registration registration = PlainRegistration();
  CHECK(FindPlaces(registration, SmallDisk())->root.text() == "/home/dev/project");
  registration.root = "/home/other";
  CHECK(FindPlaces(registration, SmallDisk())->root.text() == "/home/other");
}

TEST_CASE("places: the session starts in CLAUDE_PROJECT_DIR, whatever the root") {
  Registration registration = PlainRegistration();
  CHECK(StartOf(*FindPlaces(registration, SmallDisk())).text() == "/home/dev/project");
  registration.root = "/home/other";
  CHECK(StartOf(*FindPlaces(registration, SmallDisk())).text() == "/home/dev/project");
  registration.project_dir = "";
  CHECK(StartOf(*FindPlaces(registration, SmallDisk())).text() == "/home/other");
  for (const char* unusable : {"not/absolute", "/home/dev/loop"}) {
    registration.project_dir = unusable;
    CHECK(StartOf(*FindPlaces(registration, SmallDisk())).text() == "/home/other");
  }
  const FakeFiles files{{"/srv/repo/.git/HEAD", File()}, {"/srv/repo/sub", Directory()}};
  registration = PlainRegistration();
  registration.project_dir = "/srv/repo/sub";
  Result<Places> places = FindPlaces(registration, files);
  REQUIRE(places.has_value());
  WidenToRepository(*places, files);
  CHECK(places->root.text() == "/srv/repo");
  CHECK(StartOf(*places).text() == "/srv/repo/sub");
  // A start found with --root stays, and a repository that cannot be checked is none.
  registration.root = "/srv/repo/sub";
  registration.project_dir = "/srv/repo";
  places = FindPlaces(registration, files);
  REQUIRE(places.has_value());
  WidenToRepository(*places, files);
  CHECK(places->root.text() == "/srv/repo");
  CHECK(StartOf(*places).text() == "/srv/repo");
  const FakeFiles hidden{{"/srv", UnreadableDirectory()}};
  Places unseen = *FindPlaces(registration, files);
  WidenToRepository(unseen, hidden);
  CHECK(unseen.root.text() == "/srv/repo/sub");
}

TEST_CASE("places: a root behind a link is known by both names") {
  Registration registration = PlainRegistration();
  registration.project_dir = "/home/dev/entry";
  const Result<Places> places = FindPlaces(registration, SmallDisk());
  REQUIRE(places.has_value());
  CHECK(places->root.text() == "/home/dev/entry");
  CHECK(places->root_real.text() == "/home/dev/project");
}

TEST_CASE("places: a root that cannot be a project is an error with a remedy") {
  struct Row {
    std::string_view name;
    std::string root, project_dir;
    std::string_view want;
  };
  const Row rows[] = {
      {"neither given", "", "", "CLAUDE_PROJECT_DIR is not set"},
      {"the root of the disk", "", "/", "may not be \"/\""},
      {"the root of the disk by option", "/", "", "may not be \"/\""},
      {"the same, started elsewhere", "/", "/home/dev/project", "may not be \"/\""},
      {"missing", "", "/home/dev/none", "is not a directory"},
      {"missing by option", "/home/dev/none", "", "is not a directory"},
      {"a file", "", "/home/dev/project/file", "is not a directory"},
      {"the home", "", "/home/dev", "\"/home/dev\" is the home directory"},
      {"above the home", "", "/home", "contains the home"},
      {"above the home by a link", "", "/home/dev/up", "contains the home"},
      {"relative", "", "project", "is not an absolute path"},
      {"with dot-dot", "", "/home/dev/x/../project", "is not an absolute path"},
      {"a loop", "", "/home/dev/loop", "cannot be resolved"},
      {"unreadable", "", "/home/dev/locked/x", "cannot be resolved"},
      {"relative by option", "project", "/home/dev/project", "is not an absolute path"},
      {"a loop by option", "/home/dev/loop", "/home/dev/project", "cannot be resolved"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Registration registration = PlainRegistration();
    registration.root = row.root;
    registration.project_dir = row.project_dir;
    const Result<Places> places = FindPlaces(registration, SmallDisk());
    REQUIRE_FALSE(places.has_value());
    CHECK(places.error().text().find(row.want) != std::string::npos);
    CHECK(places.error().text().find(row.root.empty() ? "CLAUDE_PROJECT_DIR" : "--root") !=
          std::string::npos);
    using enum Error::About;
    const Error::About named = row.root.empty() ? kProjectDir : kRoot;
    const bool is_named = !row.root.empty() || !row.project_dir.empty();
    CHECK(places.error().about == (is_named ? named : kOther));
  }
  Registration nothing = PlainRegistration();
  nothing.project_dir = "";
  CHECK_FALSE(FindPlaces(nothing, SmallDisk()).error().hint.empty());
}

TEST_CASE("places: a --root that contains the home counts only if the client starts in it") {
  struct Row {
    std::string_view name;
    std::string root, project_dir;
    std::string_view want;
  };
  const Row rows[] = {
      {"started in the home", "/home/dev", "/home/dev", "/home/dev"},
      {"started in a project", "/home/dev", "/home/dev/project", "/home/dev/project"},
      {"started in a project, by a link", "/home/dev", "/home/dev/entry", "/home/dev/entry"},
      {"started in the same folder by a link", "/home", "/home/dev/up", "/home"},
      {"no start is known", "/home/dev", "", "/home/dev"},
      {"the start is not a path", "/home/dev", "project", "/home/dev"},
      {"it holds no home", "/home/other", "/home/dev/project", "/home/other"},
      {"it holds no home, and the start does", "/home/other", "/home/dev", "/home/other"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Registration registration = PlainRegistration();
    registration.root = row.root;
    registration.project_dir = row.project_dir;
    const Result<Places> places = FindPlaces(registration, SmallDisk());
    REQUIRE(places.has_value());
    CHECK(places->root.text() == row.want);
  }
  Registration registration = PlainRegistration();
  registration.root = "/home/dev/project/none";
  CHECK(PlacesProblem(registration).find("is not a directory") != std::string::npos);
  registration.root = "/home/dev/loop";
  CHECK(PlacesProblem(registration).find("--root") != std::string::npos);
  registration.root = "/home/dev";
  registration.project_dir = "/home/dev/loop";
  CHECK(PlacesProblem(registration).find("CLAUDE_PROJECT_DIR") != std::string::npos);
  // If the client starts above the accepted home, nothing is permitted.
  registration.root = "/home/dev";
  registration.project_dir = "/home";
  CHECK(PlacesProblem(registration).find("contains the home") != std::string::npos);
}

TEST_CASE("places: with --root the project may contain the home") {
  Registration registration = PlainRegistration();
  registration.project_dir = "";
  registration.root = "/home/dev";
  CHECK(PlacesProblem(registration).empty());
  registration.root = "/home";
  CHECK(PlacesProblem(registration).empty());
}

TEST_CASE("places: the programs are known by both names of the hook") {
  const FakeFiles files{{"/home/dev", Directory()}, {"/p", Directory()}};
  Registration registration{.agent = &ClaudeCode(), .project_dir = "/p", .home = "/home/dev"};
  registration.program = "bin/hook";  // the name that started it may be relative
  registration.program_real = "/opt/rf/hook";
  const Result<Places> places = FindPlaces(registration, files);
  REQUIRE(places);
  CHECK(Texts(places->programs) == Strings{"/opt/rf/hook", "/opt/rf/ringfence-hook",
                                           "/opt/rf/ringfence", "/opt/rf/ringfence-cli",
                                           "/opt/rf/ringfence-proxy", "/opt/rf/ringfence-stage"});
  CHECK(places->program_real == Path::Clean("/opt/rf/hook"));
}

TEST_CASE("places: the programs beside the hook belong to ringfence") {
  const Result<Places> places = FindPlaces(PlainRegistration(), SmallDisk());
  CHECK(Texts(places->programs) == Strings{"/opt/bin/ringfence-hook", "/opt/bin/ringfence",
                                           "/opt/bin/ringfence-cli", "/opt/bin/ringfence-proxy",
                                           "/opt/bin/ringfence-stage"});
}

TEST_CASE("places: the client's other configuration directory is noted if it is absolute") {
  Registration registration = PlainRegistration();
  registration.config_dir = "/srv/claude";
  CHECK(Texts(FindPlaces(registration, SmallDisk())->settings_folders) == Strings{"/srv/claude"});
  registration.config_dir = "relative";
  CHECK(FindPlaces(registration, SmallDisk())->settings_folders.empty());
}

TEST_CASE("places: the repository around the root, below a home") {
  struct Row {
    std::string_view name;
    std::string git, root;
    std::string_view want;
  };
  const Row rows[] = {
      {"the root itself", "/home/dev/p/.git/HEAD", "/home/dev/p", "/home/dev/p"},
      {"around it", "/home/dev/p/.git/HEAD", "/home/dev/p/a/b", "/home/dev/p"},
      {"the nearest", "/home/dev/p/a/.git", "/home/dev/p/a/b", "/home/dev/p/a"},
      {"none", "/srv/x", "/home/dev/p/a", "/home/dev/p/a"},
      {"the home's own does not count", "/home/dev/.git/HEAD", "/home/dev/p/a", "/home/dev/p/a"},
      {"nor one above it", "/home/.git/HEAD", "/home/dev/p/a", "/home/dev/p/a"},
      {"outside any home", "/srv/.git/HEAD", "/srv/a/b", "/srv"},
      {"none up to the root", "/opt/x", "/srv/a/b", "/srv/a/b"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const FakeFiles files{{row.git, File()}, {row.root, Directory()}, {"/home/dev", Directory()}};
    Registration registration = PlainRegistration();
    registration.project_dir = row.root;
    Result<Places> places = FindPlaces(registration, files);
    REQUIRE(places.has_value());
    WidenToRepository(*places, files);
    CHECK(places->root.text() == row.want);
    CHECK(places->root_real.text() == row.want);
  }
}

TEST_CASE("places: if a root's entries cannot be checked, the search continues further up") {
  const FakeFiles files{{"/srv/repo/.git/HEAD", File()},
                        {"/srv/repo/locked", UnreadableDirectory()}};
  Registration registration = PlainRegistration();
  registration.project_dir = "/srv/repo/locked";
  const Result<Places> places = FindPlaces(registration, files);
  REQUIRE(places.has_value());
  CHECK(RepositoryAround(*places, files) == Path::Clean("/srv/repo"));
}

TEST_CASE("places: if the root is a link, the repository is that of its target") {
  const FakeFiles files{{"/srv/repo/.git/HEAD", File()},
                        {"/srv/repo/sub", Directory()},
                        {"/home/dev/entry", LinkTo("/srv/repo/sub")}};
  Registration registration = PlainRegistration();
  registration.project_dir = "/home/dev/entry";
  Result<Places> places = FindPlaces(registration, files);
  REQUIRE(places.has_value());
  WidenToRepository(*places, files);
  CHECK(places->root_real.text() == "/srv/repo");
}

TEST_CASE("places: an own path is absolute or below the first home") {
  Places places{.agent = &ClaudeCode()};
  CHECK_FALSE(OwnPath("~/x", places).has_value());
  places.homes = {Path::Clean("/home/dev"), Path::Clean("/home/other")};
  CHECK(OwnPath("~/x", places)->text() == "/home/dev/x");
  CHECK(OwnPath("~", places)->text() == "/home/dev");
  CHECK(OwnPath("/var/log/x", places)->text() == "/var/log/x");
  CHECK_FALSE(OwnPath("x", places).has_value());
  CHECK_FALSE(OwnPath("", places).has_value());
}

TEST_CASE("places: a registration without an agent is refused") {
  Registration registration = PlainRegistration();
  registration.agent = nullptr;
  CHECK(PlacesProblem(registration) == "no agent is set");
}
