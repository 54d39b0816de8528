#include "policy/places.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "agents/claude/agent.h"
#include "tests/support/fake_files.h"

using namespace ringfence;

namespace {

Registration Plain() {
  return {.agent = &ClaudeCode(),
          .root = "",
          .project_dir = "/home/dev/project",
          .home = "",
          .home_variable = "/home/dev",
          .config_dir = "",
          .policy = "",
          .profile = "",
          .program = "/opt/bin/ringfence-hook",
          .user = 1000};
}

std::vector<std::string> Texts(const std::vector<Path>& paths) {
  std::vector<std::string> texts;
  for (const Path& path : paths) texts.push_back(path.text());
  return texts;
}

using Strings = std::vector<std::string>;

const FakeFiles& Disk() {
  static const FakeFiles files{
      {"/home/dev/project/file", File()},          {"/home/dev/entry", LinkTo("project")},
      {"/home/dev/loop", LinkTo("loop")},          {"/home/dev/up", LinkTo("/home")},
      {"/home/dev/locked", UnreadableDirectory()}, {"/data/dev", Directory()},
      {"/home/linked", LinkTo("/data/dev")},       {"/home/other", Directory()}};
  return files;
}

std::string Problem(const Registration& registration) {
  const Result<Places> places = FindPlaces(registration, Disk());
  return places ? "" : places.error().text();
}

}  // namespace

TEST_CASE("places: the root is CLAUDE_PROJECT_DIR, and --root before it") {
  Registration registration = Plain();
  CHECK(FindPlaces(registration, Disk())->root.text() == "/home/dev/project");
  registration.root = "/home/other";
  CHECK(FindPlaces(registration, Disk())->root.text() == "/home/other");
}

TEST_CASE("places: the session starts in CLAUDE_PROJECT_DIR, whatever the root") {
  Registration registration = Plain();
  CHECK(StartOf(*FindPlaces(registration, Disk())).text() == "/home/dev/project");
  registration.root = "/home/other";
  CHECK(StartOf(*FindPlaces(registration, Disk())).text() == "/home/dev/project");
  registration.project_dir = "";
  CHECK(StartOf(*FindPlaces(registration, Disk())).text() == "/home/other");
  for (const char* unusable : {"not/absolute", "/home/dev/loop"}) {
    registration.project_dir = unusable;
    CHECK(StartOf(*FindPlaces(registration, Disk())).text() == "/home/other");
  }
  const FakeFiles files{{"/srv/repo/.git/HEAD", File()}, {"/srv/repo/sub", Directory()}};
  registration = Plain();
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
  Registration registration = Plain();
  registration.project_dir = "/home/dev/entry";
  const Result<Places> places = FindPlaces(registration, Disk());
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
      {"above the home", "", "/home", "holds the home"},
      {"above the home by a link", "", "/home/dev/up", "holds the home"},
      {"relative", "", "project", "is not an absolute path"},
      {"with dot-dot", "", "/home/dev/x/../project", "is not an absolute path"},
      {"a loop", "", "/home/dev/loop", "cannot be resolved"},
      {"unreadable", "", "/home/dev/locked/x", "cannot be resolved"},
      {"relative by option", "project", "/home/dev/project", "is not an absolute path"},
      {"a loop by option", "/home/dev/loop", "/home/dev/project", "cannot be resolved"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Registration registration = Plain();
    registration.root = row.root;
    registration.project_dir = row.project_dir;
    const Result<Places> places = FindPlaces(registration, Disk());
    REQUIRE_FALSE(places.has_value());
    CHECK(places.error().text().find(row.want) != std::string::npos);
    CHECK(places.error().text().find(row.root.empty() ? "CLAUDE_PROJECT_DIR" : "--root") !=
          std::string::npos);
    using enum Error::About;
    const Error::About named = row.root.empty() ? kProjectDir : kRoot;
    const bool is_named = !row.root.empty() || !row.project_dir.empty();
    CHECK(places.error().about == (is_named ? named : kOther));
  }
  Registration nothing = Plain();
  nothing.project_dir = "";
  CHECK_FALSE(FindPlaces(nothing, Disk()).error().hint.empty());
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
    Registration registration = Plain();
    registration.root = row.root;
    registration.project_dir = row.project_dir;
    const Result<Places> places = FindPlaces(registration, Disk());
    REQUIRE(places.has_value());
    CHECK(places->root.text() == row.want);
  }
  Registration registration = Plain();
  registration.root = "/home/dev/project/none";
  CHECK(Problem(registration).find("is not a directory") != std::string::npos);
  registration.root = "/home/dev/loop";
  CHECK(Problem(registration).find("--root") != std::string::npos);
  registration.root = "/home/dev";
  registration.project_dir = "/home/dev/loop";
  CHECK(Problem(registration).find("CLAUDE_PROJECT_DIR") != std::string::npos);
  // If the client starts above the accepted home, nothing is permitted.
  registration.root = "/home/dev";
  registration.project_dir = "/home";
  CHECK(Problem(registration).find("holds the home") != std::string::npos);
}

TEST_CASE("places: with --root the project may contain the home") {
  Registration registration = Plain();
  registration.project_dir = "";
  registration.root = "/home/dev";
  CHECK(Problem(registration).empty());
  registration.root = "/home";
  CHECK(Problem(registration).empty());
}

TEST_CASE("places: a home is known by its own name and by its target") {
  Registration registration = Plain();
  registration.home_variable = "/home/linked";
  const Result<Places> places = FindPlaces(registration, Disk());
  REQUIRE(places.has_value());
  CHECK(Texts(places->homes) == Strings{"/home/linked", "/data/dev"});
  CHECK(Texts(places->homes_real) == Strings{"/data/dev"});
}

TEST_CASE("places: --home and a differing HOME both count, the registered one first") {
  Registration registration = Plain();
  registration.home = "/home/other";
  const Result<Places> places = FindPlaces(registration, Disk());
  REQUIRE(places.has_value());
  CHECK(Texts(places->homes) == Strings{"/home/other", "/home/dev"});
  registration.home = "/home/dev";
  CHECK(Texts(FindPlaces(registration, Disk())->homes) == Strings{"/home/dev"});
  registration.home = "/home/dev/";
  CHECK(Texts(FindPlaces(registration, Disk())->homes) == Strings{"/home/dev"});
  registration.home = registration.home_variable = "";
  CHECK(FindPlaces(registration, Disk())->homes.empty());
}

TEST_CASE("places: a home that is not an absolute path is an error") {
  Registration registration = Plain();
  registration.home_variable = "dev";
  CHECK(Problem(registration).find("HOME") != std::string::npos);
  registration.home_variable = "/home/dev/../other";
  CHECK(Problem(registration).find("HOME") != std::string::npos);
  registration = Plain();
  registration.home = "~";
  CHECK(Problem(registration).find("--home") != std::string::npos);
}

TEST_CASE("places: the programs are known by both names of the hook") {
  const FakeFiles files{{"/home/dev", Directory()}, {"/p", Directory()}};
  Registration registration{.agent = &ClaudeCode(), .project_dir = "/p", .home = "/home/dev"};
  registration.program = "bin/hook";  // the name that started it may be relative
  registration.program_real = "/opt/rf/hook";
  const Result<Places> places = FindPlaces(registration, files);
  REQUIRE(places);
  CHECK(Texts(places->programs) == Strings{"/opt/rf/hook", "/opt/rf/ringfence-hook",
                                           "/opt/rf/ringfence", "/opt/rf/ringfence-cli"});
  CHECK(places->program_real == Path::Clean("/opt/rf/hook"));
}

TEST_CASE("places: the programs beside the hook belong to ringfence") {
  const Result<Places> places = FindPlaces(Plain(), Disk());
  CHECK(Texts(places->programs) ==
        Strings{"/opt/bin/ringfence-hook", "/opt/bin/ringfence", "/opt/bin/ringfence-cli"});
}

TEST_CASE("places: the client's other configuration directory is noted if it is absolute") {
  Registration registration = Plain();
  registration.config_dir = "/srv/claude";
  CHECK(Texts(FindPlaces(registration, Disk())->settings_folders) == Strings{"/srv/claude"});
  registration.config_dir = "relative";
  CHECK(FindPlaces(registration, Disk())->settings_folders.empty());
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
    Registration registration = Plain();
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
  Registration registration = Plain();
  registration.project_dir = "/srv/repo/locked";
  const Result<Places> places = FindPlaces(registration, files);
  REQUIRE(places.has_value());
  CHECK(RepositoryAround(*places, files) == Path::Clean("/srv/repo"));
}

TEST_CASE("places: if the root is a link, the repository is that of its target") {
  const FakeFiles files{{"/srv/repo/.git/HEAD", File()},
                        {"/srv/repo/sub", Directory()},
                        {"/home/dev/entry", LinkTo("/srv/repo/sub")}};
  Registration registration = Plain();
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

namespace {

// Context of user 1000, in a project outside any home.
Result<Places> PlacesOf(const std::string& passwd, const std::string& home,
                        const std::string& option = "") {
  FakeFiles files{{"/srv/project/file", File()}, {"/home/dev", Directory()},
                  {"/home/real", Directory()},   {"/home/link", LinkTo("real")},
                  {"/home/file", File()},        {"/home/closed/x", UnreadableDirectory()},
                  {"/home/top", LinkTo("/")},    {"/etc/passwd", File(passwd)}};
  Registration registration = Plain();
  registration.project_dir = "/srv/project";
  registration.home_variable = home;
  registration.home = option;
  return FindPlaces(registration, files);
}

std::string Passwd(const std::string& home) {
  return "root:x:0:0::/root:/bin/sh\nother:x:1001:1000::/home/dev:/bin/sh\nme:x:1000:1000:A,B:" +
         home + ":/bin/sh\n";
}

}  // namespace

TEST_CASE("places: the home in /etc/passwd also counts, and allows nothing if another is given") {
  struct Row {
    std::string_view name;
    std::string passwd, home;
    Strings homes, deny_only;
  };
  const Row rows[] = {
      {"HOME is not set", Passwd("/home/real"), "", {"/home/real"}, {}},
      {"HOME is the same", Passwd("/home/real"), "/home/real", {"/home/real"}, {}},
      {"HOME is another",
       Passwd("/home/real"),
       "/home/dev",
       {"/home/dev", "/home/real"},
       {"/home/real"}},
      {"a link",
       Passwd("/home/link"),
       "/home/dev",
       {"/home/dev", "/home/link", "/home/real"},
       {"/home/link", "/home/real"}},
      {"HOME is where the link leads",
       Passwd("/home/link"),
       "/home/real",
       {"/home/real", "/home/link"},
       {"/home/link"}},
      {"it is not there", Passwd("/nonexistent"), "/home/dev", {"/home/dev"}, {}},
      {"it is not there, and HOME is not set", Passwd("/nonexistent"), "", {}, {}},
      {"a file", Passwd("/home/file"), "/home/dev", {"/home/dev"}, {}},
      {"closed to the user",
       Passwd("/home/closed/x/y"),
       "/home/dev",
       {"/home/dev", "/home/closed/x/y"},
       {"/home/closed/x/y"}},
      {"no path", Passwd(""), "/home/dev", {"/home/dev"}, {}},
      {"the root directory", Passwd("/"), "/home/dev", {"/home/dev"}, {}},
      {"a link to the root directory", Passwd("/home/top"), "/home/dev", {"/home/dev"}, {}},
      {"two lines for the user",
       Passwd("/home/real") + Passwd("/home/dev"),
       "",
       {"/home/real", "/home/dev"},
       {}},
      {"no line for the user", "root:x:0:0::/root:/bin/sh\n", "/home/dev", {"/home/dev"}, {}},
      {"lines that are none",
       "1000\n:::1000::/home/real\n\nme:x:1000",
       "/home/dev",
       {"/home/dev"},
       {}},
      {"HOME is \"/\"", Passwd("/home/real"), "/", {"/home/real", "/"}, {"/"}},
      {"HOME is \"/\" and nothing else is known", "", "/", {"/"}, {"/"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Result<Places> places = PlacesOf(row.passwd, row.home);
    REQUIRE(places.has_value());
    CHECK(Texts(places->homes) == row.homes);
    CHECK(Texts(places->deny_only_homes) == row.deny_only);
  }
}

TEST_CASE("places: --home and HOME both allow, whatever /etc/passwd says") {
  const Result<Places> places = PlacesOf(Passwd("/home/real"), "/home/dev", "/home/link");
  REQUIRE(places.has_value());
  CHECK(Texts(places->homes) == Strings{"/home/link", "/home/real", "/home/dev"});
  CHECK(places->deny_only_homes.empty());
}

TEST_CASE("places: a HOME that is not a path is an error that says what to do") {
  for (const char* home : {"relative", "/home/../x"}) {
    const Result<Places> places = PlacesOf(Passwd("/home/real"), home);
    REQUIRE_FALSE(places.has_value());
    CHECK(places.error().where == "HOME");
    CHECK(places.error().hint == "give the absolute path of your home directory");
  }
}

TEST_CASE("places: a HOME that is a dangling link is an error") {
  Registration registration = Plain();
  registration.home_variable = "/home/dev/loop";
  CHECK(Problem(registration) == R"(HOME: "/home/dev/loop" cannot be resolved)");
  registration.home_variable = "/home/dev/locked/x";
  CHECK(Problem(registration) ==
        R"(HOME: "/home/dev/locked/x" cannot be resolved: a directory above it is closed to this )"
        "user");
  const FailingFiles broken(Disk(), FailingFiles::Call::kLook, "/home/dev/project", EIO);
  const Result<Places> places = FindPlaces(Plain(), broken);
  REQUIRE_FALSE(places.has_value());
  CHECK(places.error().text() == R"(CLAUDE_PROJECT_DIR: "/home/dev/project" cannot be resolved)");
}

TEST_CASE("places: /etc/passwd may be a link") {
  FakeFiles files{{"/home/dev/project/x", File()},
                  {"/home/real", Directory()},
                  {"/etc/passwd", LinkTo("static/passwd")},
                  {"/etc/static/passwd", File(Passwd("/home/real"))}};
  const auto homes = [&] {
    const Result<Places> places = FindPlaces(Plain(), files);
    REQUIRE(places.has_value());
    return Texts(places->homes);
  };
  CHECK(homes() == Strings{"/home/dev", "/home/real"});
  files.Remove("/etc/static/passwd");
  CHECK(homes() == Strings{"/home/dev"});
}

TEST_CASE("places: reading the home from /etc/passwd") {
  FakeFiles files({{"/home/top", Directory()}});
  const auto home = [&] {
    const Result<std::optional<Path>> found = PasswdHome(1000, files);
    return !found ? found.error().what : *found ? (*found)->text() : "none";
  };
  CHECK(home() == "none");
  files.Put("/etc/passwd", File("me:x:1000:1000::/home/top:/bin/sh\n"));
  CHECK(home() == "/home/top");
  files.Put("/etc/passwd", File(std::string((16u << 20) + 1, 'x')));
  CHECK(home() == "E2BIG");
}

TEST_CASE("places: at most eight homes of one user in /etc/passwd count") {
  FakeFiles files{{"/srv/project/x", File()}};
  std::string passwd;
  Strings want;
  for (int i = 0; i < 10; ++i) {
    const std::string home = "/home/" + std::to_string(i);
    files.Put(home, Directory());
    passwd += Passwd(home);
    if (i < 8) want.push_back(home);
  }
  files.Put("/etc/passwd", File(passwd));
  Registration registration = Plain();
  registration.project_dir = "/srv/project";
  registration.home_variable = "";
  const Result<Places> places = FindPlaces(registration, files);
  REQUIRE(places.has_value());
  CHECK(Texts(places->homes) == want);
}

TEST_CASE("places: a disk error gives no homes") {
  const auto broken = [](int code) {
    return FailingFiles(Disk(), FailingFiles::Call::kReadText, "/etc/passwd", code);
  };
  for (const int code : {ENOENT, ENOTDIR}) {
    CHECK(FindPlaces(Plain(), broken(code)).has_value());
  }
  for (const int code : {EIO, EMFILE, EACCES}) {
    const Result<Places> places = FindPlaces(Plain(), broken(code));
    REQUIRE_FALSE(places.has_value());
    CHECK(places.error().code == code);
  }
}

TEST_CASE("places: a registration without an agent is refused") {
  Registration registration = Plain();
  registration.agent = nullptr;
  CHECK(Problem(registration) == "no agent is set");
}
