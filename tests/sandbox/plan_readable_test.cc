// MakePlan(): readable paths if reads are listed, and sockets that cannot be reached.
#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>

#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

// With "reads": "listed", checks that a hidden path covers every path that the policy lists.
void CheckDenied(std::initializer_list<std::string_view> policies) {
  for (const std::string_view policy : policies) {
    CAPTURE(policy);
    PlanWorld plan;
    plan.world.files.Put("/srv/data/pub/x", File());
    plan.world.files.Put("/home/dev/.ssh/id_ed25519", File());
    plan.world.User(R"("sandbox":{"reads":"listed"},)" + std::string(policy));
    const SandboxPlan made = plan.Plan();
    for (const PlannedPlace& place : made.readable) {
      if (place.why == "programs need it to run") continue;
      CAPTURE(place.path.text());
      CHECK(std::ranges::any_of(made.hidden, [&](const HiddenPlace& hidden) {
        return place.path.IsInside(hidden.path);
      }));
    }
  }
}

}  // namespace

TEST_CASE("readable: if everything is readable, only paths that private directories would cover") {
  PlanWorld plan;
  plan.world.files.Put("/tmp/in/x", File());
  plan.world.files.Put("/srv/lib/x", File());
  plan.world.User(R"("read":{"allow":[".","/tmp/in","/tmp/none","/srv/lib","/tmp","/proc"]})");
  CHECK(PlacesText(plan.Plan().readable) == "/tmp/in");
  CHECK(plan.Plan().reads_all);
}

TEST_CASE("readable: if reads are listed, the listed paths that exist") {
  PlanWorld plan;
  plan.world.files.Put("/usr/lib/x.so", File());
  plan.world.files.Put("/srv/lib/x", File());
  plan.world.User(
      R"("sandbox":{"reads":"listed"},"read":{"allow":[".","@toolchains","/srv/lib/x","/srv/none"]})");
  CHECK_FALSE(plan.Plan().reads_all);
  const std::string readable = PlacesText(plan.Plan().readable);
  CHECK(readable.find("/srv/lib/x (file), /usr") != std::string::npos);
  CHECK(readable.find("/home/dev/project") == std::string::npos);
  CHECK(readable.find("none") == std::string::npos);
}

TEST_CASE("readable: a listed path that is denied itself is hidden") {
  CheckDenied({R"("read":{"allow":["/srv/data"],"deny":["/srv/data"]})",
               R"("read":{"allow":["/srv/data/pub"],"ask":["/srv/data"]})"});
}

TEST_CASE("readable: a listed path inside a denied one is hidden") {
  CheckDenied({R"("read":{"allow":["/srv/data/pub"],"deny":["/srv/data"]})",
               R"("read":{"allow":["/srv/data/pub"],"deny":["/SRV/data"]})",
               R"("read":{"allow":["/srv/data/pub"],"deny":["/srv/d*"]})",
               R"("read":{"allow":["/srv/data/pub"],"deny":["**/data"]})",
               R"("read":{"allow":["~/.ssh/id_ed25519"]})"});
}

TEST_CASE(
    "readable: a denied path in a private directory is not, even if a list names a part of it") {
  PlanWorld plan;
  plan.world.files.Put("/tmp/data/pub/x", File());
  plan.world.User(R"("read":{"allow":[".","/tmp/data/pub"],"deny":["/tmp/data"]})");
  const SandboxPlan made = plan.Plan();
  CHECK((made.readable.empty() || !made.hidden.empty()));
}

TEST_CASE("readable: a pattern is not widened to its directory without a note") {
  PlanWorld plan;
  plan.world.files.Put("/srv/data/x.txt", File());
  plan.world.files.Put("/srv/data/x.key", File());
  plan.world.User(R"("sandbox":{"reads":"listed"},"read":{"allow":[".","/srv/data/*.txt"]})");
  const SandboxPlan made = plan.Plan();
  const bool is_wide = PlacesText(made.readable).find("/srv/data,") != std::string::npos ||
                       PlacesText(made.readable).ends_with("/srv/data");
  CHECK((!is_wide || Notes(made, "read.allow")));
}

TEST_CASE("sockets: those of the host's programs are blocked where they would be visible") {
  PlanWorld plan;
  plan.facts.sockets = {"/run/docker.sock",   "/var/lib/db/s", "/tmp/.X11-unix/X0",
                        "/home/dev/.gnupg/S", "relative",      "/var/../etc/s"};
  for (const char* name :
       {"/run/docker.sock", "/var/lib/db/s", "/tmp/.X11-unix/X0", "/home/dev/.gnupg/S"}) {
    plan.world.files.Put(name, Special(FileKind::kSocket));
  }
  CHECK(PathsText(plan.Plan().sockets) == "/var/lib/db/s, /home/dev/.gnupg/S");
}

TEST_CASE("sockets: missing ones, links and other files do not prevent a start") {
  PlanWorld plan;
  plan.facts.sockets = {"/srv/gone", "/srv/link/s",   "/srv/real/s",
                        "/srv/file", "/srv/closed/s", "/var/run/d"};
  plan.world.files.Put("/srv/real/s", Special(FileKind::kSocket));
  plan.world.files.Put("/srv/link", LinkTo("real"));
  plan.world.files.Put("/srv/file", File());
  plan.world.files.Put("/srv/closed", UnreadableDirectory());
  plan.world.files.Put("/var/run", LinkTo("/run"));
  plan.world.files.Put("/run/d", Special(FileKind::kSocket));
  CHECK(PathsText(plan.Plan().sockets) == "/srv/real/s");
}

TEST_CASE("sockets: a writable directory does not open the sockets in it") {
  struct Socket {
    std::string_view allow;
    std::string path;
  };
  const Socket kRows[] = {
      {R"([".","@tmp"])", "/tmp/ssh-abc/agent.1"},
      {R"([".","~"])", "/home/dev/.docker/run/docker.sock"},
      {R"(["/"])", "/var/lib/db/s"},
  };
  for (const Socket& row : kRows) {
    CAPTURE(row.allow);
    PlanWorld plan;
    plan.facts.sockets = {row.path};
    plan.world.files.Put(row.path, Special(FileKind::kSocket));
    plan.world.User(R"("write":{"allow":)" + std::string(row.allow) + "}");
    CHECK(PathsText(plan.Plan().sockets) == row.path);
  }
}

TEST_CASE("sockets: one that the policy names is reachable") {
  PlanWorld plan;
  plan.facts.sockets = {"/var/run-docker.sock"};
  plan.world.files.Put("/var/run-docker.sock", Special(FileKind::kSocket));
  plan.world.User(R"("write":{"allow":[".","/var/run-docker.sock"]})");
  CHECK(PathsText(plan.Plan().sockets) == "");
  CHECK(PlacesText(plan.Plan().writable) == "/home/dev/project, /var/run-docker.sock (file)");
}

TEST_CASE("readable: if the host's sockets are unknown, there is no plan") {
  PlanWorld plan;
  plan.facts.sockets_unknown = "open(/proc/net/unix): EIO";
  CHECK(plan.WhyNot().kind == Error::Kind::kSystem);
  CHECK(plan.WhyNot().text().find("/proc/net/unix") != std::string::npos);
}

TEST_CASE("plan: the host's crash handler is mentioned") {
  PlanWorld plan;
  const auto tells = [&] {
    return std::ranges::any_of(plan.Plan().weaker, [](const std::string& text) {
      return text.find("crash handler") != std::string::npos;
    });
  };
  CHECK_FALSE(tells());
  plan.facts.crash_handler = "it listens at a socket (kernel.core_pattern)";
  CHECK(tells());
  plan.facts.crash_handler_unknown = "open(core_pattern): EIO";
  CHECK(plan.WhyNot().text().find("core_pattern") != std::string::npos);
}

TEST_CASE("readable: if reads are listed, an agent's hook finds its policy, trust and programs") {
  PlanWorld world;
  world.world.User(R"("sandbox":{"reads":"listed"},"read":{"allow":["."]})");
  world.world.files.Put("/home/dev/.config/ringfence/policy.json", File());
  world.world.files.Put("/home/dev/.local/state/ringfence/trust.json", File());
  world.world.places.policies = {Path::Clean("/home/dev/.config/ringfence/policy.json"),
                                 Path::Clean("/etc/ringfence/policy.json")};
  CHECK(PlacesText(world.Plan().readable).find("ringfence") == std::string::npos);
  world.command.is_agent = true;
  const std::string places = PlacesText(world.Plan().readable);
  CHECK(places.find("/home/dev/.config/ringfence/policy.json (file)") != std::string::npos);
  CHECK(places.find("/home/dev/.local/state/ringfence") != std::string::npos);
  CHECK(places.find("/etc/ringfence") == std::string::npos);  // does not exist
  world.world.files.Put("/srv/policy.json", File());
  world.world.files.Put("/home/dev/.config/ringfence/policy.json", LinkTo("/srv/policy.json"));
  CHECK(world.WhyNot().what.find("by a link") != std::string::npos);
}
