#include "cli/check/write_openings.h"

#include <doctest/doctest.h>

#include "agents/claude/setup/client_sandbox.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

using Texts = std::vector<std::string>;

const Registration kWhere{.project_dir = "/home/dev/p", .home = "/home/dev"};

SettingsFile FileOf(SettingsLayer layer, std::string text) {
  SettingsFile file{layer, SettingsPath(layer, kWhere), text, {}};
  file.settings = ParseClientSettings(std::move(text), std::string(LayerName(layer)), file.path);
  return file;
}

// A session in /home/dev/p under a user policy with these members.
class Session {
 public:
  explicit Session(std::string_view user) {
    world.MoveRoot("/home/dev/p", "/home/dev/p");
    world.User(user);
  }

  Findings Find(const SettingsFile& file) const {
    const Event event = world.EventOf("Read", R"({"file_path":"x"})");
    const Policy here = world.Merged(event);
    const Policy users = without_project != nullptr ? without_project->Merged(event) : here;
    const CommandRights of_here(here, world.places, world.files);
    const CommandRights of_users(users, world.places, world.files);
    return FindSandboxOpenings({{file}, records, kWhere, {{of_here, of_users}}});
  }
  // The number of findings for a settings file that enables the sandbox.
  size_t Count(const std::string& sandbox, SettingsLayer layer = SettingsLayer::kUser) const {
    return Find(FileOf(layer, R"({"sandbox": {"enabled": true, )" + sandbox + "}}")).size();
  }
  size_t Writes(const std::string& entry, SettingsLayer layer = SettingsLayer::kUser) const {
    return Count(R"("filesystem": {"allowWrite": [")" + entry + "\"]}", layer);
  }
  size_t Reaches(const std::string& entry) const {
    return Count(R"("network": {"allowedDomains": [")" + entry + "\"]}");
  }

  World world;
  const World* without_project = nullptr;
  std::vector<SettingsRecord> records;
};

constexpr const char* kOurs = R"("write": {"allow": [".", "/srv/ours", "~/.npm", "~/src/*"]})";

}  // namespace

TEST_CASE("check: paths that the settings open to commands in the client's sandbox") {
  const Session session(R"("write": {"allow": [".", "/srv/ours"]})");
  const auto count = [&](SettingsLayer layer, const std::string& permissions, bool is_on = true) {
    const std::string sandbox = is_on ? R"("sandbox": {"enabled": true}, )" : "";
    const Findings found =
        session.Find(FileOf(layer, "{" + sandbox + R"("permissions": {)" + permissions + "}}"));
    for (const Finding& finding : found) {
      CHECK(finding.severity == Severity::kWarning);
      CHECK(finding.error.where.find(std::string(LayerName(layer)) + ":1:") == 0);
    }
    return found.size();
  };
  const auto user = [&](const std::string& permissions) {
    return count(SettingsLayer::kUser, permissions);
  };
  for (const char* open : {"/srv/x", "~", "~/notes", "..", "../q", "/srv", "/"}) {
    CAPTURE(open);
    CHECK(user(R"("additionalDirectories": [")" + std::string(open) + "\"]") == 1);
  }
  for (const char* fine : {".", "src", "/home/dev/p/sub", "/srv/ours", "/srv/ours/x"}) {
    CAPTURE(fine);
    CHECK(user(R"("additionalDirectories": [")" + std::string(fine) + "\"]") == 0);
  }
  for (const char* open : {"Edit(//srv/x/**)", "Edit(~/**)", "Edit(/skills/**)", "Edit(../**)",
                           "Edit(//**)", "Edit(//srv/o*/x)"}) {
    CAPTURE(open);
    CHECK(user(R"("allow": [")" + std::string(open) + "\"]") == 1);
  }
  for (const char* fine : {"Edit(src/**)", "Edit", "Read(//srv/x)", "Bash(ls *)", "Edit(./a)",
                           "Edit(//srv/ours/**)", "Edit(//home/dev/p/**)", "Edit(**)"}) {
    CAPTURE(fine);
    CHECK(user(R"("allow": [")" + std::string(fine) + "\"]") == 0);
  }
  CHECK(count(SettingsLayer::kLocal, R"-("allow": ["Edit(/src/**)"])-") == 0);
  CHECK(count(SettingsLayer::kLocal, R"("additionalDirectories": ["/a", "/b"])") == 2);
  CHECK(count(SettingsLayer::kUser, R"("additionalDirectories": ["/a"])", false) == 0);
}

TEST_CASE("check: the sandbox's own list of writable paths") {
  const Session session(kOurs);
  for (const char* open :
       {"/srv/x", "//srv/x", "~", "~/notes", "./x", "x", ".", "/", "~/src", "../q"}) {
    CAPTURE(open);
    CHECK(session.Writes(open) == 1);
  }
  for (const char* fine :
       {"~/.npm", "~/.npm/_cacache", "/home/dev/.npm", "//srv/ours", "/srv/ours/x", "/home/dev/p",
        "//home/dev/p/src", "~/src/one", "../p/x"}) {
    CAPTURE(fine);
    CHECK(session.Writes(fine) == 0);
  }
  // A relative path in a project's settings file is relative to the project.
  for (const char* fine : {".", "./x", "x", "build/**"}) {
    CAPTURE(fine);
    CHECK(session.Writes(fine, SettingsLayer::kProject) == 0);
    CHECK(session.Writes(fine, SettingsLayer::kLocal) == 0);
  }
  CHECK(session.Writes("../q", SettingsLayer::kProject) == 1);
}

TEST_CASE("check: paths that init opens are permitted") {
  const Session session(
      R"("write": {"allow": [".", "@toolchains", "~/.npm"], "deny": ["~/.npm/x"]})");
  CHECK(session.Writes("~/.npm") == 0);
  CHECK(session.Writes("~/.cargo/registry") == 0);
}

TEST_CASE("check: the whole project may be writable, wherever the client starts in it") {
  Session session(R"("write": {"allow": ["src"]})");
  session.world.places.root = session.world.places.root_real = Path::Clean("/home/dev");
  session.world.places.start = Path::Clean("/home/dev/p");
  CHECK(session.Writes("/home/dev/q") == 0);
  CHECK(session.Writes("/home/other") == 1);
}

TEST_CASE("check: a permitted directory is recognized by the name of a link to it") {
  Session session(R"("write": {"allow": [".", "/srv/ours"]})");
  session.world.files.Put("/data/ours", Directory());
  session.world.files.Put("/srv/ours", LinkTo("/data/ours"));
  CHECK(session.Writes("/data/ours/x") == 0);
  CHECK(session.Writes("/srv/ours") == 0);
  CHECK(session.Writes("/data") == 1);
}

TEST_CASE("check: hosts that the settings open to commands in the client's sandbox") {
  const Session session(
      R"("network": {"allow": ["a.example", "*.b.example", "c.example:8443"],
                     "deny": ["x.b.example"]})");
  for (const char* open : {"d.example", "*.a.example", "*", "x.b.example", "b.exampl"}) {
    CAPTURE(open);
    CHECK(session.Reaches(open) == 1);
  }
  for (const char* fine : {"a.example", "A.example", "*.b.example", "y.b.example", "c.example"}) {
    CAPTURE(fine);
    CHECK(session.Reaches(fine) == 0);
  }
  CHECK(Session(kOurs).Reaches("d.example") == 0);  // hosts are not evaluated
  CHECK(
      Session(R"("network": {"unlisted": "allow", "deny": ["e.example"]})").Reaches("d.example") ==
      0);
}

TEST_CASE("check: init removes the entries that it left, the user removes other entries") {
  Session session(kOurs);
  const SettingsFile file = FileOf(SettingsLayer::kUser, R"({"sandbox": {"enabled": true,
      "filesystem": {"allowWrite": ["~/old", "~/mine"]}}})");
  SettingsRecord record;
  record.path = file.path;
  record.lists = {{kAllowWrite, {"~/old"}}};
  session.records = {record};
  const Findings found = session.Find(file);
  REQUIRE(found.size() == 2);
  CHECK(found[0].error.what ==
        R"(commands in the client's sandbox may also write "~/old", which the policy does not )"
        R"(permit: sandbox.filesystem.allowWrite has "~/old")");
  CHECK(found[0].error.hint == "take it out again: ringfence init");
  CHECK(found[1].error.hint == "remove that entry if commands should not write there");
}

TEST_CASE("check: settings for all projects that only this project's policy restricts") {
  Session session(kOurs);
  session.world.Project(R"("write": {"allow": ["."]})", true);
  Session users(kOurs);
  session.without_project = &users.world;
  const auto severity = [&](SettingsLayer layer) {
    const Findings found = session.Find(FileOf(layer, R"({"sandbox": {"enabled": true,
        "filesystem": {"allowWrite": ["~/.npm"]}}})"));
    REQUIRE(found.size() == 1);
    return found[0].severity;
  };
  CHECK(severity(SettingsLayer::kUser) == Severity::kNote);
  CHECK(severity(SettingsLayer::kLocal) == Severity::kWarning);
}
