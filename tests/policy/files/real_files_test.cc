#include "policy/files/real_files.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/unique_fd.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

constexpr size_t kMany = 100000;  // names

FileFacts Facts(const std::string& path) {
  const Result<FileFacts> facts = RealFiles().Look(Path::Clean(path));
  REQUIRE(facts);
  return *facts;
}

UniqueFd Listen(const std::string& path) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::ranges::copy(path, static_cast<char*>(address.sun_path));
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return socket;
}

}  // namespace

TEST_CASE("real files: every kind of file is reported, without opening it") {
  const TemporaryTree tree;
  tree.File("f");
  tree.Directory("d");
  tree.Link("l", "nowhere");
  REQUIRE(::mkfifo(tree.At("p").c_str(), 0600) == 0);
  const UniqueFd socket = Listen(tree.At("s"));
  CHECK(Facts(tree.At("f")).kind == FileKind::kFile);
  CHECK(Facts(tree.At("d")).kind == FileKind::kDirectory);
  CHECK(Facts(tree.At("l")).kind == FileKind::kLink);
  CHECK(Facts(tree.At("p")).kind == FileKind::kFifo);
  CHECK(Facts(tree.At("s")).kind == FileKind::kSocket);
  CHECK(Facts("/dev/null").kind == FileKind::kCharacterDevice);
}

TEST_CASE("real files: a missing file is a fact, not an error") {
  const TemporaryTree tree;
  tree.File("f");
  CHECK(Facts(tree.At("no")).kind == FileKind::kMissing);
  CHECK(Facts(tree.At("no/x")).kind == FileKind::kMissing);
  CHECK(Facts(tree.At("f/x")).kind == FileKind::kMissing);
}

TEST_CASE("real files: a fact that cannot be determined is an error that names the path") {
  const TemporaryTree tree;
  tree.Link("loop", "loop");
  const std::string name(256, 'x');
  const Result<FileFacts> too_long = RealFiles().Look(Path::Clean(tree.At(name)));
  REQUIRE_FALSE(too_long);
  CHECK(too_long.error().text() == "lstat(" + tree.At(name) + "): ENAMETOOLONG");
  CHECK(RealFiles().Look(Path::Clean(tree.At("loop/x"))).error().code == ELOOP);
}

TEST_CASE("real files: facts are those of lstat") {
  const TemporaryTree tree;
  tree.File("a", "x");
  tree.HardLink("b", "a");
  REQUIRE(::chmod(tree.At("a").c_str(), 0640) == 0);
  const FileFacts a = Facts(tree.At("a"));
  CHECK(a.links == 2);
  CHECK(a.mode == 0640);
  CHECK(a.owner == ::geteuid());
  CHECK(a.inode == Facts(tree.At("b")).inode);
  CHECK(a.device == Facts(tree.root()).device);
}

TEST_CASE("real files: a link's target is returned as written") {
  const TemporaryTree tree;
  const std::string odd = "../a b/./\xC3\xA9\xFF//";
  tree.Link("l", odd);
  tree.Link("long", std::string(4095, 'x'));
  tree.File("f");
  CHECK(*RealFiles().ReadLink(Path::Clean(tree.At("l"))) == odd);
  CHECK(RealFiles().ReadLink(Path::Clean(tree.At("long")))->size() == 4095);
  CHECK(RealFiles().ReadLink(Path::Clean(tree.At("f"))).error().code == EINVAL);
  CHECK(RealFiles().ReadLink(Path::Clean(tree.At("no"))).error().code == ENOENT);
}

TEST_CASE("real files: a directory's entries exclude the dots") {
  const TemporaryTree tree;
  tree.File("d/f");
  tree.Directory("d/sub");
  tree.Link("d/l", "f");
  REQUIRE(::mkfifo(tree.At("d/p").c_str(), 0600) == 0);
  tree.Link("to_d", "d");
  Result<std::vector<DirectoryEntry>> entries = RealFiles().List(Path::Clean(tree.At("d")), kMany);
  REQUIRE(entries);
  std::ranges::sort(*entries, {}, &DirectoryEntry::name);
  REQUIRE(entries->size() == 4);
  CHECK((*entries)[0].name == "f");
  CHECK((*entries)[0].kind == FileKind::kFile);
  CHECK((*entries)[1].name == "l");
  CHECK((*entries)[1].kind == FileKind::kLink);
  CHECK((*entries)[2].name == "p");
  CHECK((*entries)[2].kind == FileKind::kMissing);  // Look() distinguishes these
  CHECK((*entries)[3].name == "sub");
  CHECK((*entries)[3].kind == FileKind::kDirectory);
  CHECK_FALSE(RealFiles().List(Path::Clean(tree.At("d/f")), kMany));
  CHECK_FALSE(RealFiles().List(Path::Clean(tree.At("no")), kMany));
  CHECK(RealFiles().List(Path::Clean(tree.At("to_d")), kMany)->size() == 4);  // through a link
}

TEST_CASE("real files: a directory with more names than fit in one getdents(2) result") {
  const TemporaryTree tree;
  constexpr int kNames = 1000;
  const auto name = [](int i) { return std::string(200, 'n') + std::to_string(i); };
  for (int i = 0; i < kNames; ++i) tree.File("many/" + name(i));
  const Result<std::vector<DirectoryEntry>> entries =
      RealFiles().List(Path::Clean(tree.At("many")), kMany);
  REQUIRE(entries);
  std::set<std::string> seen;
  for (const DirectoryEntry& entry : *entries) seen.insert(entry.name);
  CHECK(entries->size() == kNames);
  CHECK(RealFiles().List(Path::Clean(tree.At("many")), kNames));
  CHECK(RealFiles().List(Path::Clean(tree.At("many")), kNames - 1).error().code == E2BIG);
  for (int i = 0; i < kNames; ++i) CHECK(seen.contains(name(i)));
}

TEST_CASE("real files: listing leaves no descriptor open") {
  const TemporaryTree tree;
  const UniqueFd before(::dup(0));
  for (int i = 0; i < 100; ++i) REQUIRE(RealFiles().List(Path::Clean(tree.root()), kMany));
  const UniqueFd after(::dup(0));
  CHECK(after.get() == before.get() + 1);
}

TEST_CASE("real files: listing a path that is not a directory fails and does not block") {
  const TemporaryTree tree;
  REQUIRE(::mkfifo(tree.At("p").c_str(), 0600) == 0);
  CHECK(RealFiles().List(Path::Clean(tree.At("p")), kMany).error().code == ENOTDIR);
}

TEST_CASE("real files: the start of a file of any size can be read") {
  const TemporaryTree tree;
  tree.File("f", "0123456789");
  const auto start_of = [&tree](const char* name, size_t most) {
    return RealFiles().ReadStart(Path::Clean(tree.At(name)), most);
  };
  CHECK(*start_of("f", 4) == "0123");
  CHECK(*start_of("f", 40) == "0123456789");
  CHECK(start_of("no", 4).error().code == ENOENT);
  REQUIRE(::mkfifo(tree.At("p").c_str(), 0600) == 0);
  CHECK(start_of("p", 4).error().code == EINVAL);
}

#ifdef __linux__
TEST_CASE("real files: a path is reported with its mount, and a missing one has none") {
  const TemporaryTree tree;
  tree.File("f");
  const auto mount_of = [](const std::string& path) {
    return RealFiles().MountOf(Path::Clean(path));
  };
  CHECK(mount_of(tree.At("f")) == mount_of(tree.root()));
  CHECK(mount_of(tree.root()) != mount_of("/proc"));
  CHECK(mount_of(tree.At("no")) == 0);
}

// A sysfs file claims a whole page, like a file that is truncated while it is read.
TEST_CASE("real files: a file that ends before its size is an error") {
  const Result<std::string> text =
      RealFiles().ReadText(Path::Clean("/sys/devices/system/cpu/online"), kMany);
  REQUIRE_FALSE(text);
  CHECK(text.error().code == EIO);
}
#endif
