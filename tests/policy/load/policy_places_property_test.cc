// Contexts reached through links: on random layouts of a home, a project and ringfence's own
// directories, an existing policy is read, a missing one is absent, and only a dangling link under
// one of ringfence's own names is an error. The place is protected as written and as resolved.
// RINGFENCE_SEED repeats a run.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "agents/claude/agent.h"
#include "policy/files/real_files.h"
#include "policy/load/sources.h"
#include "tests/support/mutate.h"
#include "tests/support/temporary_tree.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace fs = std::filesystem;

namespace {

constexpr int kLayouts = 80;
constexpr const char* kPolicy = R"({"version":1})";

// Kinds of directories that Make() creates: a plain one, a link to one elsewhere, or a link to
// nothing.
enum class How { kPlain, kLinked, kTwiceLinked, kNowhere, kMissing };

class Layout {
 public:
  explicit Layout(uint32_t seed) : random_(seed) {
    Make("var/home", How::kPlain);
    Make("home", Some(false));              // /home -> /var/home
    Make("home/dev", Some(false));          // a home on another disk
    Make("home/dev/.config", Some(true));   // -> dotfiles/config
    Make("home/dev/.local", Some(true));    // -> dotfiles/local
    Make("home/dev/project", Some(false));  // a project behind a link
    Make("home/dev/project/src", How::kPlain);
    Make("home/dev/.config/ringfence", Any());
    Make("home/dev/project/.ringfence", Any());
    File("home/dev/.config/ringfence/policy.json");
    File("home/dev/project/.ringfence/policy.json");
  }

  std::string At(const std::string& name) const { return tree_.At(name); }

 private:
  unsigned Below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  How Some(bool may_dangle) {
    const unsigned n = Below(6);
    if (n == 0 && may_dangle) return How::kNowhere;
    if (n == 1 && may_dangle) return How::kMissing;
    return n < 3 ? How::kPlain : n < 5 ? How::kLinked : How::kTwiceLinked;
  }
  How Any() { return static_cast<How>(Below(5)); }

  void Make(const std::string& name, How how) {
    std::error_code failure;
    const fs::path parent = fs::canonical(fs::path(tree_.At(name)).parent_path(), failure);
    if (failure) return;  // a parent is a dangling link
    const std::string path = (parent / fs::path(name).filename()).string();
    const std::string target = "real-" + std::to_string(++count_);
    switch (how) {
      case How::kMissing:
        return;
      case How::kPlain:
        fs::create_directories(path);
        return;
      case How::kNowhere:
        fs::create_symlink("gone/" + target, path);
        return;
      case How::kTwiceLinked:
        fs::create_directories(parent / "elsewhere" / target);
        fs::create_symlink("elsewhere/" + target, parent / ("l-" + target));
        fs::create_symlink((parent / ("l-" + target)).string(), path);
        return;
      case How::kLinked:
        fs::create_directories(parent / "elsewhere" / target);
        fs::create_symlink("elsewhere/" + target, path);
        return;
    }
  }

  // Creates a file, nothing, a link to a file, or a dangling link.
  void File(const std::string& name) {
    const std::string path = tree_.At(name);
    struct stat facts {};
    if (::stat(fs::path(path).parent_path().c_str(), &facts) != 0) return;
    const std::string target = path + ".real";
    const unsigned n = Below(5);
    if (n < 2) return;
    if (n == 2) return tree_.File(name, kPolicy);
    if (n == 3) tree_.File(name + ".real", kPolicy);
    fs::create_symlink(target, path);
  }

  TemporaryTree tree_;
  std::mt19937 random_;
  int count_ = 0;
};

enum class Want { kRead, kAbsent, kError };

Want WantOf(const std::string& policy) {
  struct stat facts {};
  if (::stat(policy.c_str(), &facts) == 0) return Want::kRead;
  if (fs::is_symlink(fs::symlink_status(policy))) return Want::kError;
  const fs::path folder = fs::path(policy).parent_path();
  const bool leads_nowhere = fs::is_symlink(fs::symlink_status(folder)) && !fs::exists(folder);
  return leads_nowhere ? Want::kError : Want::kAbsent;
}

Result<PolicySources> Read(const Layout& layout, Places& places) {
  Registration registration{.agent = &ClaudeCode()};
  registration.project_dir = layout.At("home/dev/project");
  registration.home_variable = layout.At("home/dev");
  registration.user = ::geteuid();
  const Result<Places> found = FindPlaces(registration, RealFiles());
  REQUIRE(found.has_value());
  places = *found;
  return ReadPolicySources("", places, RealFiles());
}

// Checks that the policy stays protected whatever an allow list says.
void CheckProtected(const Places& places, const std::string& policy) {
  World world;
  world.places = places;
  world.cwd = places.root.text();
  world.User(R"("write":{"allow":["/"],"ask":[]})");
  std::error_code failure;
  const std::string folder = fs::path(policy).parent_path().string();
  for (const std::string& path :
       {policy, folder + "/x", folder, fs::weakly_canonical(policy, failure).string(),
        fs::weakly_canonical(folder, failure).string() + "/policy.json"}) {
    CAPTURE(path);
    const Event event = world.EventOf("Write", PathInput(path));
    CHECK(VerdictName(world.Decide(event, RealFiles()).verdict) == "deny");
  }
}

}  // namespace

TEST_CASE("policy places: a missing policy behind links is absent") {
  const uint32_t seed = TestSeed();
  CAPTURE(seed);
  int errors = 0;
  int absent = 0;
  for (int i = 0; i < kLayouts; ++i) {
    CAPTURE(i);
    const Layout layout(seed + static_cast<uint32_t>(i));
    const std::string user = layout.At("home/dev/.config/ringfence/policy.json");
    const std::string project = layout.At("home/dev/project/.ringfence/policy.json");
    const Want wants[] = {WantOf(user), WantOf(project)};
    CAPTURE(user);
    Places places{.agent = &ClaudeCode()};
    const Result<PolicySources> sources = Read(layout, places);
    const bool is_error = wants[0] == Want::kError || wants[1] == Want::kError;
    CAPTURE((sources ? "" : sources.error().text()));
    CHECK(sources.has_value() == !is_error);
    if (is_error) {
      CHECK(sources.error().text().find("a dangling symbolic link") != std::string::npos);
      ++errors;
      continue;
    }
    absent += wants[0] == Want::kAbsent ? 1 : 0;
    const auto count = [&](Layer layer) {
      return std::ranges::count(sources->sources, layer, &PolicySource::layer);
    };
    CHECK(count(Layer::kUser) == (wants[0] == Want::kRead ? 1 : 0));
    CHECK(count(Layer::kProject) == (wants[1] == Want::kRead ? 1 : 0));
    CheckProtected(places, user);
    CheckProtected(places, project);
  }
  CHECK(errors > 0);
  CHECK(absent > 0);
}
