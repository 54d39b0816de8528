// The request of a hook inside a sandbox to the launcher, and the launcher's response.
#include "hook/alert_request.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "hook/inside_alerts.h"
#include "tests/support/temporary_tree.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kNow = 1'792'000'000 * kSecond;

size_t FilesIn(const std::string& folder) {
  size_t count = 0;
  std::error_code none;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("alert request: it survives being written and read") {
  using Kind = Named::Kind;
  for (const Kind kind : {Kind::kPath, Kind::kWritten, Kind::kHidden, Kind::kHost}) {
    const AlertRequest request{
        .named = {kind, "/a\n\"b"}, .cwd = "/home", .tool = "Bash", .session = "s\x01"};
    CHECK(ReadAlertRequest(AlertRequestText(request)) == request);
  }
  const AlertRequest unwrapped{.kind = Alert::Kind::kUnwrapped, .named = {}, .tool = "Bash"};
  CHECK(ReadAlertRequest(AlertRequestText(unwrapped)) == unwrapped);
}

TEST_CASE("alert request: other text is not a request") {
  for (const std::string text : {
           R"()",
           R"({"time":"t")",
           R"({"alert":"path")",
           R"({"alert":"path"})",
           R"({"alert":"path","name":""})",
           R"({"alert":"path","name":5})",
           R"({"alert":"path","name":["/x"]})",
           R"({"alert":"path","name":"x"})",
           R"({"alert":"path","name":"/x","cwd":"x"})",
           R"({"alert":"path","name":"/x","text":"t"})",
           R"({"alert":"path","name":"/x","name":"/y"})",
           R"({"alert":"path","name":"/\u0000"})",
           R"({"alert":"path","name":"/x"}{})",
           R"({"alert":"else","name":"/x"})",
           R"({"alert":"unwrapped","name":"/x"})",
           R"({"name":"/x","alert":"path"})",
           R"({"alert":"path","name":"\q"})",
       }) {
    CAPTURE(text);
    CHECK_FALSE(ReadAlertRequest(text));
  }
  CHECK_FALSE(ReadAlertRequest(R"({"alert":"path","name":"/)" + std::string(5000, 'x') + "\"}"));
  CHECK_FALSE(ReadAlertRequest(R"({"alert":"path","name":"/x"})" + std::string(20000, ' ')));
  CHECK(ReadAlertRequest(R"({"alert":"path","name":"x","cwd":"/"})"));
  CHECK(ReadAlertRequest(R"({"alert":"path","name":"~/x"})"));
}

TEST_CASE("alert request: forty at once, then forty a minute, whatever the clock does") {
  RequestBudget budget;
  int taken = 0;
  while (budget.Take(kNow)) ++taken;
  CHECK(taken == 40);
  CHECK(budget.Take(kNow + 2 * kSecond));
  CHECK_FALSE(budget.Take(kNow + 2 * kSecond));
  CHECK_FALSE(budget.Take(kNow - 1000 * kSecond));
  taken = 0;
  while (budget.Take(kNow + 1'000'000 * kSecond)) ++taken;
  CHECK(taken == 40);
}

TEST_CASE("alert request: the launcher's policy decides, and its answer reveals nothing") {
  const TemporaryTree tree;
  tree.Directory("home");
  World world;
  world.MoveHome(tree.At("home"), tree.At("home"));
  world.User(R"("alerts":{"inbox":"~/in"})");
  const Policy policy = world.Merged(world.EventOf("Bash", R"({"command":"x"})"));
  InsideAlerts alerts(policy, world.places, world.files);
  const auto take = [&](std::string_view text) {
    const std::optional<AlertRequest> request = ReadAlertRequest(text);
    REQUIRE(request);
    return alerts.Take(*request, "", kNow);
  };
  CHECK(take(R"({"alert":"path","name":"/home/dev/project/README.md"})"));
  CHECK(take(R"({"alert":"unwrapped","tool":"Bash"})"));  // this policy wraps nothing
  CHECK(FilesIn(tree.At("home/in")) == 0);
  CHECK(take(R"({"alert":"path","name":"/etc/passwd"})"));
  CHECK(take(R"({"alert":"host","name":"evil.example"})"));
  CHECK(FilesIn(tree.At("home/in")) == 2);
  AlertRequest permitted{.named = {Named::Kind::kPath, "/home/dev/project/README.md"}};
  CHECK(alerts.Take(permitted, "connection to it refused: for its address", kNow));
  CHECK(FilesIn(tree.At("home/in")) == 3);
  for (int i = 0; i < 100; ++i) {
    take(R"({"alert":"path","name":"/etc/)" + std::to_string(i) + "\"}");
  }
  CHECK(FilesIn(tree.At("home/in")) == 10);
}

TEST_CASE("alert request: the hook's working directory, and a command that ran unwrapped") {
  const TemporaryTree tree;
  tree.Directory("home");
  World world;
  world.MoveHome(tree.At("home"), tree.At("home"));
  world.User(R"("alerts":{"inbox":"~/in"},"bash":{"wrap":true})");
  const Policy policy = world.Merged(world.EventOf("Bash", R"({"command":"x"})"));
  InsideAlerts alerts(policy, world.places, world.files);
  AlertRequest request{.kind = Alert::Kind::kUnwrapped, .named = {}, .tool = "Bash"};
  CHECK(alerts.Take(request, "", kNow));
  request = {.named = {Named::Kind::kPath, "passwd"}, .cwd = "/etc"};
  CHECK(alerts.Take(request, "", kNow));
  CHECK(FilesIn(tree.At("home/in")) == 2);
}
