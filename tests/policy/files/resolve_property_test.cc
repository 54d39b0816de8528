// Walk() against the kernel: on random trees with links of every kind, a name must lead where
// open(2) ends up, or both must fail. RINGFENCE_SEED repeats a run.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <random>
#include <vector>

#include "base/syscall.h"
#include "policy/files/real_files.h"
#include "policy/files/resolve.h"
#include "tests/support/fake_files.h"
#include "tests/support/mutate.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

constexpr int kTrees = 120;
constexpr int kTreesInMemory = 40;
constexpr int kTextsPerTree = 30;

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  bool OneIn(unsigned n) { return Below(n) == 0; }
  unsigned Below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  // "a/../b//c/.": few different names, so that texts often match the tree.
  std::string Text(unsigned longest) {
    static constexpr std::array<const char*, 8> kNames = {"a", "b", "c", "d", "a", "b", "..", "."};
    std::string text;
    for (unsigned n = 1 + Below(longest); n > 0; --n) {
      if (!text.empty()) text += OneIn(12) ? "//" : "/";
      text += kNames[Below(kNames.size())];
    }
    if (OneIn(10)) text += "/";
    return text;
  }

  std::string Name(unsigned deepest) {
    std::string name;
    for (unsigned n = 1 + Below(deepest); n > 0; --n) {
      name += (name.empty() ? "" : "/") + std::string(1, static_cast<char>('a' + Below(4)));
    }
    return name;
  }

 private:
  std::mt19937 random_;
};

// The same tree twice: on the disk, and in memory under the same names. It is four levels deep for
// each entry, so that no ".." in a text or a link leads out of it.
class World {
 public:
  explicit World(Generator& random) : fake_{{tree_.root(), Directory()}} {
    for (unsigned i = 0; i < 4 * kMostEntries; ++i) top_ += (i == 0 ? "x" : "/x");
    tree_.Directory(top_);
    fake_.Put(tree_.At(top_), Directory());
    for (unsigned n = 4 + random.Below(kMostEntries - 4); n > 0; --n) Add(random);
  }

  std::string At(const std::string& text) const { return tree_.At(top_ + "/" + text); }
  const FakeFiles& fake() const { return fake_; }

 private:
  static constexpr unsigned kMostEntries = 10;

  void Add(Generator& random) {
    const std::string name = random.Name(3);
    if (!IsFree(Path::Clean(At(name)))) return;
    if (random.OneIn(3)) {
      tree_.Directory(top_ + "/" + name);
      fake_.Put(At(name), Directory());
    } else if (random.OneIn(3)) {
      tree_.File(top_ + "/" + name);
      fake_.Put(At(name), File());
    } else {
      const std::string target = random.OneIn(3) ? At(random.Text(3)) : random.Text(4);
      tree_.Link(top_ + "/" + name, target);
      fake_.Put(At(name), LinkTo(target));
    }
  }

  // True if nothing is at the path, and only directories, or nothing, on the way.
  bool IsFree(const Path& path) const {
    if (!Is(path, FileKind::kMissing)) return false;
    for (Path up = path.Parent(); !up.is_root(); up = up.Parent()) {
      if (!Is(up, FileKind::kMissing) && !Is(up, FileKind::kDirectory)) return false;
    }
    return true;
  }

  bool Is(const Path& path, FileKind kind) const {
    const Result<FileFacts> facts = fake_.Look(path);
    return facts && facts->kind == kind;
  }

  TemporaryTree tree_;
  FakeFiles fake_;
  std::string top_;
};

struct Opened {
  int error = 0;  // errno of a failed open(2)
  bool is_new = false;
  std::string path;  // the real path
  struct stat facts {};
};

// Opens the name, or creates the file that a tool would create there.
Opened Open(const std::string& text) {
  Opened opened;
  UniqueFd fd(::open(text.c_str(), O_PATH | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) {
    fd = UniqueFd(::open(text.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    opened.is_new = fd.valid();
  }
  if (!fd.valid()) {
    opened.error = errno;
    return opened;
  }
  opened.path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd.get())).string();
  REQUIRE(::fstat(fd.get(), &opened.facts) == 0);
  if (opened.is_new) ::unlink(opened.path.c_str());
  return opened;
}

// True if a step cannot be continued: a missing name, or a file.
bool HasDeadEnd(const Walked& walked) {
  return std::ranges::any_of(walked.steps, [](const WalkStep& step) {
    return step.kind != FileKind::kDirectory && step.kind != FileKind::kLink;
  });
}

void CheckSame(const Walked& walked, const Opened& opened) {
  CHECK(walked.stop == Walked::Stop::kEnd);
  CHECK(walked.end.text() == opened.path);
  if (opened.is_new) {
    CHECK(walked.facts.kind == FileKind::kMissing);
    return;
  }
  CHECK(walked.facts.inode == opened.facts.st_ino);
  CHECK((walked.facts.kind == FileKind::kDirectory) == S_ISDIR(opened.facts.st_mode));
}

// The kernel refused: the walk must have a reason, too.
void CheckReason(const Walked& walked, const Opened& opened) {
  CAPTURE(ErrnoName(opened.error));
  switch (opened.error) {
    case ELOOP:
      CHECK(walked.stop == Walked::Stop::kLoop);
      break;
    case ENOENT:
    case ENOTDIR:
    case EISDIR:  // a new name with a trailing slash
      CHECK(HasDeadEnd(walked));
      break;
    default:
      FAIL("open: " << ErrnoName(opened.error));
  }
}

}  // namespace

TEST_CASE("walk: on random trees, a name leads where the kernel goes") {
  const uint32_t seed = TestSeed();
  MESSAGE("RINGFENCE_SEED=" << seed);
  Generator random(seed);
  int opened_count = 0;
  int new_count = 0;
  for (int t = 0; t < kTrees; ++t) {
    const World world(random);
    for (int i = 0; i < kTextsPerTree; ++i) {
      const std::string text = world.At(random.Text(6));
      CAPTURE(t);
      CAPTURE(text);
      const Walked walked = Walk(text, RealFiles());
      const Opened opened = Open(text);
      if (opened.error != 0) {
        CheckReason(walked, opened);
        continue;
      }
      CheckSame(walked, opened);
      ++(opened.is_new ? new_count : opened_count);
    }
  }
  CHECK(opened_count > kTrees);  // enough names in the trees exist
  CHECK(new_count > kTrees);
}

TEST_CASE("walk: a tree in memory and the same tree on the disk give the same walk") {
  const uint32_t seed = TestSeed() + 1;
  MESSAGE("RINGFENCE_SEED=" << seed - 1);
  Generator random(seed);
  for (int t = 0; t < kTreesInMemory; ++t) {
    const World world(random);
    for (int i = 0; i < kTextsPerTree; ++i) {
      const std::string text = world.At(random.Text(6));
      CAPTURE(t);
      CAPTURE(text);
      const Walked real = Walk(text, RealFiles());
      const Walked mine = Walk(text, world.fake());
      CHECK(mine.stop == real.stop);
      CHECK(mine.end == real.end);
      CHECK(mine.facts.kind == real.facts.kind);
      CHECK(mine.links == real.links);
      if (real.stop == Walked::Stop::kEnd) CHECK(mine.steps == real.steps);
    }
  }
}

TEST_CASE("walk: looking through links in memory and on the disk gives the same result") {
  Generator random(TestSeed() + 2);
  for (int t = 0; t < kTreesInMemory; ++t) {
    const World world(random);
    for (int i = 0; i < kTextsPerTree; ++i) {
      const Path path = Path::Clean(world.At(random.Name(5)));
      CAPTURE(path.text());
      const Result<FileFacts> real = RealFiles().Look(path);
      const Result<FileFacts> mine = world.fake().Look(path);
      REQUIRE(mine.has_value() == real.has_value());
      if (real) CHECK(mine->kind == real->kind);
    }
  }
}
