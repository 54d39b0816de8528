// Calls that the client's own settings deny, with settings files in memory.
#include "cli/common/client_refusals.h"

#include <doctest/doctest.h>

#include "agents/claude/setup/client_sandbox.h"

using namespace ringfence;

namespace {

const Registration kWhere{.project_dir = "/home/dev/project", .home = "/home/dev"};

SettingsFile FileOf(SettingsLayer layer, const std::string& text) {
  SettingsFile file;
  file.layer = layer;
  file.path = SettingsPath(layer, kWhere);
  file.text = text;
  file.settings = CheckSettings(text, file.path, kWhere);
  return file;
}

ClientRefusals With(SettingsLayer layer, const std::string& text,
                    const std::vector<SettingsRecord>& records = {}) {
  return {{FileOf(layer, text)}, kWhere, records};
}

std::string Denies(const std::string& rule) {
  return R"({"permissions": {"deny": [")" + rule + R"("]}})";
}

constexpr const char* kFence = R"({"permissions": {"blockReadsOutsideWorkingDirectories": true,
    "blockWritesOutsideWorkingDirectories": true, "additionalDirectories": ["/srv/more", "~/m"]}})";

SettingsRecord RecordOfFence() {
  SettingsRecord record;
  record.path = "/home/dev/.claude/settings.json";
  record.values.push_back({std::string(kClientFence[0].pointer), true, {}});
  return record;
}

Event Called(const std::string& tool) {
  Event event;
  event.kind = EventKind::kPreToolUse;
  event.tool_name = tool;
  return event;
}

Trace TraceOf(const std::string& path) {
  PathTrace one;
  one.readings.push_back({"lexical", path, {}, Path::Clean(path)});
  Trace trace;
  trace.paths.push_back(one);
  return trace;
}

}  // namespace

TEST_CASE("client refusals: deny rules, as the client matches them") {
  struct Row {
    std::string_view name;
    std::string rule;
    std::string path;
    bool refuses;
  };
  const Row rows[] = {
      {"absolute", "Read(//etc/hosts)", "/etc/hosts", true},
      {"absolute, another", "Read(//etc/hosts)", "/etc/hostsx", false},
      {"a folder", "Read(~/.ssh)", "/home/dev/.ssh/id_rsa", true},
      {"a folder with a slash", "Read(~/.ssh/)", "/home/dev/.ssh/id_rsa", true},
      {"all in a folder", "Read(~/.ssh/**)", "/home/dev/.ssh/a/b", true},
      {"a sibling", "Read(~/.ssh)", "/home/dev/.sshx", false},
      {"floating", "Read(//**/.env)", "/srv/a/b/.env", true},
      {"a name alone floats below the start", "Read(.env)", "/home/dev/project/a/.env", true},
      {"and not elsewhere", "Read(.env)", "/srv/.env", false},
      {"relative", "Read(./a/b)", "/home/dev/project/a/b", true},
      {"relative, deeper", "Read(./a/b)", "/home/dev/project/x/a/b", false},
      {"of the user's folder", "Read(/x)", "/home/dev/.claude/x", true},
      {"a pattern", "Read(//etc/ssh/ssh_host_*_key)", "/etc/ssh/ssh_host_rsa_key", true},
      {"another tool's", "Edit(//etc/hosts)", "/etc/hosts", false},
      {"no rule", "Read()", "/etc/hosts", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const ClientRefusals client = With(SettingsLayer::kUser, Denies(row.rule));
    CHECK(client.OfPath(Path::Clean(row.path), Access::kRead).has_value() == row.refuses);
  }
}

TEST_CASE("client refusals: the client writes nothing that it may not read") {
  const Path file = Path::Clean("/home/dev/.npmrc");
  CHECK(With(SettingsLayer::kUser, Denies("Read(~/.npmrc)")).OfPath(file, Access::kWrite));
  const ClientRefusals edit = With(SettingsLayer::kUser, Denies("Edit(~/.npmrc)"));
  CHECK(edit.OfPath(file, Access::kWrite));
  CHECK_FALSE(edit.OfPath(file, Access::kRead));
}

TEST_CASE("client refusals: tools") {
  CHECK(With(SettingsLayer::kLocal, Denies("WebFetch")).OfTool("WebFetch"));
  CHECK(With(SettingsLayer::kLocal, Denies("mcp__a")).OfTool("mcp__a__x"));
  CHECK(With(SettingsLayer::kLocal, Denies("mcp__a__*")).OfTool("mcp__a__x"));
  CHECK_FALSE(With(SettingsLayer::kLocal, Denies("mcp__a")).OfTool("mcp__ab__x"));
  CHECK_FALSE(With(SettingsLayer::kLocal, Denies("Bash(rm *)")).OfTool("Bash"));
  CHECK(With(SettingsLayer::kLocal, Denies("Read")).OfCall(Called("Read"), Trace{}));
}

TEST_CASE("client refusals: the fence ends at the working directories") {
  for (const SettingsLayer layer : kSettingsLayers) {
    const ClientRefusals client = With(layer, kFence);
    for (const Access access : {Access::kRead, Access::kWrite}) {
      CHECK(client.OfPath(Path::Clean("/etc/hosts"), access));
      CHECK(client.OfPath(Path::Clean("/home/dev/projects"), access));
      CHECK_FALSE(client.OfPath(Path::Clean("/home/dev/project/a"), access));
      CHECK_FALSE(client.OfPath(Path::Clean("/srv/more/a"), access));
      CHECK_FALSE(client.OfPath(Path::Clean("/home/dev/m/a"), access));
    }
    CHECK(client.OfCall(Called("Read"), TraceOf("/etc/hosts")));
    CHECK_FALSE(client.OfCall(Called("mcp__fs__read"), TraceOf("/etc/hosts")));
    CHECK(client.NoteOn(Called("Bash")));
    CHECK_FALSE(client.NoteOn(Called("Read")));
  }
  CHECK_FALSE(With(SettingsLayer::kUser, "{}").Fence(Access::kRead));
}

TEST_CASE("client refusals: a file that the client drops refuses nothing, a managed one does") {
  const std::string broken = std::string(kFence).insert(1, R"("model": 5, )");
  CHECK_FALSE(With(SettingsLayer::kUser, broken).Fence(Access::kRead));
  CHECK(With(SettingsLayer::kManaged, broken).Fence(Access::kRead));
}

TEST_CASE("client refusals: the fix depends on who made the setting") {
  CHECK(With(SettingsLayer::kUser, kFence, {RecordOfFence()}).Fence(Access::kRead)->fix ==
        "run: ringfence init, and start the client again");
  // The same file, but another key, which init did not set.
  CHECK(With(SettingsLayer::kUser, kFence, {RecordOfFence()}).Fence(Access::kWrite)->fix ==
        "take it out of ~/.claude/settings.json, and start the client again");
  const ClientRefusals fenced = With(SettingsLayer::kUser, kFence, {RecordOfFence()});
  const auto refusal = fenced.OfPath(Path::Clean("/srv/data/x"), Access::kRead);
  CHECK(refusal->fix.ends_with(R"(add "/srv/data" to permissions.additionalDirectories in )"
                               "~/.claude/settings.json"));
  // Adding the parent would let commands write to all of it.
  for (const char* path : {"/etc/hosts", "/tmp/foo.txt", "/home/dev/notes.md", "/home/dev", "/x"}) {
    CHECK(fenced.OfPath(Path::Clean(path), Access::kRead)->fix ==
          "run: ringfence init, and start the client again");
  }
  SettingsRecord record = RecordOfFence();
  record.values.clear();
  record.lists.push_back({"/permissions/deny", {"Read(~/.ssh)"}});
  const ClientRefusals client =
      With(SettingsLayer::kUser, Denies("Read(~/.ssh)"), {std::move(record)});
  CHECK(client.OfPath(Path::Clean("/home/dev/.ssh"), Access::kRead)->fix == "run: ringfence init");
}
