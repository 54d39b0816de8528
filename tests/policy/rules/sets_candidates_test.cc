// Checks the sets against fixtures/sets: candidates that are members, or left out for a reason.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "agents/claude/agent.h"
#include "policy/rules/entry_match.h"
#include "policy/rules/pattern.h"
#include "policy/rules/sets.h"
#include "tests/support/corpora.h"
#include "tests/support/project_root.h"
#include "tests/support/world.h"

using namespace ringfence;
using nlohmann::json;

namespace {

struct Candidates {
  std::vector<std::string> in;
  std::vector<std::string> out;
};

Candidates Read(const char* name) {
  Candidates candidates;
  const auto folder = ProjectRoot() / "fixtures/sets";
  const json file = ReadJsonFile((folder / name).string());
  for (const json& group : file.at("groups")) {
    CAPTURE(group.at("group"));
    CHECK_FALSE(group.at("source").get<std::string>().empty());
    for (const json& path : group.at("in")) candidates.in.push_back(path);
    for (const json& reason : group.at("out")) {
      CHECK_FALSE(reason.at("because").get<std::string>().empty());
      for (const json& path : reason.at("names")) candidates.out.push_back(path);
    }
  }
  return candidates;
}

// Permits everything except the entries of the two sets.
void Open(World& world) {
  world.User(R"("read":{"allow":["/"],"deny":["@secrets"]},
                "write":{"allow":["/"],"ask":["@runs-later"],"deny":[]})");
  for (const char* repository : {"/home/dev/project/.git", "/home/dev/project/sub/.git"}) {
    world.files.Put(std::string(repository) + "/HEAD", File());
  }
}

bool IsOf(const SetEntry& entry, std::string_view candidate) {
  const bool at_home = candidate.starts_with("~/");
  if (entry.base == RuleBase::kHome && !at_home) return false;
  if (entry.base == RuleBase::kAbsolute && !candidate.starts_with('/')) return false;
  if (at_home) candidate.remove_prefix(2);
  if (candidate.starts_with('/')) candidate.remove_prefix(1);
  return entry.has_pattern ? MatchPattern(entry.tail, candidate, {.covers = true})
                           : Covers(entry.tail, candidate);
}

// Entries that no candidate covers: they are misspelt, or have no reason.
std::string Unused(SetName set, const std::vector<std::string>& candidates) {
  const SetContext context{.agent = &ClaudeCode(),
                           .root = Path::Clean("/home/dev/project"),
                           .homes = {Path::Clean("/home/dev")}};
  std::deque<std::string> strings;
  std::string unused;
  for (const SetEntry& entry : ExpandSet(set, Access::kRead, context, strings)) {
    const auto is_of = [&](const std::string& candidate) { return IsOf(entry, candidate); };
    if (std::ranges::none_of(candidates, is_of)) unused += entry.text() + "\n";
  }
  return unused;
}

}  // namespace

TEST_CASE("sets: candidates of @runs-later are asked about, or left out for a reason") {
  World world;
  Open(world);
  const Candidates candidates = Read("runs-later.json");
  CHECK(candidates.in.size() > 400);
  for (const std::string& path : candidates.in) {
    CAPTURE(path);
    CHECK(world.Write(path) == "ask");
    CHECK(world.Write(path.starts_with('~') ? path : "packages/a/" + path) == "ask");
  }
  for (const std::string& path : candidates.out) {
    CAPTURE(path);
    CHECK(world.Write(path) == "permit");
  }
  CHECK(Unused(SetName::kRunsLater, candidates.in) == "");
}

TEST_CASE("sets: candidates of @secrets are denied, or left out for a reason") {
  World world;
  Open(world);
  const Candidates candidates = Read("secrets.json");
  CHECK(candidates.in.size() > 400);
  for (const std::string& path : candidates.in) {
    CAPTURE(path);
    CHECK(world.Read(path) == "deny");
  }
  for (const std::string& path : candidates.out) {
    CAPTURE(path);
    CHECK(world.Read(path) == "permit");
  }
  CHECK(Unused(SetName::kSecrets, candidates.in) == "");
}

TEST_CASE("sets: inside packages, files for those who open them are exempt") {
  World world;
  Open(world);
  for (const char* path :
       {".cursor/rules/x.mdc", ".gitlab-ci.yml", ".pre-commit-config.yaml", ".travis.yml",
        "lefthook.yml", ".yarnrc.yml", ".nvim.lua", ".agents/skills/x/SKILL.md"}) {
    CAPTURE(path);
    CHECK(world.Write("node_modules/a/" + std::string(path)) == "permit");
    CHECK(world.Write(path) == "ask");
  }
  for (const char* path : {".hg/hgrc", ".jj/repo/config.toml", "_darcs/prefs/defaults",
                           ".claude/rules/x.md", ".claude/output-styles/x.md"}) {
    CAPTURE(path);
    CHECK(world.Write("node_modules/a/" + std::string(path)) == "ask");
  }
}

TEST_CASE("sets: a link on the way to an entry is followed, wherever it is") {
  static constexpr struct {
    const char* link;
    const char* target;
    const char* secret;  // below the target
  } kRows[] = {
      {"/home/dev/.config", "/srv/dots/config", "/srv/dots/config/gcloud/x"},
      {"/home/dev/.config/gcloud", "/srv/dots/gcloud", "/srv/dots/gcloud/x"},
      {"/home/dev/.local", "/srv/dots/local", "/srv/dots/local/share/keyrings/x"},
      {"/home/dev/.local/share", "/srv/dots/share", "/srv/dots/share/keyrings/x"},
      {"/home/dev/.local/share/keyrings", "/srv/dots/rings", "/srv/dots/rings/x"},
      {"/home/dev/.cache/rbw", "/srv/dots/rbw", "/srv/dots/rbw/x"},
      {"/home/dev/.netrc", "/srv/dots/netrc", "/srv/dots/netrc"},
  };
  for (const auto& row : kRows) {
    CAPTURE(row.link);
    World world;
    Open(world);
    world.files.Put(row.link, LinkTo(row.target));
    world.files.Put(row.secret, File());
    CHECK(world.Read(row.secret) == "deny");
    CHECK(world.Read("/srv/dots/other") == "permit");
  }
}
