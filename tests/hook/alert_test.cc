// Alerts: complete files in a directory that another program reads.
#include "hook/alert.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agents/claude/agent.h"
#include "base/unique_fd.h"
#include "tests/support/corpora.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kNow = 1'792'000'000 * kSecond;

// A home and an inbox on the disk.
class Desk {
 public:
  Desk() {
    tree_.Directory("home");
    places.homes = places.homes_real = {Path::Clean(tree_.At("home"))};
    policy.alerts.inbox = inbox = tree_.At("in/a/b");
    policy.profile = "main";
  }

  Status Write(const std::string& text, int64_t now = kNow, const std::string& session = "s1") {
    Alert alert{.text = text, .tool = "Bash", .session = session};
    alert.is_from_inside = is_from_inside;
    return WriteAlert(alert, policy, places, now);
  }

  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    if (!fs::exists(inbox)) return files;
    for (const fs::directory_entry& entry : fs::directory_iterator(inbox)) {
      files.push_back(entry.path());
    }
    return files;
  }
  // The alert file that contains this text.
  json Find(const std::string& text) const {
    for (const fs::path& file : Files()) {
      const json alert = json::parse(ReadWholeFile(file.string()));
      if (alert["text"] == text) return alert;
    }
    return {};
  }
  std::string At(const std::string& name) const { return tree_.At(name); }
  const TemporaryTree& tree() const { return tree_; }

  Policy policy;
  Places places{.agent = &ClaudeCode()};
  std::string inbox;
  bool is_from_inside = false;

 private:
  TemporaryTree tree_;
};

unsigned ModeOf(const fs::path& file) {
  struct stat facts {};
  return ::stat(file.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
}

}  // namespace

TEST_CASE("alert: one file with every member, in an inbox that is created") {
  Desk desk;
  desk.tree().Directory("in");
  desk.policy.alerts.fields = {{"chat", "ma\"in"}, {"to", "x"}};
  const mode_t before = ::umask(077);
  CHECK(desk.Write("a \"text\"\n"));
  ::umask(before);
  const std::vector<fs::path> files = desk.Files();
  REQUIRE(files.size() == 1);
  CHECK(files[0].filename().string().starts_with("ringfence-"));
  CHECK(ModeOf(files[0]) == 0644);
  CHECK(ModeOf(desk.inbox) == 0755);
  CHECK(ModeOf(desk.At("home/.local/state/ringfence/alerts.rate")) == 0600);
  CHECK(ReadWholeFile(files[0].string()) ==
        "{\"type\":\"ringfence-denial\",\"text\":\"a \\\"text\\\"\\n\",\"tool\":\"Bash\","
        "\"profile\":\"main\",\"session\":\"s1\",\"timestamp\":\"2026-10-14T17:46:40.000Z\","
        "\"chat\":\"ma\\\"in\",\"to\":\"x\"}\n");
}

TEST_CASE("alert: none without an inbox") {
  Desk desk;
  desk.policy.alerts = {};
  CHECK(desk.Write("t"));
  CHECK_FALSE(fs::exists(desk.At("home/.local")));
}

TEST_CASE("alert: a failure to write is reported") {
  Desk desk;
  desk.policy.alerts.inbox = "~/in";
  desk.places.homes_real.clear();
  const Status no_home = desk.Write("t");
  REQUIRE(!no_home);
  CHECK(no_home.error().where == "alerts.inbox");
  Desk far;
  const std::string inbox = far.At("a/b/c/d");
  far.policy.alerts.inbox = inbox;
  const Status no_folder = far.Write("t");
  REQUIRE(!no_folder);
  CHECK(no_folder.error().text().find("ENOENT") != std::string::npos);
  CHECK_FALSE(fs::exists(far.At("a")));
}

TEST_CASE("alert: a link on the way to the inbox is not followed, wherever it is") {
  for (const std::string link : {"in", "in/a", "in/a/b"}) {
    CAPTURE(link);
    Desk desk;
    desk.tree().Directory("elsewhere");
    desk.tree().Directory("elsewhere/a");
    desk.tree().Directory("elsewhere/a/b");
    if (link != "in") fs::create_directories(fs::path(desk.At(link)).parent_path());
    fs::create_symlink(desk.At("elsewhere"), desk.At(link));
    const Status status = desk.Write("t");
    REQUIRE(!status);
    CHECK(status.error().text().find("is a link") != std::string::npos);
    for (const auto& entry : fs::recursive_directory_iterator(desk.At("elsewhere"))) {
      CHECK(entry.is_directory());
    }
  }
}

TEST_CASE("alert: a home behind a link is used where the link leads") {
  Desk desk;
  fs::create_symlink(desk.At("home"), desk.At("linked-home"));
  desk.places.homes = {Path::Clean(desk.At("linked-home")), Path::Clean(desk.At("home"))};
  desk.policy.alerts.inbox = "~/inbox";
  CHECK(desk.Write("t"));
  CHECK_FALSE(fs::is_empty(desk.At("home/inbox")));
}

TEST_CASE("alert: a file or a dangling link is not an inbox") {
  Desk desk;
  fs::create_directories(desk.At("in/a"));
  fs::create_symlink(desk.At("nowhere"), desk.At("in/a/b"));
  CHECK_FALSE(desk.Write("t"));
  CHECK_FALSE(fs::exists(desk.At("nowhere")));
  fs::remove(desk.At("in/a/b"));
  desk.tree().File("in/a/b", "a file");
  CHECK_FALSE(desk.Write("t"));
}

TEST_CASE("alert: the same one at most once a minute, then with the number held back") {
  Desk desk;
  desk.tree().Directory("in");
  CHECK(desk.Write("one"));
  for (int i = 0; i < 5; ++i) CHECK(desk.Write("one", kNow + i * kSecond));
  CHECK(desk.Files().size() == 1);
  CHECK(desk.Write("one", kNow, "s2"));  // of another session
  CHECK(desk.Files().size() == 2);
  CHECK(desk.Write("two", kNow + 5 * kSecond));
  CHECK(desk.Find("two")["held"] == 5);
  CHECK(desk.Write("three", kNow + 6 * kSecond));
  CHECK_FALSE(desk.Find("three").contains("held"));
  CHECK(desk.Write("one", kNow + 60 * kSecond));
  CHECK(desk.Files().size() == 5);
}

TEST_CASE("alert: none if the rate cannot be recorded") {
  Desk desk;
  desk.tree().Directory("in");
  const std::string rate = desk.At("home/.local/state/ringfence/alerts.rate");
  CHECK(desk.Write("one"));
  {
    const UniqueFd held(::open(rate.c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(::flock(held.get(), LOCK_EX) == 0);
    CHECK_FALSE(desk.Write("two"));
  }
  fs::remove(rate);
  fs::create_directory(rate);
  CHECK_FALSE(desk.Write("two"));
  desk.places.homes_real.clear();
  CHECK_FALSE(desk.Write("two"));
  CHECK(desk.Files().size() == 1);
}

TEST_CASE("alert: ten per minute and session, whatever their text") {
  Desk desk;
  desk.tree().Directory("in");
  for (int i = 0; i < 30; ++i) CHECK(desk.Write(std::to_string(i)));
  CHECK(desk.Files().size() == 10);
  CHECK(desk.Write("later", kNow + 61 * kSecond));
  CHECK(desk.Find("later")["held"] == 20);
}

TEST_CASE("alert: invented sessions inside a sandbox do not raise the limit") {
  Desk desk;
  desk.tree().Directory("in");
  desk.is_from_inside = true;
  for (int i = 0; i < 30; ++i) CHECK(desk.Write(std::to_string(i), kNow, std::to_string(i)));
  CHECK(desk.Files().size() == 10);
  CHECK(desk.Find("3")["inside"] == true);
}

TEST_CASE("alert: foreign text is escaped and truncated") {
  Desk desk;
  Alert alert{.text = "t", .tool = "B\xE2\x80\xAE\n", .session = std::string(5000, 's')};
  const json told = json::parse(AlertJson(alert, desk.policy, 0, kNow));
  CHECK(told["tool"].get<std::string>().find('\n') == std::string::npos);
  CHECK(told["session"].get<std::string>().size() <= 200);
  const Cause cause{"write to \"/x\"", std::string(5000, 'w'), {}, "Ask the user."};
  CHECK(AlertText(cause).size() <= 200);
  // For a name of any length, the reason is present and the quote is closed.
  const Cause long_name{
      "write to \"" + std::string(300, 'x') + "\"", "outside the project", {}, ""};
  CHECK(AlertText(long_name).ends_with("x...\" refused: outside the project"));
  CHECK(AlertText({"write to \"/x\"", "outside",
                   RulePlace{.file = "p.json", .pointer = "/write", .line = 3}, "Ask."}) ==
        "write to \"/x\" refused: outside (p.json:3 /write)");
}

TEST_CASE("alert: a corrupt state file is restarted; one that is not a regular file is an error") {
  Desk desk;
  desk.tree().Directory("in");
  fs::create_directories(desk.At("home/.local/state/ringfence"));
  desk.tree().File("home/.local/state/ringfence/alerts.rate", std::string(200'000, 'x'));
  CHECK(desk.Write("one"));
  CHECK(desk.Files().size() == 1);
  CHECK(fs::file_size(desk.At("home/.local/state/ringfence/alerts.rate")) < 200);
  fs::remove(desk.At("home/.local/state/ringfence/alerts.rate"));
  REQUIRE(::mkfifo(desk.At("home/.local/state/ringfence/alerts.rate").c_str(), 0600) == 0);
  CHECK_FALSE(desk.Write("two"));
}
