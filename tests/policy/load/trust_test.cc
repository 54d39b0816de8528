#include "policy/load/trust.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

const std::string kDigest(64, 'a');

std::string Problem(const std::string& text) {
  const Result<std::vector<TrustedProject>> projects = ParseTrustStore(text, "trust.json");
  return projects ? "" : projects.error().text();
}

std::string OneProject(const std::string& members) {
  return R"({"version":1,"projects":[{)" + members + "}]}";
}

}  // namespace

TEST_CASE("trust: a store survives being written and read") {
  for (const std::vector<TrustedProject>& projects :
       {std::vector<TrustedProject>{},
        {{"/home/dev/project", kDigest}},
        {{"/home/dev/a \"b\"\n", kDigest}, {"/srv/\xC3\xBC", std::string(64, '0')}}}) {
    const std::string text = RenderTrustStore(projects);
    CAPTURE(text);
    const Result<std::vector<TrustedProject>> read = ParseTrustStore(text, "trust.json");
    REQUIRE(read.has_value());
    CHECK(*read == projects);
  }
}

TEST_CASE("trust: the root and the digest must both match the pinned ones") {
  const std::vector<TrustedProject> projects{{"/home/dev/project", kDigest}};
  CHECK(IsTrusted(projects, "/home/dev/project", kDigest));
  CHECK_FALSE(IsTrusted(projects, "/home/dev/project", std::string(64, 'b')));
  CHECK_FALSE(IsTrusted(projects, "/home/dev/other", kDigest));
  CHECK_FALSE(IsTrusted(projects, "/home/dev/project/sub", kDigest));
  CHECK_FALSE(IsTrusted(projects, "/home/dev/project/", kDigest));
  CHECK_FALSE(IsTrusted(projects, "/home/dev/project", ""));
  CHECK_FALSE(IsTrusted({}, "", ""));
}

TEST_CASE("trust: an invalid store is an error with its place") {
  CHECK(Problem("").find("trust.json:1:1") != std::string::npos);
  CHECK(Problem("[]") != "");
  CHECK(Problem("{") != "");
  CHECK(Problem(R"({"version":1,"projects":[]} x)") != "");
  CHECK(Problem(R"({"version":1,"projects":{}})") != "");
  CHECK(Problem(R"({"version":1,"projects":"x"})") != "");
  CHECK(Problem(R"({"version":2,"projects":[]})") != "");
  CHECK(Problem(R"({"projects":[]})") != "");
  CHECK(Problem(R"({"version":1,"projects":[],"more":1})") != "");
  CHECK(Problem(R"({"version":1,"projects":[7]})") != "");
  const std::string digest = R"("sha256":")" + kDigest + "\"";
  CHECK(Problem(OneProject(R"("root":"/a",)" + digest)) == "");
  CHECK(Problem(OneProject(digest)) != "");
  CHECK(Problem(OneProject(R"("root":"a",)" + digest)) != "");
  CHECK(Problem(OneProject(R"("root":"/a")")) != "");
  CHECK(Problem(OneProject(R"("root":"/a","sha256":"abc")")) != "");
  CHECK(Problem(OneProject(R"("root":"/a","sha256":")" + std::string(64, 'A') + "\"")) != "");
  CHECK(Problem(OneProject(R"("root":"/a",)" + digest + R"(,"note":"x")")) != "");
}

TEST_CASE("trust: the store is in the state directory of the home") {
  CHECK(StateFolder("/home/dev") == "/home/dev/.local/state/ringfence");
  CHECK(TrustStorePath("/home/dev") == "/home/dev/.local/state/ringfence/trust.json");
}
