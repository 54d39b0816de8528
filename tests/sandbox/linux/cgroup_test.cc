// The run's own cgroup: found, configured, entered and removed. Testing the kernel's enforcement of
// the limits needs a hierarchy with controllers.
#include "sandbox/linux/cgroup.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "base/syscall.h"
#include "tests/support/corpora.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

bool IsThere(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// A directory with the files of a cgroup.
void MakeFake(const TemporaryTree& tree, const std::string& folder, const char* controllers) {
  tree.File(folder + "/cgroup.procs");
  tree.File(folder + "/cgroup.subtree_control", controllers);
}

// A real cgroup for one test; empty if this machine has no writable hierarchy.
class RealParent {
 public:
  RealParent() {
    for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
      struct statfs facts {};
      if (::statfs(mount, &facts) != 0 || facts.f_type != CGROUP2_SUPER_MAGIC) continue;
      std::string folder = std::string(mount) + "/ringfence-test-" + std::to_string(::getpid());
      if (::mkdir(folder.c_str(), 0755) == 0) path = std::move(folder);
      return;
    }
  }
  RealParent(const RealParent&) = delete;
  RealParent& operator=(const RealParent&) = delete;
  ~RealParent() {
    if (!path.empty()) ::rmdir(path.c_str());
  }
  std::string path;
};

// Starts a child in the cgroup, with its own child; it waits to be killed.
pid_t StartIn(const Cgroup& cgroup) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  if (!EnterCgroup(cgroup.entry()) || ::fork() < 0) ::_exit(1);
  for (;;) ::pause();
}

}  // namespace

TEST_CASE("cgroup: there are four limits for all processes together") {
  CHECK_FALSE(SandboxRules{}.limits_together());
  SandboxRules memory;
  SandboxRules processes;
  SandboxRules cpus;
  SandboxRules io;
  memory.memory = 1;
  processes.processes = 1;
  cpus.cpus = 1;
  io.io = 1;
  for (const SandboxRules& rules : {memory, processes, cpus, io}) CHECK(rules.limits_together());
}

TEST_CASE("cgroup: a policy's limits determine the wanted controllers") {
  CHECK(WantedControllers({}).empty());
  SandboxRules rules;
  rules.memory = 1;
  rules.cpus = 1;
  CHECK(WantedControllers(rules) == std::vector<std::string>{"memory", "cpu"});
  rules.processes = 1;
  rules.io = 1;
  CHECK(WantedControllers(rules) == std::vector<std::string>{"memory", "pids", "cpu", "io"});
}

TEST_CASE("cgroup: the nearest ancestor that delegates all wanted controllers is used") {
  struct Row {
    std::string_view name;
    std::vector<std::string> wanted;
    const char* want;  // below the mount; nullptr if none is found
  };
  // The same layout as systemd's: the user's manager delegates all, a desktop's terminal runs below
  // app.slice.
  const TemporaryTree tree;
  MakeFake(tree, ".", "cpu io memory pids\n");
  MakeFake(tree, "user", "cpu memory pids\n");
  MakeFake(tree, "user/app", "memory pids\n");
  MakeFake(tree, "user/app/term", "\n");
  const Row kRows[] = {
      {"all that is wanted is near", {"memory", "pids"}, "/user/app"},
      {"one of them is further up", {"memory", "cpu"}, "/user"},
      {"further up still", {"io"}, ""},
      {"the most is taken, and the nearest of those", {"memory", "hugetlb"}, "/user/app"},
      {"nothing is wanted", {}, nullptr},
      {"nobody has it", {"hugetlb"}, nullptr},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const Delegation found = FindDelegation("0::/user/app/term\n", tree.root(), row.wanted);
    CHECK(found.folder == (row.want == nullptr ? "" : tree.root() + row.want));
  }
}

TEST_CASE("cgroup: the search goes from the own cgroup upwards") {
  struct Row {
    std::string_view name;
    const char* own;   // /proc/self/cgroup
    const char* want;  // below the mount; nullptr if none is found
  };
  static constexpr Row kRows[] = {
      {"its own has processes and gives nothing", "0::/user/app/term\n", "/user/app"},
      {"further up", "0::/user/other/term\n", "/user"},
      {"lines of version 1 are left out", "4:memory:/x\n1:name=systemd:/y\n0::/user/app/term\n",
       "/user/app"},
      {"one that cannot be written ends the way up", "0::/user/closed/term\n", nullptr},
      {"nothing is given anywhere", "0::/bare\n", nullptr},
      {"outside of the own namespace", "0::/../x\n", nullptr},
      {"version 1 alone", "4:memory:/user/app\n", nullptr},
      {"nothing", "", nullptr},
  };
  const TemporaryTree tree;
  MakeFake(tree, ".", "");
  MakeFake(tree, "bare", "");
  MakeFake(tree, "user", "memory pids\n");
  for (const char* leaf : {"app/term", "other/term", "other"}) {
    MakeFake(tree, "user/" + std::string(leaf), "\n");
  }
  MakeFake(tree, "user/app", "cpu memory pids\n");
  MakeFake(tree, "user/closed/term", "");  // user/closed has no cgroup.procs
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const Delegation found = FindDelegation(row.own, tree.root(), {"memory", "pids"});
    CHECK(found.folder == (row.want == nullptr ? "" : tree.root() + row.want));
  }
  CHECK(FindDelegation("0::/user/app/term\n", tree.root(), {"cpu"}).controllers ==
        std::vector<std::string>{"cpu", "memory", "pids"});
}

TEST_CASE("cgroup: limits are written in the kernel's format") {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  PlannedLimits limits{.memory = uint64_t{8} << 30,
                       .processes = 512,
                       .cpus = 2.5,
                       .io = 1500,
                       .cgroup = "/x",
                       .controllers = {"memory", "pids", "cpu", "io"},
                       .disks = {"8:0", "259:0"}};
  CHECK(CgroupSettings(limits) == Settings{{"memory.max", "8589934592"},
                                           {"memory.swap.max", "0"},
                                           {"pids.max", "513"},
                                           {"cpu.max", "250000 100000"},
                                           {"io.max", "8:0 rbps=1500 wbps=1500"},
                                           {"io.max", "259:0 rbps=1500 wbps=1500"}});
  limits.cpus = 0.001;
  limits.controllers = {"cpu"};
  CHECK(CgroupSettings(limits) == Settings{{"cpu.max", "1000 100000"}});
  limits.controllers.clear();
  CHECK(CgroupSettings(limits).empty());
}

TEST_CASE("cgroup: a rejected limit is an error, and nothing is left") {
  const TemporaryTree tree;
  const PlannedLimits limits{.memory = 1 << 20, .cgroup = tree.root(), .controllers = {"memory"}};
  const Result<Cgroup> cgroup = Cgroup::Make(limits);
  REQUIRE_FALSE(cgroup.has_value());
  CHECK(cgroup.error().text() == "open(memory.max): ENOENT");
  CHECK_FALSE(IsThere(tree.At("ringfence-" + std::to_string(::getpid()))));
  CHECK_FALSE(Cgroup::Make({.cgroup = tree.At("missing")}).has_value());
}

TEST_CASE("cgroup: leftovers of killed launchers are removed, and nothing else") {
  const TemporaryTree tree;
  for (const char* name : {"ringfence-1", "ringfence-2", "other"}) tree.Directory(name);
  const UniqueFd held(::open(tree.At("ringfence-2").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(::flock(held.get(), LOCK_EX) == 0);
  [[maybe_unused]] const Result<Cgroup> cgroup = Cgroup::Make({.cgroup = tree.root()});
  CHECK_FALSE(IsThere(tree.At("ringfence-1")));
  CHECK(IsThere(tree.At("ringfence-2")));
  CHECK(IsThere(tree.At("other")));
}

TEST_CASE("cgroup: without a parent there is no cgroup, and entering does nothing") {
  const Result<Cgroup> cgroup = Cgroup::Make({});
  REQUIRE(cgroup.has_value());
  CHECK_FALSE(cgroup->entry().valid());
  CHECK(EnterCgroup(cgroup->entry()).has_value());
}

TEST_CASE("cgroup: a process that enters is in it with its children, and ends with it") {
  const RealParent parent;
  if (parent.path.empty()) {
    MESSAGE("skipped: there is no cgroup v2 hierarchy that may be written");
    return;
  }
  const std::string own = parent.path + "/ringfence-" + std::to_string(::getpid());
  pid_t pid = -1;
  {
    const Result<Cgroup> cgroup = Cgroup::Make({.cgroup = parent.path});
    REQUIRE(cgroup.has_value());
    CHECK(IsThere(own));
    pid = StartIn(*cgroup);
    REQUIRE(pid > 0);
    const auto count = [&] {
      return std::ranges::count(ReadWholeFile(own + "/cgroup.procs"), '\n');
    };
    while (count() < 2 && ::waitpid(pid, nullptr, WNOHANG) == 0) ::usleep(1000);
    CHECK(count() == 2);
  }
  int status = 0;
  CHECK(::waitpid(pid, &status, 0) == pid);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGKILL);
  CHECK_FALSE(IsThere(own));
}
