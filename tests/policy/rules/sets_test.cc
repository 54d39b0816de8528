#include "policy/rules/sets.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "agents/claude/agent.h"
#include "agents/claude/folders.h"
#include "base/name_bits.h"
#include "policy/rules/pattern.h"

using namespace ringfence;

namespace {

SetContext Context() {
  return {.agent = &ClaudeCode(),
          .root = Path::Clean("/home/dev/project"),
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

TEST_CASE("sets: those that a policy may allow contain no secret and run nothing") {
  CHECK_FALSE(FindPathSet("@secrets")->may_allow);
  CHECK_FALSE(FindPathSet("@runs-later")->may_allow);
  for (const std::string_view name : {"@claude-scratch", "@toolchains", "@agent-state", "@tmp"}) {
    CAPTURE(name);
    CHECK(FindPathSet(name)->may_allow);
  }
}

TEST_CASE("sets: entries are plain paths or patterns that can match, without duplicates") {
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

TEST_CASE("sets: the client's scratch files are those of this user, project and session") {
  const std::vector<std::string> written{"~/.claude/plans",
                                         "~/.claude/projects/-home-dev-project/memory",
                                         "~/.claude/projects/*/s-1/workflows/scripts/*.js",
                                         "~/.claude/agent-memory/**/*.md",
                                         "/tmp/claude-1000/-home-dev-project/s-1/scratchpad",
                                         "/tmp/claude-1000/*/s-1/scratchpad"};
  CHECK(Texts(SetName::kAgentScratch, Access::kWrite, Context()) == written);
  const std::vector<std::string> read = Texts(SetName::kAgentScratch, Access::kRead, Context());
  for (const char* entry :
       {"~/.claude/plans", "~/.claude/projects/-home-dev-project/memory", "~/.claude/CLAUDE.md",
        "~/.claude/skills", "~/.agents/skills", "~/.claude/plugins", "~/.claude/tasks",
        "~/.claude/image-cache/s-1", "~/.claude/projects/-home-dev-project/s-1",
        "~/.claude/projects/*/s-1", "/tmp/claude-1000/bundled-skills",
        "/tmp/claude-1000/-home-dev-project/s-1/tasks"}) {
    CAPTURE(entry);
    CHECK(Has(read, entry));
  }
}

TEST_CASE(
    "sets: a session uses the memory of its main repository, and directories named by its start") {
  SetContext context = Context();
  context.start = Path::Clean("/home/dev/project/pkg");
  context.memory_root = Path::Clean("/home/dev/main");
  context.settings_folders = {Path::Clean("/srv/cl*aude")};  // CLAUDE_CONFIG_DIR
  const std::vector<std::string> read = Texts(SetName::kAgentScratch, Access::kRead, context);
  for (const char* entry :
       {"~/.claude/projects/-home-dev-main/memory", "~/.claude/projects/-home-dev-project/memory",
        "~/.claude/projects/-home-dev-project-pkg/memory",
        "~/.claude/projects/-home-dev-project-pkg/s-1", "/srv/cl*aude/plans",
        "/srv/cl\\*aude/projects/*/s-1", "/tmp/claude-1000/-home-dev-project-pkg/s-1/scratchpad"}) {
    CAPTURE(entry);
    CHECK(Has(read, entry));
  }
  CHECK_FALSE(Has(read, "~/.claude/projects/-home-dev-main/s-1"));
  CHECK(OwnProjectFolders(context) ==
        "-home-dev-project-pkg\n-home-dev-project\n*/s-1\n-home-dev-main/memory\n");
}

TEST_CASE("sets: a project is exempt from runs-later paths around it") {
  const auto texts = [](const char* root) {
    SetContext context = Context();
    context.root = Path::Clean(root);
    std::deque<std::string> strings;
    std::vector<std::string> all;
    for (const SetEntry& entry : ExpandSet(SetName::kRunsLater, Access::kWrite, context, strings)) {
      all.push_back(entry.text() +
                    (entry.except.empty() ? "" : " but " + entry.except.Joined(",")) +
                    (entry.holds_root ? " beyond the root" : ""));
    }
    return all;
  };
  CHECK(Has(texts("/home/dev/project"), "~/.config/nvim"));
  CHECK_FALSE(Has(texts("/home/dev/.config/nvim"), "~/.config/nvim"));
  CHECK(Has(texts("/home/dev/.config/nvim/lua/x"), "~/.config/nvim but lua/x"));
  CHECK(Has(texts("/home/dev/.config/nvim/l*"), "~/.config/nvim"));
  CHECK(Has(texts("/home/dev/.claude/skills/x"), "**/.claude/skills beyond the root"));
  CHECK(Has(texts("/home/dev/.claude"), "**/.claude/skills"));
  // A pattern does not name a path, even if the project has the same name.
  CHECK(Has(texts("/home/dev/.local/lib/python*/site-packages/*.pth"),
            "~/.local/lib/python*/site-packages/*.pth"));
}

TEST_CASE("sets: files in /tmp count only in a directory of this user") {
  std::deque<std::string> strings;
  for (const SetEntry& entry :
       ExpandSet(SetName::kAgentScratch, Access::kRead, Context(), strings)) {
    CAPTURE(entry.text());
    CHECK(entry.owned_folder == (entry.base == RuleBase::kAbsolute ? "/tmp/claude-1000" : ""));
  }
}

TEST_CASE("sets: macOS adds its private directories, except those that contain the project") {
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

TEST_CASE("sets: session tools are known and use neither files nor commands") {
  for (const std::string_view name : ClaudeCode().session_tools) {
    CAPTURE(name);
    const auto tool = ClaudeCode().tools.Find(name);
    REQUIRE(tool.has_value());
    for (const ToolField& field : tool->fields) CHECK(field.role == FieldRole::kOtherHost);
    CHECK_FALSE(tool->runs_code);
  }
  for (const std::string_view name : {"SendMessage", "ListAgents", "SendFile", "SendToProject",
                                      "FetchInboxMessage", "propose_skills", "RemoteTrigger"}) {
    CAPTURE(name);
    CHECK_FALSE(ClaudeCode().session_tools.Contains(name));  // their effects go beyond the session
  }
  CHECK(ClaudeCode().hosts.Contains("api.anthropic.com"));
}

TEST_CASE("sets: runs-later files in the client's own directories, wherever these are") {
  SetContext context = Context();
  std::vector<std::string> texts = Texts(SetName::kRunsLater, Access::kWrite, context);
  for (const std::string_view name : {"commands", "agents", "skills", "plugins", "hooks",
                                      "workflows", "dev-mods", "scheduled_tasks.json"}) {
    CAPTURE(name);
    CHECK(Has(texts, "**/.claude/" + std::string(name)));
    CHECK_FALSE(Has(texts, "/home/dev/project/conf/" + std::string(name)));
  }
  context.settings_folders = {Path::Clean("/home/dev/project/conf")};
  texts = Texts(SetName::kRunsLater, Access::kWrite, context);
  for (const std::string_view name :
       {"commands", "agents", "skills", "plugins", "hooks", "workflows", "dev-mods",
        "scheduled_tasks.json", ".claude.json"}) {
    CAPTURE(name);
    CHECK(Has(texts, "/home/dev/project/conf/" + std::string(name)));
  }
}

TEST_CASE("sets: a session's own directories need an id that is a valid directory name") {
  const auto scratch = [](const std::string& id) {
    SetContext context = Context();
    context.session_id = id;
    return Texts(SetName::kAgentScratch, Access::kRead, context).size();
  };
  const size_t with = scratch("11111111-2222-3333-4444-555555555555");
  CHECK(scratch(std::string(128, 'a')) == with);
  for (const std::string& id : {std::string(129, 'a'), std::string(), std::string("a/b"),
                                std::string(".."), std::string("a b")}) {
    CAPTURE(id);
    CHECK(scratch(id) < with);
  }
}

// Name bits are computed at compile time and used to skip names.
TEST_CASE("sets: an entry's name bits are those of its tail, if it has any") {
  size_t with_bits = 0;
  for (const PathSet& set : PathSets()) {
    SetContext context = Context();
    context.root = Path::Clean("/home/dev/.config/project");
    context.settings_folders = {Path::Clean("/home/dev/.other")};
    context.macos_names = true;
    std::deque<std::string> strings;
    for (const SetEntry& entry : ExpandSet(set.set, Access::kWrite, context, strings)) {
      CAPTURE(entry.text());
      if (entry.name_bits == 0) continue;
      ++with_bits;
      CHECK(entry.name_bits == NameBitsNeededBy(entry.tail));
    }
  }
  CHECK(with_bits > 400);
}

TEST_CASE("sets: a configuration directory of \"/\" adds nothing") {
  SetContext context = Context();
  for (const SetName set : {SetName::kSecrets, SetName::kRunsLater, SetName::kAgentScratch}) {
    const std::vector<std::string> without = Texts(set, Access::kRead, Context());
    context.settings_folders = {Path()};
    CHECK(Texts(set, Access::kRead, context) == without);
  }
}
