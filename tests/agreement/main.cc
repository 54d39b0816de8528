// Compares the hook's decisions with the kernel's over random policies, trees and paths: `ringfence
// run` must allow exactly the writes that the hook permits, and the reads as well if "reads" is
// "listed".
//
//   agreement RINGFENCE PROBE FOLDER PAIRS
//
// RINGFENCE_SEED repeats a run. The last line is "N passed, N failed, N skipped".
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agents/claude/agent.h"
#include "policy/files/real_files.h"
#include "policy/load/context.h"
#include "policy/load/layers.h"
#include "sandbox/backend.h"
#include "tests/agreement/known.h"
#include "tests/agreement/tree.h"
#include "tests/support/mutate.h"

namespace ringfence {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kQuestionsPerWorld = 60;

struct Programs {
  std::string ringfence, probe;
};

constexpr int kUntried = -1;

// The probe's result for one question.
struct Answer {
  int code = 0;
  bool left_behind = false;

  bool refused() const { return code == EACCES || code == EROFS || code == EPERM; }
};

class World {
 public:
  World(const std::string& base, const Programs& programs, RandomPaths& dice)
      : base_(base), programs_(programs), dice_(dice), tree_(base + "/tree", dice) {
    fs::copy_file(programs.probe, tree_.start() + "/probe");
    WritePolicy();
  }

  const Tree& tree() const { return tree_; }
  void Keep() { tree_.Keep(); }
  const std::string& policy_text() const { return policy_text_; }
  bool reads_listed() const { return reads_listed_; }

  Registration registration() const {
    Registration registration{.agent = &ClaudeCode()};
    registration.root = tree_.project();
    registration.home = tree_.home();
    registration.policy = base_ + "/policy.json";
    registration.user = ::geteuid();
    return registration;
  }

  SandboxCommand command() const {
    SandboxCommand command;
    command.argv = {tree_.start() + "/probe"};
    command.cwd = tree_.start();
    return command;
  }

  // Returns the exit status of `ringfence run`; fills `answers`.
  int Run(const std::vector<Question>& questions, std::vector<Answer>& answers) const {
    std::ofstream input(base_ + "/questions");
    for (const Question& q : questions) input << q.operation << ' ' << q.path << '\n';
    input.close();
    const int status = Execute();
    std::ifstream output(base_ + "/answers");
    for (std::string line; std::getline(output, line);) {
      answers.push_back({std::atoi(line.c_str()), line.ends_with(" left")});
    }
    return status;
  }

  std::string errors() const {
    std::ifstream file(base_ + "/errors");
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  void WritePolicy() {
    json policy = tree_.Place(dice_.SomePolicy());
    policy["version"] = 1;
    policy["audit"] = {{"file", base_ + "/log/audit.jsonl"}};
    reads_listed_ = dice_.OneIn(2);
    policy["sandbox"] = {{"reads", reads_listed_ ? "listed" : "all"},
                         {"mode", dice_.OneIn(6) ? "rx" : "sandbox"}};
    Adjust(policy);
    if (policy.contains("profiles")) {
      for (json& profile : policy["profiles"]) Adjust(profile);
    }
    policy_text_ = policy.dump();
    std::ofstream(base_ + "/policy.json") << policy_text_;
  }

  // Lets the probe start. Removes patterns, which open the whole directory that they begin in
  // (`weaker` reports this).
  void Adjust(json& sections) const {
    if (!sections.contains("read") || !sections["read"].contains("allow")) return;
    json fixed = {tree_.start()};
    for (const json& entry : sections["read"]["allow"]) {
      if (entry.get<std::string>().find_first_of("*?[") == std::string::npos) {
        fixed.push_back(entry);
      }
    }
    sections["read"]["allow"] = fixed;
  }

  int Execute() const {
    const pid_t child = ::fork();
    if (child == 0) Exec();
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  [[noreturn]] void Exec() const {
    const std::array<std::pair<const char*, int>, 3> streams = {
        {{"/questions", O_RDONLY},
         {"/answers", O_WRONLY | O_CREAT | O_TRUNC},
         {"/errors", O_WRONLY | O_CREAT | O_TRUNC}}};
    int number = 0;
    for (const auto& [name, flags] : streams) {
      ::dup2(::open((base_ + name).c_str(), flags, 0600), number++);
    }
    if (::chdir(tree_.start().c_str()) != 0) ::_exit(1);
    const std::string policy = base_ + "/policy.json", probe = tree_.start() + "/probe";
    ::execl(programs_.ringfence.c_str(), "ringfence", "run", "--root", tree_.project().c_str(),
            "--home", tree_.home().c_str(), "--policy", policy.c_str(), "--", probe.c_str(),
            nullptr);
    ::_exit(1);
  }

  std::string base_;
  const Programs& programs_;
  RandomPaths& dice_;
  Tree tree_;
  std::string policy_text_;
  bool reads_listed_ = false;
};

struct Counts {
  int pairs = 0;
  int unstarted = 0;
  int nothing = 0;
  int failed = 0;
  std::map<std::string, int> outcomes;
  std::map<std::string, int> known;
};

class Comparison {
 public:
  Comparison(const World& world, Counts& counts) : world_(world), counts_(counts) {}

  // Returns false if the policy lets nothing start.
  bool Run(const std::vector<Question>& questions) {
    const RealFiles disk;
    const Result<Context> context = FindContext(world_.registration(), disk);
    if (!context) return Fail("context: " + context.error().text());
    const Result<Policy> policy = MergePolicies(context->sources, "", context->places, Caller{});
    if (!policy) return Fail("policy: " + policy.error().text());
    const CachedFiles files(disk);
    const HostFacts facts = ProbeHost(policy->sandbox);
    const SandboxCommand command = world_.command();
    const Result<SandboxPlan> plan = MakePlan({*policy, context->places, files, command, facts});
    if (!plan) return false;
    Event event;
    event.cwd = world_.tree().start();
    const Surroundings around{*policy, context->places, files};
    // Decides everything before the kernel runs: decisions must not see the probe's traces.
    std::vector<Case> cases;
    for (const Question& question : questions) {
      Case one{around, *plan, event, question, Walk(question.path, disk)};
      if (IsMeant(one)) cases.push_back(std::move(one));
    }
    std::vector<bool> permits;
    for (const Case& c : cases) permits.push_back(c.HookPermits(c.question.path));
    return Compare(cases, permits);
  }

 private:
  bool Fail(const std::string& why) {
    ++counts_.failed;
    std::printf("FAIL %s\n", why.c_str());
    if (!said_policy_) std::printf("  policy: %s\n", world_.policy_text().c_str());
    said_policy_ = true;
    return true;
  }

  // Skips directories, which have no decision, and reads of missing files.
  static bool IsMeant(const Case& c) {
    if (c.walked.stop != Walked::Stop::kEnd) return false;
    const FileKind kind = c.walked.facts.kind;
    return kind == FileKind::kFile || (c.access() == Access::kWrite && kind == FileKind::kMissing);
  }

  bool Compare(std::vector<Case>& cases, const std::vector<bool>& permits) {
    std::vector<Question> questions;
    for (const Case& c : cases) questions.push_back(c.question);
    const auto before = world_.tree().Look();
    std::vector<Answer> answers;
    const int status = world_.Run(questions, answers);
    if (status == kSetupFailed && world_.errors().find("chdir(") != std::string::npos) return false;
    if (status != 0 || answers.size() != cases.size()) {
      return Fail("status " + std::to_string(status) + ": " + world_.errors());
    }
    for (size_t i = 0; i < cases.size(); ++i) {
      cases[i].code = answers[i].code;
      CompareOne(cases[i], permits[i], answers[i]);
    }
    CompareTrees(cases.front().plan, before, world_.tree().Look());
    return true;
  }

  void CompareTrees(const SandboxPlan& plan, const std::map<std::string, std::string>& before,
                    const std::map<std::string, std::string>& after) {
    const auto is_made = [&plan](const std::string& path) {
      // The launcher and the egress proxy write there, outside of the sandbox.
      for (const Path& folder : plan.state_folders) {
        if (folder.IsInside(Path::Clean(path))) return true;
      }
      if (plan.log_file.IsInside(Path::Clean(path))) return true;
      if (path.find("/.local/state/ringfence/proxy/") != std::string::npos) return true;
      return std::ranges::any_of(plan.writable, [&path](const PlannedPlace& place) {
        return place.make && place.path.IsInside(Path::Clean(path));
      });
    };
    for (const auto& [path, about] : before) {
      if (!after.contains(path)) Fail("gone: " + path);
    }
    for (const auto& [path, about] : after) {
      const auto found = before.find(path);
      if (found == before.end()) {
        if (!is_made(path)) Fail("came to be: " + path);
      } else if (found->second != about) {
        Fail("changed: " + path + ": " + found->second + ", now " + about);
      }
    }
  }

  void CompareOne(const Case& c, bool permits, const Answer& answer) {
    if (answer.left_behind) Fail("could not undo " + Text(c));
    const bool says_nothing = answer.code != 0 && !answer.refused() && !permits;
    if (says_nothing || answer.code == kUntried) {
      ++counts_.nothing;
      return;
    }
    ++counts_.pairs;
    const bool kernel = answer.code == 0;
    ++counts_.outcomes[std::string(c.access() == Access::kRead ? "read" : "write") +
                       (kernel ? " permitted" : " refused")];
    if (permits == kernel) return;
    for (const Difference& difference : KnownDifferences()) {
      if (difference.hook_permits != permits || !difference.is(c)) continue;
      ++counts_.known[difference.name];
      return;
    }
    const Decision decision = DecidePath(c.event, c.question.path, c.access(), c.around);
    Fail(Text(c) + "\n  hook: " + (permits ? "permits" : ReasonText(decision, "")) +
         "\n  kernel: " + ::strerror(answer.code));
  }

  static std::string Text(const Case& c) {
    return std::string(1, c.question.operation) + " " + c.question.path + " (" +
           c.walked.end.text() + ")";
  }

  const World& world_;
  Counts& counts_;
  bool said_policy_ = false;
};

int Finish(const Counts& counts) {
  for (const auto& [name, count] : counts.outcomes) std::printf("%d %s\n", count, name.c_str());
  for (const auto& [name, count] : counts.known) std::printf("%d %s\n", count, name.c_str());
  std::printf("%d nothing there, %d worlds in which nothing may start\n", counts.nothing,
              counts.unstarted);
  int unseen = 0;
  for (const Difference& difference : KnownDifferences()) {
    if (counts.known.contains(difference.name)) continue;
    std::printf("FAIL does not occur any more: %s\n", difference.name);
    ++unseen;
  }
  const int failed = counts.failed + unseen;
  std::printf("%d passed, %d failed, 0 skipped\n", failed == 0 ? 1 : 0, failed);
  return failed == 0 ? 0 : 1;
}

int Main(char** argv) {
  const Programs programs{argv[1], argv[2]};
  const std::string folder = argv[3];
  const int wanted = std::atoi(argv[4]);
  const uint32_t seed = TestSeed();
  std::printf("RINGFENCE_SEED=%u\n", seed);
  RandomPaths dice(seed);
  Counts counts;
  while (counts.pairs < wanted && counts.failed == 0) {
    World world(folder, programs, dice);
    std::vector<Question> questions;
    for (int i = 0; i < kQuestionsPerWorld; ++i) {
      questions.push_back(world.tree().Ask(world.reads_listed()));
    }
    if (!Comparison(world, counts).Run(questions)) ++counts.unstarted;
    if (counts.failed != 0) world.Keep();
  }
  return Finish(counts);
}

}  // namespace
}  // namespace ringfence

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  return ringfence::Main(argv);
}
