// Paths that mounts also show under another name.
#include <doctest/doctest.h>

#include <cerrno>

#include "tests/support/world.h"

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

TEST_CASE("decide: a mount does not bypass a deny") {
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

TEST_CASE("decide: nor does it bypass a question or built-in protection") {
  MountedWorld world("2 1 8:1 /home /srv/home rw - ext4 d rw\n");
  world.User(R"("write":{"allow":[".","/srv"],"ask":["docs"]})");
  CHECK(world.Write("/srv/home/dev/project/docs/x") == "ask");
  CHECK(world.Write("/srv/home/dev/.config/ringfence/policy.json") == "deny");
  CHECK(world.Write("/srv/home/dev/project/src/x") == "permit");
}

TEST_CASE("decide: a search covers mounts below its directory") {
  MountedWorld world("2 1 8:1 /home/dev/notes /home/dev/project/n rw - ext4 d rw\n");
  world.User(R"("read":{"allow":["."],"deny":["~/notes/a"]})");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"/home/dev/project"})") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"/home/dev/project/src"})") == "permit");
  CHECK(world.Read("n/a") == "deny");
  CHECK(world.Read("n/b") == "permit");
}

TEST_CASE(
    "decide: a search covers a part of its directory that is denied under the name of a mount") {
  MountedWorld world("2 1 8:1 /home/dev/project/docs/adr /srv/adr rw - ext4 d rw\n");
  world.User(R"("read":{"allow":["."],"deny":["/srv/adr"]})");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"/home/dev/project"})") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"/home/dev/project/src"})") == "permit");
  CHECK(world.Read("docs/adr/1") == "deny");
  CHECK(world.Read("docs/new") == "permit");
}

namespace {

// Reports which mount shows a path, as the real disk does: 2 in one directory, 1 elsewhere.
class NumberedMounts final : public FileView {
 public:
  NumberedMounts(const FileView& files, std::string_view folder)
      : files_(files), folder_(Path::Clean(folder)) {}

  uint64_t MountOf(const Path& path) const override {
    const Result<FileFacts> facts = files_.Look(path);
    if (!facts || facts->kind == FileKind::kMissing) return 0;
    return path.IsInside(folder_) ? 2 : 1;
  }
  Result<FileFacts> Look(const Path& path) const override { return files_.Look(path); }
  Result<std::string> ReadLink(const Path& path) const override { return files_.ReadLink(path); }
  Result<std::string> ReadText(const Path& file, size_t most) const override {
    return files_.ReadText(file, most);
  }
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override {
    return files_.List(directory, most);
  }

 private:
  const FileView& files_;
  Path folder_;
};

}  // namespace

TEST_CASE("decide: in the project, the mount table counts only for paths shown by another mount") {
  MountedWorld world("2 1 8:1 /home/dev/notes /home/dev/project/n rw - ext4 d rw\n");
  world.files.Put("/home/dev/project/n", Directory());
  world.User(R"("read":{"allow":["."],"deny":["~/notes/a","~/notes/new"]})");
  const auto read = [&](const FileView& files, std::string_view path) {
    const Decision decision = world.Decide(world.EventOf("Read", PathInput(path)), files);
    return std::string(VerdictName(decision.verdict));
  };
  using Call = FailingFiles::Call;
  const NumberedMounts mounts(world.files, "/home/dev/project/n");
  CHECK(read(mounts, "n/a") == "deny");
  CHECK(read(mounts, "n/new/x") == "deny");  // through the mount at n
  CHECK(read(mounts, "n/b") == "permit");
  const FailingFiles no_table(mounts, Call::kReadText, kMountInfo, EIO);
  CHECK_THROWS(read(no_table, "n/b"));
  CHECK(read(no_table, "README.md") == "permit");
  CHECK(read(no_table, "new/x") == "permit");
  // A file can belong to another mount if its mount is unknown.
  constexpr const char* kHidden = "/home/dev/project/new/x";
  CHECK(read(FailingFiles(mounts, Call::kLook, kHidden, EACCES), "new/x") == "permit");
  CHECK_THROWS(read(FailingFiles(no_table, Call::kLook, kHidden, EACCES), "new/x"));
}

TEST_CASE("decide: a rule about a second view's mount point denies neither project nor home") {
  MountedWorld world("2 1 8:1 / /mnt/disk rw - ext4 d rw\n");
  world.User(R"("read":{"allow":[".","~/notes"],"deny":["/mnt"]})");
  CHECK(world.Read("README.md") == "permit");
  CHECK(world.Read("~/notes/a") == "permit");
  CHECK(world.Read("/mnt/disk/home/dev/notes/a") == "deny");
  MountedWorld same("2 1 8:1 / /mnt/disk rw - ext4 d rw\n");
  same.User(R"("read":{"allow":[".","~/notes"],"deny":["/mnt/disk"]})");
  CHECK(same.Read("README.md") == "permit");
}

TEST_CASE("decide: an unreadable mount table allows no decision") {
  MountedWorld world("");
  world.files.Put(kMountInfo, File(std::string(size_t{17} << 20, 'x')));
  CHECK_THROWS(world.Read("README.md"));
}
