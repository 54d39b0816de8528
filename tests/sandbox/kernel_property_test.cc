// Decisions against the kernel: on random trees with links, a permitted path is inside an allowed
// directory when the kernel opens it, and a path that the kernel opens inside is not called
// outside. RINGFENCE_SEED repeats a run.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <random>

#include "base/unique_fd.h"
#include "policy/files/real_files.h"
#include "tests/support/mutate.h"
#include "tests/support/temporary_tree.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

namespace fs = std::filesystem;

constexpr int kTrees = 60;
constexpr int kTextsPerTree = 40;

class Dice {
 public:
  explicit Dice(uint32_t seed) : random_(seed) {}
  bool OneIn(unsigned n) { return Below(n) == 0; }
  unsigned Below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  std::string Name(unsigned deepest) {
    std::string name;
    for (unsigned n = 1 + Below(deepest); n > 0; --n) {
      name += (name.empty() ? "" : "/") + std::string(1, static_cast<char>('a' + Below(4)));
    }
    return name;
  }

  // "a/../b//./c": few different names, so that texts often match the tree.
  std::string Text(unsigned longest) {
    static constexpr std::array<const char*, 9> kNames = {"a", "b",  "c",  "d", "a",
                                                          "b", "..", "..", "."};
    std::string text;
    for (unsigned n = 1 + Below(longest); n > 0; --n) {
      if (!text.empty()) text += OneIn(12) ? "//" : "/";
      text += kNames[Below(kNames.size())];
    }
    return text;
  }

 private:
  std::mt19937 random_;
};

// A project, a readable directory beside it, and an unreadable one, in a tree so deep that no ".."
// climbs out of it.
class Disk {
 public:
  explicit Disk(Dice& dice) : dice_(dice) {
    for (int i = 0; i < 30; ++i) top_ += (i == 0 ? "x" : "/x");
    for (const char* folder : {"project/a", "shared/a", "other/a"}) Folder(folder);
    for (unsigned n = 6 + dice.Below(10); n > 0; --n) Add();
    world_.MoveHome(At("home"), At("home"));
    world_.MoveRoot(At("project"), At("project"));
    world_.User(R"("read":{"allow":[".",")" + At("shared") + R"("],"ask":[],"deny":["d"]},
                   "write":{"allow":["."],"ask":[],"deny":["d"]})");
  }

  std::string At(const std::string& name) const { return tree_.At(top_ + "/" + name); }
  World& world() { return world_; }

  // A path as an agent might write it: relative to a directory of the project, or absolute.
  std::string SomeText() {
    static constexpr std::array<const char*, 4> kFolders = {"project", "project", "shared",
                                                            "other"};
    std::string folder = kFolders[dice_.Below(kFolders.size())];
    if (dice_.OneIn(2)) return At(folder + "/" + dice_.Text(6));
    world_.cwd = At("project");
    if (dice_.OneIn(3)) *world_.cwd += "/" + dice_.Text(2);
    return dice_.Text(6);
  }

  std::string Absolute(const std::string& text) const {
    return text.starts_with('/') ? text : *world_.cwd + "/" + text;
  }

 private:
  void Folder(const std::string& name) const { fs::create_directories(At(name)); }

  void Add() {
    static constexpr std::array<const char*, 5> kFolders = {"project", "project", "project",
                                                            "shared", "other"};
    const std::string folder = kFolders[dice_.Below(kFolders.size())];
    const std::string name = folder + "/" + dice_.Name(3);
    std::error_code error;
    const fs::path parent = fs::path(At(name)).parent_path();
    fs::create_directories(parent, error);
    if (error || fs::symlink_status(At(name)).type() != fs::file_type::not_found) return;
    // Skips paths through links, which would put the new entry elsewhere.
    if (fs::canonical(parent) != parent) return;
    if (dice_.OneIn(4)) return Folder(name);
    if (dice_.OneIn(3)) return tree_.File(top_ + "/" + name);
    const std::string target =
        dice_.OneIn(3)
            ? At(std::string(kFolders[dice_.Below(kFolders.size())]) + "/" + dice_.Text(2))
            : dice_.Text(4);
    fs::create_symlink(target, At(name), error);
  }

  Dice& dice_;
  TemporaryTree tree_;
  std::string top_;
  World world_;
};

// The real path when the kernel opens `text` for a tool, or "" if the kernel refuses. A writing
// tool creates the parent directories, which stay; the new file is removed again.
std::string Opened(const std::string& text, bool may_make) {
  UniqueFd fd(::open(text.c_str(), O_PATH | O_CLOEXEC));
  bool is_new = false;
  if (!fd.valid() && may_make) {
    std::error_code ignored;
    fs::create_directories(fs::path(text).parent_path(), ignored);
    fd = UniqueFd(::open(text.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
    is_new = fd.valid();
  }
  if (!fd.valid()) return "";
  const std::string path = fs::read_symlink("/proc/self/fd/" + std::to_string(fd.get())).string();
  if (is_new) ::unlink(path.c_str());
  return path;
}

bool IsIn(const std::string& path, const std::string& folder) {
  return Path::Clean(path).IsInside(Path::Clean(folder));
}

struct Ends {
  std::string lexical, physical;  // "" if the kernel refused
};

Ends EndsOf(const Disk& disk, const std::string& text, bool may_make) {
  const std::string absolute = disk.Absolute(text);
  return {Opened(Path::Clean(absolute).text(), may_make), Opened(absolute, may_make)};
}

bool IsAllowed(const Disk& disk, const std::string& end, bool write) {
  if (IsIn(end, disk.At("project"))) return true;
  return !write && IsIn(end, disk.At("shared"));
}

// True at or below "d", which is denied, and at or below the target of its link.
bool IsDenied(const Disk& disk, const std::string& end) {
  const std::string denied = disk.At("project/d");
  const std::string leads = Opened(denied, true);
  return IsIn(end, denied) || (!leads.empty() && IsIn(end, leads));
}

struct Counts {
  int permitted = 0;
  int refused = 0;
};

void CheckOne(Disk& disk, const std::string& text, bool write, Counts& counts) {
  const std::string_view tool = write ? "Write" : "Read";
  const Event event = disk.world().EventOf(tool, PathInput(text));
  const Decision decision = disk.world().Decide(event, RealFiles());
  const Ends ends = EndsOf(disk, text, write);
  CAPTURE(tool);
  CAPTURE(text);
  CAPTURE(disk.world().cwd.value_or(""));
  CAPTURE(ends.lexical);
  CAPTURE(ends.physical);
  CAPTURE(ReasonText(decision, ""));
  if (decision.verdict == Verdict::kPermit) {
    ++counts.permitted;
    for (const std::string& end : {ends.lexical, ends.physical}) {
      if (end.empty()) continue;  // nothing is opened
      CHECK(IsAllowed(disk, end, write));
      CHECK_FALSE(IsDenied(disk, end));
    }
    return;
  }
  ++counts.refused;
  if (ends.lexical.empty() || ends.physical.empty()) return;
  const bool inside = IsAllowed(disk, ends.lexical, write) && IsAllowed(disk, ends.physical, write);
  if (!inside) return;
  // Inside in both readings: the reason must be the denied name, as written or on the way.
  CHECK(decision.cause->why.find("denied by \"d\"") != std::string::npos);
}

}  // namespace

TEST_CASE("kernel: a permitted path is inside, and a path inside is not called outside") {
  const uint32_t seed = TestSeed();
  MESSAGE("RINGFENCE_SEED=" << seed);
  Dice dice(seed);
  Counts counts;
  for (int t = 0; t < kTrees; ++t) {
    Disk disk(dice);
    CAPTURE(t);
    for (int i = 0; i < kTextsPerTree; ++i) {
      const std::string text = disk.SomeText();
      CheckOne(disk, text, dice.OneIn(2), counts);
    }
  }
  CHECK(counts.permitted > kTrees * 5);
  CHECK(counts.refused > kTrees * 5);
}

TEST_CASE("kernel: the same for a project and a home reached through links") {
  const uint32_t seed = TestSeed() + 1;
  MESSAGE("RINGFENCE_SEED=" << seed - 1);
  Dice dice(seed);
  Counts counts;
  for (int t = 0; t < kTrees / 2; ++t) {
    Disk disk(dice);
    fs::create_symlink("project", disk.At("entry"));
    disk.world().MoveRoot(disk.At("entry"), disk.At("project"));
    CAPTURE(t);
    for (int i = 0; i < kTextsPerTree; ++i) {
      disk.SomeText();  // sets a working directory
      const std::string text = disk.At("entry/" + dice.Text(5));
      CheckOne(disk, text, dice.OneIn(2), counts);
    }
  }
  CHECK(counts.permitted > kTrees);
  CHECK(counts.refused > kTrees);
}

TEST_CASE("kernel: a search starts where the kernel opens the directory") {
  const uint32_t seed = TestSeed() + 2;
  MESSAGE("RINGFENCE_SEED=" << seed - 2);
  Dice dice(seed);
  int permitted = 0;
  for (int t = 0; t < kTrees / 2; ++t) {
    Disk disk(dice);
    for (int i = 0; i < kTextsPerTree; ++i) {
      const std::string text = disk.SomeText();
      const std::string input = R"({"pattern":"x","path":")" + text + "\"}";
      const Event event = disk.world().EventOf("Grep", input);
      const Decision decision = disk.world().Decide(event, RealFiles());
      if (decision.verdict != Verdict::kPermit) continue;
      const Ends ends = EndsOf(disk, text, false);
      CAPTURE(text);
      for (const std::string& end : {ends.lexical, ends.physical}) {
        if (end.empty()) continue;
        ++permitted;
        CHECK(IsAllowed(disk, end, false));
        CHECK_FALSE(IsDenied(disk, end));
        const bool meets_denied = end == disk.At("project") && fs::exists(end + "/d");
        CHECK_FALSE(meets_denied);
      }
    }
  }
  CHECK(permitted > kTrees);
}
