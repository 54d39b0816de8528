// The Seatbelt profile against the hook: over random policies, trees and paths, the evaluator
// (sbpl.h) decides about a write as the hook does. RINGFENCE_SEED repeats a run.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "base/case_fold.h"
#include "policy/decide.h"
#include "policy/files/git_files.h"
#include "policy/rules/pattern.h"
#include "sandbox/render.h"
#include "tests/support/mutate.h"
#include "tests/support/random_paths.h"
#include "tests/support/sbpl.h"
#include "tests/support/world.h"

using namespace ringfence;
using nlohmann::json;

namespace {

constexpr int kWorlds = 150;
constexpr int kPathsPerWorld = 40;

// A project in a home, as on a Mac, with links. World holds places and policies; its own files are
// those of Linux.
struct Mac {
  World world;
  FakeFiles files{{{"/home/dev/project", Directory()},
                   {"/private/tmp", Directory()},
                   {"/private/etc", Directory()},
                   {"/tmp", LinkTo("private/tmp")},
                   {"/etc", LinkTo("private/etc")},
                   {"/srv", Directory()}},
                  LetterCase::kIgnored};
};

void Fill(Mac& mac, RandomPaths& dice) {
  static constexpr const char* kTargets[] = {
      "/srv", "a", "../b", "/home/dev/project/a/b", "/tmp/t", "none/n", "/home/dev"};
  for (unsigned n = 4 + dice.Below(12); n > 0; --n) {
    static constexpr const char* kTops[] = {"/home/dev/project/", "/home/dev/project/",
                                            "/home/dev/", "/srv/"};
    std::string path = dice.One(kTops) + dice.Name();
    for (unsigned depth = dice.Below(3); depth > 0; --depth) path += "/" + dice.Name();
    const Result<FileFacts> there = mac.files.Look(Path::Clean(path));
    const Walked walked = Walk(Path::Clean(path).Parent().text(), mac.files);
    const bool is_free =
        there && there->kind == FileKind::kMissing && walked.links.empty() &&
        (walked.facts.kind == FileKind::kDirectory || walked.facts.kind == FileKind::kMissing);
    if (!is_free) continue;
    if (dice.OneIn(3)) {
      mac.files.Put(path, Directory());
    } else {
      mac.files.Put(path, dice.OneIn(8) ? File().Links(2) : File());
    }
  }
  if (dice.OneIn(2)) mac.files.Put("/home/dev/project/l", LinkTo(dice.One(kTargets)));
  if (dice.OneIn(3)) mac.files.Put("/home/dev/project/link", LinkTo(dice.One(kTargets)));
}

// One question, and the facts about it.
struct Case {
  const Mac& mac;
  const Policy& policy;
  const SandboxPlan& plan;
  const Event& event;
  Path named;
  Walked walked;

  bool HookPermits(const std::string& path) const {
    const Decision decision =
        DecidePath(event, path, Access::kWrite, {policy, mac.world.places, CachedFiles(mac.files)});
    return !decision.failure && decision.verdict == Verdict::kPermit;
  }
};

// Known differences between the hook's and the profile's decisions, each with its reason. Any other
// difference is a failure.
struct Difference {
  const char* name;
  bool hook_permits;
  bool (*is)(const Case&);
};

constexpr Difference kKnown[] = {
    {"the kernel asks about the end of a path only; the hook also about each name on the way",
     false,
     [](const Case& c) { return c.walked.end != c.named && c.HookPermits(c.walked.end.text()); }},
    {"the hook asks about a file of several names; the kernel sees one", false,
     [](const Case& c) {
       return c.walked.facts.links > 1 && c.walked.facts.kind == FileKind::kFile;
     }},
    {"which folder becomes a bare repository is seen by the hook only", false,
     [](const Case& c) {
       return !c.plan.names.bare_why().empty() &&
              MakesRepository(c.walked, CachedFiles(c.mac.files));
     }},
    {"a folder of this name would give what is in it a refused name; the hook asks about files",
     true, [](const Case& c) { return !c.plan.names.RefusesTree(c.walked.end.text()).empty(); }},
    {"where KELVIN SIGN, LONG S or a composed letter could be meant, any character beyond ASCII is",
     true,
     [](const Case& c) {
       return std::ranges::any_of(c.walked.end.text(),
                                  [](char b) { return static_cast<unsigned char>(b) >= 0x80; });
     }},
    {"below a file there is nothing; the hook does not ask", true,
     [](const Case& c) {
       return std::ranges::any_of(c.plan.writable, [&c](const PlannedPlace& place) {
         return place.kind == PlannedPlace::Kind::kFile && c.walked.end.IsInside(place.path);
       });
     }},
    {"what may be written and not read is not writable in a plan", true,
     [](const Case& c) {
       return std::ranges::any_of(c.plan.hidden, [&c](const HiddenPlace& place) {
         return c.walked.end.IsInside(place.path);
       });
     }},
    {"OPEN: beside a pattern, a link that the command can replace counts as an allowed place",
     false,
     [](const Case& c) {
       const CachedFiles files(c.mac.files);
       const auto is_link = [&files](const char* name) {
         const Result<FileFacts> facts = files.Look(Path::Clean(name));
         return facts && facts->kind == FileKind::kLink;
       };
       return !c.plan.names.allow_only().empty() &&
              (is_link("/home/dev/project/l") || is_link("/home/dev/project/link"));
     }},
    {"OPEN: no place that a pattern begins in is writable", true,
     [](const Case& c) {
       return !c.plan.names.allow_only().empty() &&
              std::ranges::none_of(c.plan.writable, [&c](const PlannedPlace& place) {
                return c.walked.end.IsInside(place.path);
              });
     }},
    {"OPEN: rules near writable places are chosen with regard to letter case", false,
     [](const Case& c) {
       // The same name in lower case is refused.
       return c.plan.names.Refuses(FoldName(c.walked.end.text())) == nullptr &&
              c.walked.end.text() != FoldName(c.walked.end.text());
     }},
};

bool IsKnown(const Case& c, bool hook_permits, std::map<std::string, int>& seen) {
  for (const Difference& difference : kKnown) {
    if (difference.hook_permits != hook_permits || !difference.is(c)) continue;
    ++seen[difference.name];
    return true;
  }
  return false;
}

struct Counts {
  int permitted = 0;
  int refused = 0;
  std::map<std::string, int> known;
};

SandboxCommand CommandIn(const World& world) {
  SandboxCommand command;
  command.argv = {"make"};
  command.cwd = world.places.root_real.text();
  command.environment = {"PATH=/usr/bin:/bin", "HOME=/home/dev"};
  command.session = world.session;
  return command;
}

// Returns false after the first unknown difference.
bool CheckWorld(RandomPaths& dice, Counts& counts) {
  Mac mac;
  World& world = mac.world;
  world.places.macos_names = true;
  Fill(mac, dice);
  const json policy_json = dice.SomePolicy();
  std::string members = policy_json.dump();
  world.User(std::string_view(members).substr(1, members.size() - 2));
  const Event event = world.EventOf("Write", PathInput("a"));
  const Policy policy = world.Merged(event);
  const CachedFiles files(mac.files);
  const Result<SandboxPlan> plan = MakePlan(
      {policy, world.places, files, CommandIn(world), {.system = HostSystem::kMacos, .user = 501}});
  if (!plan) return true;  // a mistake in the policy
  const std::string text = SeatbeltProfile(*plan);

  CAPTURE(members);
  CAPTURE(text);
  const SbplProfile profile(text);
  for (int i = 0; i < kPathsPerWorld; ++i) {
    const std::string path = dice.Text();
    const std::string absolute = path[0] == '/' ? path : "/home/dev/project/" + path;
    Case question{mac, policy, *plan, event, Path::Clean(absolute), Walk(absolute, mac.files)};
    if (question.walked.stop != Walked::Stop::kEnd) continue;
    const bool hook = question.HookPermits(path);
    const bool kernel = profile.MayWrite(question.walked.end.text());
    ++(kernel ? counts.permitted : counts.refused);
    if (hook == kernel || IsKnown(question, hook, counts.known)) continue;
    CAPTURE(path);
    CAPTURE(question.walked.end.text());
    CAPTURE(ReasonText(DecidePath(event, path, Access::kWrite, {policy, world.places, files}), ""));
    CHECK(hook == kernel);
    return false;
  }
  return true;
}

}  // namespace

TEST_CASE("seatbelt: the profile allows the writes that the hook permits") {
  const uint32_t seed = TestSeed();
  MESSAGE("RINGFENCE_SEED=" << seed);
  RandomPaths dice(seed);
  Counts counts;
  for (int i = 0; i < kWorlds; ++i) {
    if (!CheckWorld(dice, counts)) break;
  }
  for (const auto& [name, count] : counts.known) MESSAGE(count << ": " << name);
  MESSAGE(counts.permitted << " " << counts.refused);
  CHECK(counts.permitted > kWorlds);
  CHECK(counts.refused > kWorlds);
}
