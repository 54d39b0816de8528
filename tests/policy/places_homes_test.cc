// The homes of the user: of the command line, of the environment, and of /etc/passwd.
#include <doctest/doctest.h>

#include <cerrno>

#include "tests/support/registrations.h"

using namespace ringfence;

namespace {

// Context of user 1000, in a project outside any home.
Result<Places> PlacesOf(const std::string& passwd, const std::string& home,
                        const std::string& option = "") {
  FakeFiles files{{"/srv/project/file", File()}, {"/home/dev", Directory()},
                  {"/home/real", Directory()},   {"/home/link", LinkTo("real")},
                  {"/home/file", File()},        {"/home/closed/x", UnreadableDirectory()},
                  {"/home/top", LinkTo("/")},    {"/etc/passwd", File(passwd)}};
  Registration registration = PlainRegistration();
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

TEST_CASE("places: a home is known by its own name and by its target") {
  Registration registration = PlainRegistration();
  registration.home_variable = "/home/linked";
  const Result<Places> places = FindPlaces(registration, SmallDisk());
  REQUIRE(places.has_value());
  CHECK(Texts(places->homes) == Strings{"/home/linked", "/data/dev"});
  CHECK(Texts(places->homes_real) == Strings{"/data/dev"});
}

TEST_CASE("places: --home and a differing HOME both count, the registered one first") {
  Registration registration = PlainRegistration();
  registration.home = "/home/other";
  const Result<Places> places = FindPlaces(registration, SmallDisk());
  REQUIRE(places.has_value());
  CHECK(Texts(places->homes) == Strings{"/home/other", "/home/dev"});
  registration.home = "/home/dev";
  CHECK(Texts(FindPlaces(registration, SmallDisk())->homes) == Strings{"/home/dev"});
  registration.home = "/home/dev/";
  CHECK(Texts(FindPlaces(registration, SmallDisk())->homes) == Strings{"/home/dev"});
  registration.home = registration.home_variable = "";
  CHECK(FindPlaces(registration, SmallDisk())->homes.empty());
}

TEST_CASE("places: a home that is not an absolute path is an error") {
  Registration registration = PlainRegistration();
  registration.home_variable = "dev";
  CHECK(PlacesProblem(registration).find("HOME") != std::string::npos);
  registration.home_variable = "/home/dev/../other";
  CHECK(PlacesProblem(registration).find("HOME") != std::string::npos);
  registration = PlainRegistration();
  registration.home = "~";
  CHECK(PlacesProblem(registration).find("--home") != std::string::npos);
}

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
  Registration registration = PlainRegistration();
  registration.home_variable = "/home/dev/loop";
  CHECK(PlacesProblem(registration) == R"(HOME: "/home/dev/loop" cannot be resolved)");
  registration.home_variable = "/home/dev/locked/x";
  CHECK(PlacesProblem(registration) ==
        R"(HOME: "/home/dev/locked/x" cannot be resolved: a directory above it is closed to this )"
        "user");
  const FailingFiles broken(SmallDisk(), FailingFiles::Call::kLook, "/home/dev/project", EIO);
  const Result<Places> places = FindPlaces(PlainRegistration(), broken);
  REQUIRE_FALSE(places.has_value());
  CHECK(places.error().text() == R"(CLAUDE_PROJECT_DIR: "/home/dev/project" cannot be resolved)");
}

TEST_CASE("places: /etc/passwd may be a link") {
  FakeFiles files{{"/home/dev/project/x", File()},
                  {"/home/real", Directory()},
                  {"/etc/passwd", LinkTo("static/passwd")},
                  {"/etc/static/passwd", File(Passwd("/home/real"))}};
  const auto homes = [&] {
    const Result<Places> places = FindPlaces(PlainRegistration(), files);
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
  Registration registration = PlainRegistration();
  registration.project_dir = "/srv/project";
  registration.home_variable = "";
  const Result<Places> places = FindPlaces(registration, files);
  REQUIRE(places.has_value());
  CHECK(Texts(places->homes) == want);
}

TEST_CASE("places: a disk error gives no homes") {
  const auto broken = [](int code) {
    return FailingFiles(SmallDisk(), FailingFiles::Call::kReadText, "/etc/passwd", code);
  };
  for (const int code : {ENOENT, ENOTDIR}) {
    CHECK(FindPlaces(PlainRegistration(), broken(code)).has_value());
  }
  for (const int code : {EIO, EMFILE, EACCES}) {
    const Result<Places> places = FindPlaces(PlainRegistration(), broken(code));
    REQUIRE_FALSE(places.has_value());
    CHECK(places.error().code == code);
  }
}
