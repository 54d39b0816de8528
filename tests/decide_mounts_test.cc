// Paths that mounts show under another name as well.
#include <doctest/doctest.h>

#include "tests/world.h"

using namespace ringfence;

namespace {

constexpr const char* kMountInfo = "/proc/self/mountinfo";

struct MountedWorld : World {
  explicit MountedWorld(const char* mounts) {
    files.Put(kMountInfo, File(std::string("1 0 8:1 / / rw - ext4 d rw\n") + mounts));
    for (const char* file :
         {"/home/dev/.ssh/id", "/home/dev/notes/a", "/home/dev/project/docs/adr/1",
          "/srv/home/dev/.ssh/id", "/srv/home/dev/notes/a", "/srv/docs/adr/1"}) {
      files.Put(file, File());
    }
  }
};

}  // namespace

TEST_CASE("decide: a mount is no way around a deny") {
  MountedWorld world("2 1 8:1 /home /srv/home rw - ext4 d rw\n");
  world.User(R"("read":{"allow":[".","/srv"],"deny":["@secrets","~/notes"]})");
  CHECK(world.Read("/srv/home/dev/.ssh/id") == "deny");
  CHECK(world.Read("/srv/home/dev/notes/new") == "deny");
  CHECK(world.WhyNotRead("/srv/home/dev/notes/a").find("a mount shows it where it is denied") !=
        std::string::npos);
  CHECK(world.Read("/srv/home/dev/other") == "permit");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"/srv/home/dev"})") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"/srv/home/dev/project"})") == "permit");
}

TEST_CASE("decide: nor around what is asked about, or what no policy permits") {
  MountedWorld world("2 1 8:1 /home /srv/home rw - ext4 d rw\n");
  world.User(R"("write":{"allow":[".","/srv"],"ask":["docs"]})");
  CHECK(world.Write("/srv/home/dev/project/docs/x") == "ask");
  CHECK(world.Write("/srv/home/dev/.config/ringfence/policy.json") == "deny");
  CHECK(world.Write("/srv/home/dev/project/src/x") == "permit");
}

TEST_CASE("decide: a search meets what is mounted below its folder") {
  MountedWorld world("2 1 8:1 /home/dev/notes /home/dev/project/n rw - ext4 d rw\n");
  world.User(R"("read":{"allow":["."],"deny":["~/notes/a"]})");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"/home/dev/project"})") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"/home/dev/project/src"})") == "permit");
  CHECK(world.Read("n/a") == "deny");
  CHECK(world.Read("n/b") == "permit");
}

TEST_CASE("decide: a rule about the place of a second view denies neither project nor home") {
  MountedWorld world("2 1 8:1 / /mnt/disk rw - ext4 d rw\n");
  world.User(R"("read":{"allow":[".","~/notes"],"deny":["/mnt"]})");
  CHECK(world.Read("README.md") == "permit");
  CHECK(world.Read("~/notes/a") == "permit");
  CHECK(world.Read("/mnt/disk/home/dev/notes/a") == "deny");
  MountedWorld same("2 1 8:1 / /mnt/disk rw - ext4 d rw\n");
  same.User(R"("read":{"allow":[".","~/notes"],"deny":["/mnt/disk"]})");
  CHECK(same.Read("README.md") == "permit");
}

TEST_CASE("decide: mounts that cannot be read leave no decision") {
  MountedWorld world("");
  world.files.Put(kMountInfo, File(std::string(size_t{17} << 20, 'x')));
  CHECK_THROWS(world.Read("README.md"));
}
