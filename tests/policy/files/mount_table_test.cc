#include "policy/files/mount_table.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "tests/support/fake_files.h"

using namespace ringfence;

namespace {

std::string NamesText(std::string_view mounts, std::string_view path) {
  std::string text;
  for (const auto& name : MountTable::Parse(mounts).OtherNames(Path::Clean(path))) {
    if (!text.empty()) text += ", ";
    text += name.path.text() + " by " + name.mount.text();
  }
  return text;
}

// The home is a bind mount of a directory of the root file system, as on an image-based system.
constexpr std::string_view kImage =
    "20 1 8:1 /deploy/0 / rw - ext4 /dev/sda1 rw\n"
    "21 20 8:1 / /sysroot ro - ext4 /dev/sda1 rw\n"
    "22 20 8:1 /deploy/var /var rw - ext4 /dev/sda1 rw\n"
    "23 20 0:5 / /proc rw - proc proc rw\n"
    "24 20 8:2 / /data rw - ext4 /dev/sdb1 rw\n";

// Namespaces that a mount keeps alive have no directory tree.
constexpr std::string_view kNamespaces =
    "1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 /home /srv/home rw - ext4 d rw\n"
    "3 1 0:4 net:[4026] /run/n rw - nsfs nsfs rw\n4 1 0:4 net:[4026] /run/m rw - nsfs nsfs rw\n";

}  // namespace

TEST_CASE("mounts: a directory that is mounted twice has the other name") {
  struct Row {
    std::string_view name, mounts, path, want;
  };
  static constexpr Row kRows[] = {
      {"seen from above", kImage, "/var/home/dev/.ssh",
       "/sysroot/deploy/var/home/dev/.ssh by /sysroot"},
      {"seen from below", kImage, "/sysroot/deploy/var/home/dev", "/var/home/dev by /var"},
      {"the mount itself", kImage, "/var", "/sysroot/deploy/var by /sysroot"},
      {"the root", kImage, "/", "/sysroot/deploy/0 by /sysroot"},
      {"what no other mount shows", kImage, "/sysroot/boot", ""},
      {"another file system", kImage, "/data/x", ""},
      {"a name that only begins alike",
       "1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 /home /srv/home rw - ext4 d rw\n", "/homework/x", ""},
      {"a file", "1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 /key /srv/key rw - ext4 d rw\n", "/key",
       "/srv/key by /srv/key"},
      {"three mounts",
       "1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 /h /a rw - ext4 d rw\n3 1 8:1 /h/x /b rw - ext4 d rw\n",
       "/a/x/y", "/h/x/y by /, /b/y by /b"},
      {"white space in names",
       "1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 /my\\040home /srv/a\\134b rw - ext4 d rw\n",
       "/my home/x", "/srv/a\\b/x by /srv/a\\b"},
      {"a mount of the sandbox's own",
       "1 0 8:1 / / rw - ext4 d rw\n2 1 0:9 / /dev/.ringfence/memory rw - tmpfs t rw\n"
       "3 1 0:9 /1 /tmp rw - tmpfs t rw\n",
       "/tmp/x", ""},
      {"a mount of the sandbox's own beside a second name of the host's",
       "1 0 8:1 / / rw - ext4 d rw\n2 1 0:9 / /dev/.ringfence/memory rw - tmpfs t rw\n"
       "3 1 0:9 /1 /tmp rw - tmpfs t rw\n4 1 8:1 /h /srv/h rw - ext4 d rw\n",
       "/tmp/x", ""},
      {"backslashes that begin no octal number",
       "1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 /h /srv/a\\13-b\\089 rw - ext4 d rw\n", "/h/x",
       "/srv/a\\13-b\\089/x by /srv/a\\13-b\\089"},
      {"a top mount whose unknown parent comes after all others",
       "1 9 8:1 / / rw - ext4 d rw\n2 1 8:1 /home /srv/home rw - ext4 d rw\n", "/home/x",
       "/srv/home/x by /srv/home"},
      {"a namespace", kNamespaces, "/run/n", ""},
      {"a directory beside mounts of namespaces", kNamespaces, "/home/x",
       "/srv/home/x by /srv/home"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(NamesText(row.mounts, row.path) == row.want);
  }
}

TEST_CASE("mounts: paths covered by another mount are not visible") {
  // /home is a separate file system, so the root file system's own /home is another directory.
  constexpr std::string_view kOwnHome =
      "1 0 8:1 / / rw - ext4 d rw\n2 1 8:2 / /home rw - ext4 d rw\n"
      "3 1 8:1 / /mnt rw - ext4 d rw\n";
  CHECK(NamesText(kOwnHome, "/home/dev/.ssh") == "");
  CHECK(NamesText(kOwnHome, "/mnt/home/dev/.ssh") == "");
  CHECK(NamesText(kOwnHome, "/etc/shadow") == "/mnt/etc/shadow by /mnt");
  // The second of two mounts at one place has the first as its parent.
  constexpr std::string_view kStacked =
      "1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 /home /srv rw - ext4 d rw\n"
      "3 2 0:9 / /srv rw - tmpfs t rw\n";
  CHECK(NamesText(kStacked, "/home/dev") == "");
  CHECK(NamesText(kStacked, "/srv/dev") == "");
  // A mount at /srv covers an older one at /srv/in, in any order of the table.
  for (const std::string_view covered :
       {"1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 /home /srv/in rw - ext4 d rw\n"
        "3 1 8:2 / /srv rw - ext4 e rw\n",
        "1 0 8:1 / / rw - ext4 d rw\n3 1 8:2 / /srv rw - ext4 e rw\n"
        "2 1 8:1 /home /srv/in rw - ext4 d rw\n"}) {
    CAPTURE(covered);
    CHECK(NamesText(covered, "/home/dev") == "");
    CHECK(NamesText(covered, "/srv/in/dev") == "");
  }
}

TEST_CASE("mounts: parts of a directory that are mounted elsewhere") {
  constexpr std::string_view kParts =
      "1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 /home/dev/.ssh/keys /srv/keys rw - ext4 d rw\n"
      "3 1 8:1 /home /srv/home rw - ext4 d rw\n4 1 8:2 / /home/dev/disk rw - ext4 e rw\n"
      "5 1 8:1 /home/dev/disk/x /srv/covered rw - ext4 d rw\n";
  const MountTable table = MountTable::Parse(kParts);
  using Parts = std::vector<MountTable::Part>;
  const auto part = [](const char* here, const char* elsewhere) {
    return MountTable::Part{Path::Clean(here), Path::Clean(elsewhere)};
  };
  CHECK(table.PartsElsewhere(Path::Clean("/home/dev/.ssh")) ==
        Parts{part("/home/dev/.ssh/keys", "/srv/keys")});
  CHECK(table.PartsElsewhere(Path::Clean("/srv/home/dev")) ==
        Parts{part("/srv/home/dev/.ssh/keys", "/srv/keys"),
              part("/srv/home/dev/disk/x", "/srv/covered")});
  CHECK(table.PartsElsewhere(Path::Clean("/home/dev/.config")).empty());
  // /home/dev/disk/x is on another file system than the part that is mounted at /srv/covered.
  CHECK(table.PartsElsewhere(Path::Clean("/home/dev")) ==
        Parts{part("/home/dev/.ssh/keys", "/srv/keys")});
  CHECK(table.MountsBelow(Path::Clean("/home")) ==
        std::vector<Path>{Path::Clean("/home/dev/disk")});
  CHECK(table.MountsBelow(Path::Clean("/home/dev/disk")).empty());
}

TEST_CASE("mounts: a mount covered by another one shows nothing") {
  const MountTable table = MountTable::Parse(
      "1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 /home/dev/keys /srv/keys rw - ext4 d rw\n"
      "3 2 0:9 / /srv/keys rw - tmpfs t rw\n4 1 0:4 net:[4026] /run/n rw - nsfs nsfs rw\n");
  REQUIRE(table.has_twins());
  CHECK(table.PartsElsewhere(Path::Clean("/home/dev")).empty());
  CHECK(table.MountsBelow(Path::Clean("/srv")) == std::vector<Path>{Path::Clean("/srv/keys")});
}

TEST_CASE("mounts: file system types that may accept several spellings of a name") {
  constexpr std::string_view kTypes =
      "1 0 8:1 / / rw - ext4 d rw\n2 1 0:7 / /mnt/c rw,noatime master:1 - 9p C:\\134 rw\n"
      "3 1 0:8 / /share rw - fuse.a\\040b d rw\n4 3 8:2 / /share/disk rw - vfat e rw\n"
      "5 1 0:9 / /old rw - fuse d rw\n6 5 8:3 / /old rw - ext4 f rw\n"
      "7 1 0:10 / /sys/fs/fuse rw - fusectl f rw\n8 1 0:11 / /short rw";
  const MountTable table = MountTable::Parse(kTypes);
  const auto type = [&table](const char* path) {
    return table.TypeWithSpellings(Path::Clean(path));
  };
  CHECK(type("/mnt/c/project/.env") == "9p");
  CHECK(type("/share") == "fuse.a b");
  for (const char* path : {"/", "/mnt", "/mnt/cc", "/share/disk/.env", "/old/.env",
                           "/sys/fs/fuse/connections", "/short/.env"}) {
    CAPTURE(path);
    CHECK(type(path) == "");
  }
  CHECK(MountTable::Parse(kImage).TypeWithSpellings(Path::Clean("/var/.env")) == "");
}

TEST_CASE("mounts: invalid lines are skipped, and parsing ends") {
  for (const std::string_view text :
       {"", "\n\n", "1 0 8:1", "x y z a b", "1 1 8:1 / / rw\n", "1 2 8:1 / / r\n2 1 8:1 / / r\n",
        "1 0 0:4 net:[4026] /run/n rw\n2 0 0:4 net:[4026] /run/m rw\n",
        "1 0 0:4 /../.. /cg rw\n2 0 0:4 /.. /cg2 rw\n", "1 0 8:1 / relative rw\n",
        "1 0 8:1 / / rw\n2 1 8:1 / relative rw\n", "1 0 8:1 / /\\9 r\n2 1 8:1 / /\\04 r\n"}) {
    CAPTURE(text);
    const MountTable table = MountTable::Parse(text);
    for (const char* path : {"/", "/run/n", "/run/m/x", "/cg"}) {
      for (const MountTable::Name& name : table.OtherNames(Path::Clean(path))) {
        CHECK(name.path != Path::Clean(path));
      }
    }
  }
  CHECK_FALSE(MountTable::Parse("1 0 8:1 / / rw\n2 1 8:2 / /home rw\n").has_twins());
  CHECK_FALSE(MountTable::Parse("1 0 8:1 /@ / rw\n2 1 8:1 /@home /home rw\n").has_twins());
  CHECK_FALSE(MountTable::Parse("1 0 8:1 /a / rw\n2 1 8:1 /b /home rw\n").has_twins());
  CHECK(MountTable::Parse("1 0 8:1 /a / rw\n2 1 8:1 /a /home rw\n").has_twins());
  CHECK(MountTable::Parse("1 0 8:1 /a / rw\n2 1 8:1 /a/b /home rw\n").has_twins());
  CHECK(MountTable::Parse(kImage).has_twins());
}

TEST_CASE("mounts: what is around a directory is found, even if nothing is mounted twice") {
  const auto around = [](const char* directory, const std::string& lines) {
    const FakeFiles files{{"/proc/self/mountinfo", File("1 0 8:1 / / rw - ext4 d rw\n" + lines)}};
    const Result<MountTable::Around> found = MountTable::FindAround(Path::Clean(directory), files);
    REQUIRE(found.has_value());
    std::string text = found->type;
    for (const Path& path : found->below) text += " " + path.text();
    return text;
  };
  const std::string sub = "no mount\n2 1 8:2 / /p/sub rw - xfs e rw\n";
  CHECK(around("/p", sub) == "ext4 /p/sub");
  CHECK(around("/p/sub", sub) == "xfs");
  CHECK(around("/p/sub/x", sub) == "xfs");
  CHECK(around("/p/su", sub) == "ext4");
  CHECK(around("/p", "") == "ext4");
  const std::string over =
      "3 2 8:3 / /p/sub rw - fuse.sshfs f rw\n4 1 8:2 / /p/a rw - tmpfs t rw\n";
  CHECK(around("/p", sub + over) == "ext4 /p/a /p/sub");
  CHECK(around("/p/sub", sub + over) == "fuse.sshfs");
  // A line about an outer mount can follow.
  CHECK(around("/p/sub/x", "5 1 8:4 / /p/sub rw - xfs e rw\n6 1 8:5 / /p rw - btrfs b rw\n") ==
        "xfs");
  const FakeFiles image{{"/proc/self/mountinfo", File("")}};
  CHECK(MountTable::FindAround(Path::Clean("/p"), image)->type.empty());
  const FailingFiles closed(image, FailingFiles::Call::kReadText, "/proc/self/mountinfo", EACCES);
  CHECK_FALSE(MountTable::FindAround(Path::Clean("/p"), closed).has_value());
}

TEST_CASE(
    "mounts: without /proc there are no other names, and a file that is too large is an error") {
  const FakeFiles none{{"/etc/passwd", File()}};
  REQUIRE(MountTable::Read(none).has_value());
  CHECK_FALSE(MountTable::Read(none)->has_twins());
  const FakeFiles image{{"/proc/self/mountinfo", File(std::string(kImage))}};
  CHECK(MountTable::Read(image)->has_twins());
  for (const int code : {ENOTDIR, ENOTSUP}) {
    const FailingFiles odd(image, FailingFiles::Call::kReadText, "/proc/self/mountinfo", code);
    REQUIRE(MountTable::Read(odd).has_value());
    CHECK_FALSE(MountTable::Read(odd)->has_twins());
  }
  const FailingFiles closed(image, FailingFiles::Call::kReadText, "/proc/self/mountinfo", EACCES);
  CHECK_FALSE(MountTable::Read(closed).has_value());
  const FakeFiles large{{"/proc/self/mountinfo", File(std::string(size_t{17} << 20, 'x'))}};
  CHECK_FALSE(MountTable::Read(large).has_value());
}
