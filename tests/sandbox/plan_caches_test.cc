// Caches of the home, the host's network, and links of the system in a plan.
#include <doctest/doctest.h>

#include "sandbox/environment.h"
#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

std::string CachesText(const SandboxPlan& plan) {
  std::string text;
  for (const PlannedCache& cache : plan.caches) {
    text += (text.empty() ? "" : ", ") + cache.path.text();
  }
  return text;
}

std::string Value(const SandboxPlan& plan, std::string_view name) {
  return std::string(EnvironmentValue(plan.environment, name));
}

// The home has a cache of npm, of cargo, and the common one.
struct Caches : PlanWorld {
  Caches() {
    world.files.Put("/home/dev/.cache/pip", Directory());
    world.files.Put("/home/dev/.npm", Directory());
    world.files.Put("/home/dev/.cargo/registry", Directory());
  }
};

}  // namespace

TEST_CASE("caches: without any, programs use directories below the private one") {
  const SandboxPlan plan = PlanWorld().Plan();
  CHECK(plan.caches.empty());
  for (const std::string_view name :
       {"XDG_CACHE_HOME", "npm_config_cache", "YARN_CACHE_FOLDER", "PIP_CACHE_DIR", "UV_CACHE_DIR",
        "CARGO_HOME", "GOCACHE", "GRADLE_USER_HOME", "CCACHE_DIR"}) {
    CAPTURE(name);
    CHECK(Value(plan, name).starts_with("/tmp/.cache"));
  }
}

TEST_CASE("caches: those of the home are copied, and keep their paths") {
  const SandboxPlan plan = Caches().Plan();
  CHECK(CachesText(plan) == "/home/dev/.cache, /home/dev/.npm, /home/dev/.cargo");
  for (const char* name :
       {"XDG_CACHE_HOME", "npm_config_cache", "CARGO_HOME", "PIP_CACHE_DIR", "UV_CACHE_DIR"}) {
    CAPTURE(name);
    CHECK(Value(plan, name).empty());
  }
  CHECK(Value(plan, "GRADLE_USER_HOME") == "/tmp/.cache/gradle");
  CHECK(plan.names.IsExempt("/home/dev/.cargo/config.toml"));
  CHECK_FALSE(plan.names.IsExempt("/home/dev/.bashrc"));
  CHECK(plan.caches[1].instead == std::vector<std::string>{"npm_config_cache=/tmp/.cache/npm"});
}

TEST_CASE("caches: the caller's variables say where they are") {
  Caches world;
  world.world.files.Put("/srv/cargo", Directory());
  world.command.environment.emplace_back("CARGO_HOME=/srv/cargo");
  world.command.environment.emplace_back("npm_config_cache=relative");
  const SandboxPlan plan = world.Plan();
  CHECK(CachesText(plan) == "/home/dev/.cache, /home/dev/.npm, /srv/cargo");
  CHECK(Value(plan, "CARGO_HOME") == "/srv/cargo");
  CHECK(Value(plan, "npm_config_cache").empty());
}

TEST_CASE("caches: a writable cache is not copied, and an unreadable one is not used") {
  Caches world;
  world.world.User(
      R"("write":{"allow":[".","~/.npm"]},"read":{"deny":["~/.cargo","~/.cache/pip/key"]})");
  world.world.files.Put("/home/dev/.cache/pip/key", File());
  const SandboxPlan plan = world.Plan();
  CHECK(CachesText(plan) == "/home/dev/.cache");
  CHECK(Value(plan, "npm_config_cache").empty());
  CHECK(Value(plan, "CARGO_HOME") == "/tmp/.cache/cargo");
  CHECK(PlacesText(plan.hidden).find("/home/dev/.cache/pip/key") != std::string::npos);
}

TEST_CASE("caches: if reads are listed, only listed caches are copied") {
  Caches world;
  world.world.User(R"("sandbox":{"reads":"listed"},"read":{"allow":[".","~/.npm"]})");
  CHECK(CachesText(world.Plan()) == "/home/dev/.npm");
}

TEST_CASE("caches: no copy without mounts, nor of a directory that holds more than a cache") {
  Caches world;
  world.command.layers = SandboxLayers::kLandlock;
  world.facts.scratch = "/tmp/ringfence-7";
  world.world.files.Put("/home/dev/.cache/ms-playwright", Directory());
  const SandboxPlan plan = world.Plan();
  CHECK(plan.caches.empty());
  CHECK(Value(plan, "XDG_CACHE_HOME") == "/tmp/ringfence-7/.cache");
  CHECK(Value(plan, "PLAYWRIGHT_BROWSERS_PATH") == "/home/dev/.cache/ms-playwright");

  for (const std::string place :
       {"/", "/home", "/home/dev", "/home/dev/project", "/home/dev/.local"}) {
    CAPTURE(place);
    Caches odd;
    odd.world.files.Put("/home/dev/.local/state/ringfence", Directory());
    odd.command.environment.push_back("XDG_CACHE_HOME=" + place);
    CHECK(CachesText(odd.Plan()) == "/home/dev/.npm, /home/dev/.cache/pip, /home/dev/.cargo");
  }
}

TEST_CASE("caches: git's names are guarded in caches that a session keeps") {
  Caches world;
  world.command.session = "one";
  const SandboxPlan plan = world.Plan();
  CHECK(plan.names.IsOwn("/home/dev/.cargo/x"));
  CHECK(plan.names.Refuses("/home/dev/.cargo/r/.git/hooks/x") != nullptr);
  CHECK(plan.names.Refuses("/home/dev/.cargo/config.toml") == nullptr);
}

TEST_CASE("the host's network: the name servers are readable where a link of /etc leads") {
  PlanWorld world;
  world.world.files.Put("/etc/resolv.conf", LinkTo("../run/systemd/resolve/stub-resolv.conf"));
  world.world.files.Put("/run/systemd/resolve/stub-resolv.conf", File());
  CHECK(PlacesText(world.Plan().readable).empty());
  world.world.User(R"("network":{"unlisted":"allow"})");
  CHECK(PlacesText(world.Plan().readable) == "/run/systemd/resolve/stub-resolv.conf (file)");
  world.world.User(R"("network":{"unlisted":"allow"},"read":{"deny":["/run/systemd"]})");
  CHECK(PlacesText(world.Plan().readable).empty());
}

TEST_CASE("/tmp as a link: its target is private") {
  PlanWorld world;
  world.world.files.Put("/tmp", LinkTo("var/tmp"));
  world.world.files.Put("/var/tmp", Directory());
  const SandboxPlan plan = world.Plan();
  CHECK(plan.tmp.text() == "/var/tmp");
  CHECK(plan.private_tmp);
  CHECK(plan.names.IsExempt("/var/tmp/r/.git/hooks/x"));
  CHECK(Value(plan, "TMPDIR") == "/tmp");
  world.world.User(R"("write":{"allow":[".","/var/tmp"]})");
  CHECK_FALSE(world.Plan().private_tmp);
}

TEST_CASE("a missing device is never created") {
  PlanWorld world;
  world.world.User(R"("write":{"allow":[".","/dev/kvm"]})");
  CHECK(PlacesText(world.Plan().writable).find("/dev/kvm") == std::string::npos);
}
