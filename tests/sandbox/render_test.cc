#include "sandbox/render.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sandbox/seccomp_filter.h"
#include "tests/support/plan_world.h"

using namespace ringfence;
using Json = nlohmann::json;

namespace {

// A plan with one of everything.
SandboxPlan Sample() {
  SandboxPlan plan;
  plan.argv = {"make", "all tests"};
  plan.cwd = Path::Clean("/p/src");
  plan.root = Path::Clean("/p");
  plan.profile = "worker";
  plan.environment = {"PATH=/bin", "ANTHROPIC_API_KEY=s3cret"};
  plan.readable = {{.path = Path::Clean("/tmp/in"), .why = "r"}};
  plan.writable = {{.path = Path::Clean("/p"), .why = "w"},
                   {.path = Path::Clean("/q"), .make = true, .why = "m"}};
  plan.sealed = {{.path = Path::Clean("/p/.mcp.json"), .kind = PlannedPlace::Kind::kFile}};
  plan.hidden = {{.path = Path::Clean("/h"), .kept = {Path::Clean("/h/k")}, .why = "secret"}};
  plan.sockets = {Path::Clean("/var/s.sock")};
  plan.names.Refuse({.base = "/",
                     .tail = "**/.git/config",
                     .has_pattern = true,
                     .is_anywhere = true,
                     .unless_new = true,
                     .why = "later"});
  plan.names.Refuse({.base = "/p", .tail = "docs", .except = "public", .why = "docs"});
  plan.limits = {.memory = uint64_t{3} << 30,
                 .processes = 100,
                 .cpus = 2.5,
                 .io = 1500,
                 .cgroup = "/sys/fs/cgroup/x",
                 .controllers = {"memory", "io"},
                 .disks = {"8:0"}};
  plan.weaker = {"one thing", "another"};
  return plan;
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t from = 0; from < text.size();) {
    const size_t end = text.find('\n', from);
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

}  // namespace

TEST_CASE("render: the text has a line for each part of the plan") {
  const std::vector<std::string> lines = Lines(PlanText(Sample()));
  for (
      const std::string line :
      {R"(command  "make" "all tests")", R"(directory "/p/src")",
       R"(mode      sandbox, layers full, profile "worker")",
       "reads     everything but what is hidden", R"(  read    "/tmp/in"  # r)",
       R"(  write   "/p"  # w)", R"(  make    "/q"  # m)", R"(  sealed  "/p/.mcp.json")",
       R"(  hidden  "/h"  # secret)", R"(    but   "/h/k")",
       R"(  hidden  "/var/s.sock"  # a program of the host listens there)",
       R"(  refuse  "**/.git/config"  # later, unless this run made the repository)",
       R"(  refuse  "/p/docs"  # docs)", "private   /tmp /run /dev /proc",
       "network   its own loopback only",
       R"(limits    100 processes, 3G memory, 2.5 processors, 1500/s, by a cgroup below "/sys/fs/cgroup/x" with memory io)",
       "environment PATH ANTHROPIC_API_KEY", "weaker    one thing", "weaker    another"}) {
    CAPTURE(line);
    CHECK(std::ranges::count(lines, line) == 1);
  }
}

TEST_CASE("render: deviations from the defaults are shown") {
  SandboxPlan plan = Sample();
  plan.mode = SandboxMode::kRx;
  plan.layers = SandboxLayers::kLandlock;
  plan.profile = "";
  plan.reads_all = false;
  plan.scratch = Path::Clean("/tmp/ringfence-1");
  plan.network.kind = PlannedNetwork::Kind::kHost;
  plan.limits = {.processes = 7};
  const std::vector<std::string> lines = Lines(PlanText(plan));
  for (const std::string line : {"mode      rx, layers landlock", "reads     what is listed",
                                 "private   \"/tmp/ringfence-1\"  # $TMPDIR",
                                 "network   the host's", "limits    7 processes"}) {
    CAPTURE(line);
    CHECK(std::ranges::count(lines, line) == 1);
  }
}

TEST_CASE("render: sizes are exact") {
  struct Row {
    uint64_t bytes;
    std::string_view want;
  };
  static constexpr Row kRows[] = {{1, "1 memory"},
                                  {1023, "1023 memory"},
                                  {1024, "1K memory"},
                                  {1025, "1025 memory"},
                                  {uint64_t{5} << 20, "5M memory"},
                                  {uint64_t{1} << 40, "1T memory"},
                                  {uint64_t{2048} << 40, "2048T memory"},
                                  {(uint64_t{1} << 30) + 1024, "1048577K memory"}};
  for (const Row& row : kRows) {
    CAPTURE(row.bytes);
    SandboxPlan plan = Sample();
    plan.limits = {.memory = row.bytes};
    CHECK(Has(PlanText(plan), ", " + std::string(row.want) + "\n"));
  }
}

TEST_CASE("render: numbers of processors are short") {
  struct Row {
    double cpus;
    std::string_view want;
  };
  static constexpr Row kRows[] = {{1, "1"}, {10, "10"}, {100, "100"}, {0.5, "0.5"}, {1.25, "1.25"}};
  for (const Row& row : kRows) {
    CAPTURE(row.cpus);
    SandboxPlan plan = Sample();
    plan.limits = {.cpus = row.cpus};
    CHECK(Has(PlanText(plan), ", " + std::string(row.want) + " processors\n"));
  }
}

TEST_CASE("render: a plan that confines nothing says only that") {
  PlanWorld world;
  world.command.mode = SandboxMode::kRwx;
  const std::string text = PlanText(world.Plan());
  CHECK(Has(text, "mode      rwx"));
  CHECK(Has(text, "weaker    nothing is confined"));
  CHECK_FALSE(Has(text, "write"));
  CHECK_FALSE(Has(text, "network"));
  const Json json = Json::parse(PlanJson(world.Plan()));
  CHECK(json["mode"] == "rwx");
  CHECK_FALSE(json.contains("writable"));
  CHECK_FALSE(json.contains("network"));
}

TEST_CASE("render: foreign text adds no lines and no terminal sequences") {
  const std::string evil = "x\nweaker    nothing\x1b[2J\r\xe2\x80\xae";
  SandboxPlan plan = Sample();
  plan.argv = {evil};
  plan.cwd = Path::Clean("/" + evil);
  plan.profile = evil;
  plan.writable = {{.path = Path::Clean("/" + evil), .why = evil}};
  plan.hidden = {{.path = Path::Clean("/" + evil), .why = evil}};
  plan.sockets = {Path::Clean("/" + evil)};
  plan.names.Refuse({.base = "/" + evil, .why = evil});
  plan.environment = {evil + "=1"};
  plan.limits.cgroup = evil;
  plan.limits.controllers = {evil};
  plan.weaker = {evil};
  const std::string text = PlanText(plan);
  CHECK(Lines(text).size() == Lines(PlanText(Sample())).size() - 2);
  CHECK(std::ranges::none_of(
      Lines(text), [](const std::string& line) { return line.starts_with("weaker    nothing"); }));
  for (const char c : {'\x1b', '\r'}) CHECK(text.find(c) == std::string::npos);
  CHECK_FALSE(Has(text, "\xe2\x80\xae"));
}

TEST_CASE("render: long names are shown in full, since a truncated one is another path") {
  SandboxPlan plan = Sample();
  const std::string path = "/p/" + std::string(2000, 'x');
  plan.writable = {{.path = Path::Clean(path)}};
  CHECK(Has(PlanText(plan), path));
}

TEST_CASE("render: the values of variables are not shown") {
  CHECK_FALSE(Has(PlanText(Sample()), "s3cret"));
  CHECK_FALSE(Has(PlanJson(Sample()), "s3cret"));
}

TEST_CASE("render: every call of the filters is shown") {
  const std::string text = PlanText(Sample());
  const Json json = Json::parse(PlanJson(Sample()));
  for (const auto& [key, calls] :
       std::initializer_list<std::pair<const char*, std::span<const CallName>>>{
           {"refused", kRefusedCalls},
           {"absent", kAbsentCalls},
           {"supervised", kSupervisedCalls}}) {
    CHECK(json["calls"][key].size() == calls.size());
    for (const CallName& call : calls) CHECK(Has(text, " " + std::string(call.name)));
  }
}

TEST_CASE("render: calls that share objects are absent unless namespaces separate these") {
  SandboxPlan plan = Sample();
  CHECK_FALSE(Has(PlanText(plan), " shmget"));
  CHECK_FALSE(Has(PlanJson(plan), "\"shmget\""));
  plan.layers = SandboxLayers::kLandlock;
  CHECK(Has(PlanText(plan), " shmget"));
  CHECK(Has(PlanJson(plan), "\"shmget\""));
}

TEST_CASE("render: the private and network lines depend on the layers") {
  SandboxPlan plan = Sample();
  plan.private_tmp = false;
  CHECK(Has(PlanText(plan), "\nprivate   /run /dev /proc\n"));
  plan.layers = SandboxLayers::kLandlock;
  CHECK_FALSE(Has(PlanText(plan), "\nprivate"));
  CHECK(Has(PlanText(plan), "network   none, and no sockets"));
  CHECK(Json::parse(PlanJson(plan))["network"] == "none");
  plan.network.kind = PlannedNetwork::Kind::kProxy;
  CHECK(
      Has(PlanText(plan), "network   the hosts that the policy permits, through the egress proxy"));
  CHECK(Json::parse(PlanJson(plan))["network"] == "proxy");
  plan.network.kind = PlannedNetwork::Kind::kProxyPort;
  CHECK(Has(PlanText(plan), "the egress proxy of HTTPS_PROXY and the like; no other socket"));
  CHECK(Json::parse(PlanJson(plan))["network"] == "proxy");
  plan.layers = SandboxLayers::kFull;
  plan.is_nested = true;
  CHECK(Has(PlanText(plan), "network   as the sandbox around has it"));
  CHECK(Json::parse(PlanJson(plan))["network"] == "outer");
}

TEST_CASE("render: JSON has a member for each part of the plan") {
  const std::string text = PlanJson(Sample());
  CHECK(text.ends_with("}\n"));
  const Json json = Json::parse(text);
  CHECK(json["command"] == Json({"make", "all tests"}));
  CHECK(json["directory"] == "/p/src");
  CHECK(json["root"] == "/p");
  CHECK(json["mode"] == "sandbox");
  CHECK(json["layers"] == "full");
  CHECK(json["profile"] == "worker");
  CHECK(json["reads"] == "all");
  CHECK(json["readable"][0]["path"] == "/tmp/in");
  CHECK(json["writable"][0] == Json{{"path", "/p"}, {"kind", "directory"}, {"why", "w"}});
  CHECK(json["writable"][1]["make"] == true);
  CHECK(json["sealed"][0] == Json{{"path", "/p/.mcp.json"}, {"kind", "file"}});
  CHECK(json["hidden"][0]["path"] == "/h");
  CHECK(json["hidden"][0]["kept"] == Json({"/h/k"}));
  CHECK(json["hidden_sockets"] == Json({"/var/s.sock"}));
  CHECK(json["refused_names"][0] ==
        Json{{"name", "**/.git/config"}, {"unless_new", true}, {"why", "later"}});
  CHECK(json["refused_names"][1] ==
        Json{{"name", "/p/docs"}, {"except", "public"}, {"why", "docs"}});
  CHECK(json["private_tmp"] == true);
  CHECK(json["network"] == "own loopback");
  CHECK(json["limits"]["memory"] == uint64_t{3} << 30);
  CHECK(json["limits"]["processes"] == 100);
  CHECK(json["limits"]["cpus"] == 2.5);
  CHECK(json["limits"]["io"] == 1500);
  CHECK(json["limits"]["cgroup"] == "/sys/fs/cgroup/x");
  CHECK(json["limits"]["controllers"] == Json::array({"memory", "io"}));
  CHECK(json["limits"]["disks"] == Json::array({"8:0"}));
  CHECK(json["environment"] == Json({"PATH", "ANTHROPIC_API_KEY"}));
  CHECK(json["weaker"] == Json({"one thing", "another"}));
}

TEST_CASE("render: JSON has empty lists for missing parts") {
  SandboxPlan plan;
  plan.argv = {"x"};
  const Json json = Json::parse(PlanJson(plan));
  for (const char* key : {"readable", "writable", "sealed", "hidden", "hidden_sockets",
                          "refused_names", "environment", "weaker"}) {
    CAPTURE(key);
    CHECK(json[key] == Json::array());
  }
  CHECK_FALSE(json.contains("profile"));
}

TEST_CASE("render: JSON is valid for names with any bytes") {
  SandboxPlan plan = Sample();
  plan.argv = {"\xff\xfe", "\"\n"};
  plan.writable = {{.path = Path::Clean("/\x80")}};
  const Json json = Json::parse(PlanJson(plan), nullptr, false);
  CHECK_FALSE(json.is_discarded());
  CHECK(json["command"][1] == "\"\n");
}

TEST_CASE("render: restrictions by an allow list with patterns are shown") {
  PlanWorld world;
  world.world.Managed(R"("write":{"allow":["src"]})");
  world.world.User(R"("write":{"allow":["**/*.cc"]})");
  CHECK(Has(PlanText(world.Plan()), "*.cc"));
  CHECK(Has(PlanJson(world.Plan()), "*.cc"));
}

TEST_CASE("render: modes and layers have the same names as in the policy") {
  CHECK(ModeName(SandboxMode::kRx) == "rx");
  CHECK(ModeName(SandboxMode::kSandbox) == "sandbox");
  CHECK(ModeName(SandboxMode::kRwx) == "rwx");
  CHECK(LayersName(SandboxLayers::kFull) == "full");
  CHECK(LayersName(SandboxLayers::kLandlock) == "landlock");
}
