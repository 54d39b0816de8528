#include "policy/sets.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "policy/pattern.h"
#include "policy/tools.h"

using namespace ringfence;

namespace {

SetContext Context() {
  return {.root = Path::Clean("/home/dev/project"),
          .session_id = "s-1",
          .user = 1000,
          .macos_names = false,
          .homes = {Path::Clean("/home/dev")}};
}

std::vector<std::string> Texts(SetName set, Access access, const SetContext& context) {
  std::deque<std::string> strings;
  std::vector<std::string> texts;
  for (const SetEntry& entry : ExpandSet(set, access, context, strings)) {
    texts.push_back(entry.text());
  }
  return texts;
}

bool Has(const std::vector<std::string>& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

}  // namespace

TEST_CASE("sets: every set has a name, a description and entries") {
  for (const PathSet& set : PathSets()) {
    CAPTURE(set.name);
    CHECK(set.name.starts_with("@"));
    CHECK_FALSE(set.what.empty());
    CHECK(FindPathSet(set.name) == &set);
    CHECK(SetText(set.set) == set.name);
    CHECK_FALSE(Texts(set.set, Access::kRead, Context()).empty());
  }
  CHECK(FindPathSet("@Secrets") == nullptr);
  CHECK(FindPathSet("secrets") == nullptr);
  CHECK(FindPathSet("@session-tools") == nullptr);
  CHECK(Texts(SetName::kNone, Access::kRead, Context()).empty());
}

TEST_CASE("sets: what a policy may allow holds no secret and runs nothing") {
  CHECK_FALSE(FindPathSet("@secrets")->may_allow);
  CHECK_FALSE(FindPathSet("@runs-later")->may_allow);
  for (const std::string_view name : {"@claude-scratch", "@toolchains", "@agent-state", "@tmp"}) {
    CAPTURE(name);
    CHECK(FindPathSet(name)->may_allow);
  }
}

TEST_CASE("sets: entries are plain paths or patterns that can match, and none is there twice") {
  SetContext context = Context();
  for (const bool macos : {false, true}) {
    context.macos_names = macos;
    for (const PathSet& set : PathSets()) {
      CAPTURE(set.name);
      std::deque<std::string> strings;
      std::vector<std::string> texts;
      for (const SetEntry& entry : ExpandSet(set.set, Access::kRead, context, strings)) {
        CAPTURE(entry.text());
        CHECK_FALSE(entry.tail.empty());
        CHECK(entry.tail.find("..") == std::string_view::npos);
        CHECK_FALSE(entry.tail.starts_with("/"));
        CHECK_FALSE(entry.tail.ends_with("/"));
        CHECK(entry.has_pattern == HasPattern(entry.tail));
        CHECK(CheckPattern(entry.tail).has_value());
        CHECK_FALSE(Has(texts, entry.text()));
        texts.push_back(entry.text());
      }
    }
  }
}

TEST_CASE("sets: no set that may be allowed covers an entry of @secrets") {
  const std::vector<std::string> secrets = Texts(SetName::kSecrets, Access::kRead, Context());
  for (const PathSet& set : PathSets()) {
    if (!set.may_allow || set.set == SetName::kAgentState) continue;
    CAPTURE(set.name);
    for (const std::string& entry : Texts(set.set, Access::kRead, Context())) {
      CAPTURE(entry);
      for (const std::string& secret : secrets) {
        CAPTURE(secret);
        CHECK_FALSE(secret.starts_with(entry + "/"));
        CHECK(secret != entry);
      }
    }
  }
}

TEST_CASE("sets: scratch of the client is for this user, project and session") {
  CHECK(Texts(SetName::kClaudeScratch, Access::kRead, Context()) ==
        std::vector<std::string>{"~/.claude/plans", "~/.claude/projects/-home-dev-project/memory",
                                 "/tmp/claude-1000/-home-dev-project/s-1/scratchpad",
                                 "/tmp/claude-1000/-home-dev-project/s-1/tasks",
                                 "~/.claude/projects/-home-dev-project/s-1/tool-results"});
  CHECK(Texts(SetName::kClaudeScratch, Access::kWrite, Context()) ==
        std::vector<std::string>{"~/.claude/plans", "~/.claude/projects/-home-dev-project/memory",
                                 "/tmp/claude-1000/-home-dev-project/s-1/scratchpad"});
}

TEST_CASE("sets: what lies in /tmp counts only in a folder of this user's") {
  std::deque<std::string> strings;
  for (const SetEntry& entry :
       ExpandSet(SetName::kClaudeScratch, Access::kRead, Context(), strings)) {
    CAPTURE(entry.text());
    CHECK(entry.owned_folder == (entry.base == RuleBase::kAbsolute ? "/tmp/claude-1000" : ""));
  }
}

TEST_CASE("sets: the folder name that the client makes of a project's path") {
  struct Row {
    std::string_view root, want;
  };
  static constexpr Row kRows[] = {
      {"/home/dev/project", "-home-dev-project"},
      {"/home/dev/my.project_2", "-home-dev-my-project-2"},
      {"/srv/A b", "-srv-A-b"},
      {"/srv/caf\xC3\xA9", "-srv-caf-"},
      {"/srv/\xF0\x9F\x98\x80", "-srv---"},
      {"/", "-"},
  };
  for (const Row& row : kRows) CHECK(ClaudeProjectSlug(Path::Clean(row.root)) == row.want);
}

TEST_CASE("sets: macOS adds its private folders, but none that holds the project") {
  SetContext context = Context();
  CHECK_FALSE(Has(Texts(SetName::kSecrets, Access::kRead, context), "~/Documents"));
  context.macos_names = true;
  std::vector<std::string> texts = Texts(SetName::kSecrets, Access::kRead, context);
  for (const std::string_view entry :
       {"~/Documents", "~/Desktop", "~/Library", "~/Library/Keychains",
        "~/Library/Mobile Documents", "~/Pictures/Photos Library.photoslibrary"}) {
    CAPTURE(entry);
    CHECK(Has(texts, entry));
  }
  context.root = Path::Clean("/home/dev/Library/Mobile Documents/x/project");
  texts = Texts(SetName::kSecrets, Access::kRead, context);
  CHECK_FALSE(Has(texts, "~/Library"));
  CHECK_FALSE(Has(texts, "~/Library/Mobile Documents"));
  CHECK(Has(texts, "~/Library/Keychains"));
  CHECK(Has(texts, "~/Documents"));
}

TEST_CASE("sets: session tools are known and touch neither files nor commands") {
  for (const std::string_view name : SessionTools()) {
    CAPTURE(name);
    const KnownTool* tool = FindTool(name);
    REQUIRE(tool != nullptr);
    CHECK(tool->fields.empty());
    CHECK_FALSE(tool->runs_code);
  }
  CHECK(AgentHosts().Contains("api.anthropic.com"));
}

TEST_CASE("sets: a session's own folders need an id that can be a folder's name") {
  const auto scratch = [](const std::string& id) {
    SetContext context = Context();
    context.session_id = id;
    return Texts(SetName::kClaudeScratch, Access::kRead, context).size();
  };
  const size_t with = scratch("11111111-2222-3333-4444-555555555555");
  CHECK(scratch(std::string(128, 'a')) == with);
  for (const std::string& id : {std::string(129, 'a'), std::string(), std::string("a/b"),
                                std::string(".."), std::string("a b")}) {
    CAPTURE(id);
    CHECK(scratch(id) < with);
  }
}
