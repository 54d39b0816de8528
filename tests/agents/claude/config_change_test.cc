// Changes to the client's settings during a session, on the real disk.
#include "agents/claude/config_change.h"

#include <doctest/doctest.h>

#include "agents/claude/settings/settings.h"
#include "base/regular_file.h"
#include "policy/load/sources.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

constexpr const char* kProgram = "/opt/ringfence/bin/ringfence-hook";
constexpr const char* kUser = "home/.claude/settings.json";
constexpr const char* kProject = "project/.claude/settings.json";
constexpr const char* kLocal = "project/.claude/settings.local.json";
constexpr const char* kOther = "cc/settings.json";

// Settings with our registration; `more` adds members after it.
std::string Registered(std::string_view more = "") {
  std::string hooks;
  for (const std::string_view event : {"PreToolUse", "ConfigChange"}) {
    hooks += (hooks.empty() ? "\"" : ",\"") + std::string(event) +
             R"(":[{"hooks":[{"type":"command","command":")" + kProgram +
             R"(","args":[],"timeout":10,"onFailure":"block"}]}])";
  }
  return R"({"hooks":{)" + hooks + "}" + std::string(more) + "}";
}

class Session : public TemporaryTree {
 public:
  Session() {
    Directory("home");
    Directory("project");
    places_.root = places_.root_real = Path::Clean(At("project"));
    places_.homes = places_.homes_real = {Path::Clean(At("home"))};
    places_.settings_folders = {Path::Clean(At("cc"))};
    File(kUser, Registered());
  }

  // Approves the files, as `ringfence init` does.
  void Approve(std::initializer_list<const char*> files) const {
    Approvals approvals;
    for (const char* file : files) {
      const Result<FileBytes> bytes = ReadRegularFile(At(file));
      REQUIRE(bytes.has_value());
      approvals.files.push_back(
          ApprovedAsIs(ParseClientSettings(bytes->text, file, At(file)), kProgram));
    }
    File("home/.local/state/ringfence/approvals.json", RenderApprovals(approvals));
  }

  void NoHome() { places_.homes = places_.homes_real = {}; }

  std::string Reasons(const std::string& changed = "", bool is_plugin = false) const {
    Event event;
    event.kind = EventKind::kConfigChange;
    event.config_file = changed;
    const Result<std::vector<std::string>> reasons =
        WeakenedSettings(event, places_, {kProgram, is_plugin});
    if (!reasons) return "! " + reasons.error().text();
    std::string text;
    for (const std::string& reason : *reasons) text += reason + "\n";
    return text;
  }

  bool IsRegistered(const char* event_name) const {
    Event event;
    event.name = event_name;
    return IsRegisteredInSettings(event, places_);
  }

 private:
  Places places_;
};

struct Row {
  std::string_view name;
  std::string_view text;  // of a file that did not exist before
};

constexpr Row kWeaker[] = {
    {"hooks off", R"({"disableAllHooks":true})"},
    {"a value for which the client drops the file", R"({"model":5})"},
    {"no JSON", "{"},
    {"a comment", "// x\n{}"},
    {"a broken hook", R"({"hooks":{"PreToolUse":[{"hooks":[{"type":"nope"}]}]}})"},
    {"a new hook", R"({"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}})"},
    {"a new hook of another event",
     R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}})"},
    {"only managed hooks", R"({"allowManagedHooksOnly":true})"},
    {"no sandbox", R"({"sandbox":{"enabled":false}})"},
    {"a sandbox that may be missing", R"({"sandbox":{"failIfUnavailable":false}})"},
    {"a sandbox that may be left", R"({"sandbox":{"allowUnsandboxedCommands":true}})"},
    {"commands outside of it", R"({"sandbox":{"excludedCommands":["*"]}})"},
    {"more to write", R"({"sandbox":{"filesystem":{"allowWrite":["/"]}}})"},
    {"more hosts", R"({"sandbox":{"network":{"allowedDomains":["*"]}}})"},
    {"all sockets", R"({"sandbox":{"network":{"allowAllUnixSockets":true}}})"},
    {"a platform without it", R"({"sandbox":{"enabledPlatforms":["macos"]}})"},
    {"a command for the key", R"({"apiKeyHelper":"/tmp/x"})"},
    {"a command for the status line", R"({"statusLine":{"type":"command","command":"/tmp/x"}})"},
    {"shell in skills", R"({"disableSkillShellExecution":false})"},
    {"reads outside", R"({"permissions":{"blockReadsOutsideWorkingDirectories":false}})"},
    {"reads of file tools outside",
     R"({"permissions":{"blockFileToolReadsOutsideWorkingDirectories":false}})"},
    {"paths outside that may be read", R"({"permissions":{"blockReadsExemptPaths":["/"]}})"},
    {"configuration of another folder", R"({"additionalDirectoryConfigRoots":{"/a":"/tmp/x"}})"},
    {"credentials in cleartext", R"({"sandbox":{"credentials":{"allowPlaintextInject":true}}})"},
};

constexpr Row kHarmless[] = {
    {"nothing", "{}"},
    {"a model", R"({"model":"opus"})"},
    {"an unknown key", R"({"somethingNew":{"a":[1]}})"},
    {"a permission rule", R"x({"permissions":{"allow":["Bash(ls)"],"deny":["Read(x)"]}})x"},
    {"a stronger sandbox", R"({"sandbox":{"enabled":true,"failIfUnavailable":true}})"},
    {"hooks that are on", R"({"disableAllHooks":false})"},
    {"credentials not in cleartext",
     R"({"sandbox":{"credentials":{"allowPlaintextInject":false}}})"},
    {"a closed folder", R"({"permissions":{"workingDirectoriesExclude":["/a"]}})"},
    {"a byte order mark", "\xEF\xBB\xBF{}"},
};

}  // namespace

TEST_CASE("config change: nothing is refused while the settings are as approved") {
  const Session session;
  CHECK(session.Reasons() == "");  // registered by hand: nothing is approved yet
  session.Approve({kUser});
  CHECK(session.Reasons() == "");
  // The client also reports changed skills, which are not settings.
  session.File("home/.claude/skills/x/SKILL.md", "# text, no JSON");
  CHECK(session.Reasons(session.At("home/.claude/skills/x/SKILL.md")) == "");
  session.File(kUser, Registered(R"(,"model":"opus")"));
  CHECK(session.Reasons() == "");
}

TEST_CASE("config change: dropping or weakening the registration is refused, in every file") {
  for (const Row& row : kWeaker) {
    CAPTURE(row.name);
    for (const char* file : {kLocal, kProject, kOther, "home/.claude/settings.local.json"}) {
      CAPTURE(file);
      const Session session;
      session.Approve({kUser});
      session.File(file, row.text);
      CHECK_FALSE(session.Reasons().empty());
      CHECK_FALSE(session.Reasons().starts_with("!"));
      // Whichever file the event names, the client reloads all of them.
      CHECK_FALSE(session.Reasons(session.At(kUser)).empty());
    }
  }
}

TEST_CASE("config change: the file that the event names is evaluated, wherever it is") {
  const Session session;
  session.Approve({kUser});
  session.File("elsewhere/my-settings.json", R"({"disableAllHooks":true})");
  CHECK(session.Reasons() == "");
  CHECK_FALSE(session.Reasons(session.At("elsewhere/my-settings.json")).empty());
  CHECK(session.Reasons(session.At("elsewhere/none.json")) == "");
}

TEST_CASE("config change: a change to neither hooks nor sandbox passes") {
  for (const Row& row : kHarmless) {
    CAPTURE(row.name);
    for (const char* file : {kLocal, kProject, kOther}) {
      CAPTURE(file);
      const Session session;
      session.Approve({kUser});
      session.File(file, row.text);
      CHECK(session.Reasons() == "");
    }
  }
}

TEST_CASE("config change: a removed or changed registration is refused") {
  struct Change {
    std::string_view name;
    std::string text;
  };
  std::string without_block = Registered();
  without_block.replace(without_block.find("\"block\""), 7, "\"continue\"");
  std::string other_program = Registered();
  other_program.replace(other_program.find(kProgram), std::string_view(kProgram).size(),
                        "/tmp/x/ringfence-hook");
  std::string matcher = Registered();
  matcher.replace(matcher.find("{\"hooks\":[{"), 11, "{\"matcher\":\"Bash\",\"hooks\":[{");
  std::string argument = Registered();
  argument.replace(argument.find("\"args\":[]"), 9, "\"args\":[\"--policy\",\"/tmp/open.json\"]");
  std::string async = Registered();
  async.replace(async.find("\"timeout\":10"), 12, "\"async\":true");
  const Change changes[] = {
      {"empty", "{}"},
      {"no hooks", R"({"hooks":{}})"},
      {"continues on failure", without_block},
      {"another program of that name", other_program},
      {"only for some tools", matcher},
      {"other arguments", argument},
      {"asynchronous", async},
  };
  for (const Change& change : changes) {
    CAPTURE(change.name);
    const Session session;
    session.Approve({kUser});
    session.File(kUser, change.text);
    CHECK_FALSE(session.Reasons().empty());
  }
}

TEST_CASE("config change: deleting a settings file removes its registration") {
  const Session session;
  session.Approve({kUser});
  REQUIRE(std::remove(session.At(kUser).c_str()) == 0);
  CHECK_FALSE(session.Reasons().empty());
}

TEST_CASE("config change: white space and other keys around the registration may change") {
  const Session session;
  session.Approve({kUser});
  std::string spaced = Registered(R"(,"verbose":true)");
  for (size_t at = 0; (at = spaced.find("\":", at)) != std::string::npos; at += 4)
    spaced.insert(at + 2, "\n  ");
  session.File(kUser, spaced);
  CHECK(session.Reasons() == "");
}

TEST_CASE("config change: an approved value stays approved there, and is new elsewhere") {
  const Session session;
  session.File(kProject, R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"bell"}]}]},
                            "sandbox":{"excludedCommands":["docker *"]}})");
  session.Approve({kUser, kProject});
  CHECK(session.Reasons() == "");
  session.File(kLocal, R"({"sandbox":{"excludedCommands":["docker *"]}})");
  CHECK_FALSE(session.Reasons().empty());
}

TEST_CASE("config change: an approved deny rule may not be removed") {
  const Session session;
  const auto with = [&](const char* rules) {
    session.File(kUser, Registered(std::string(R"(,"permissions":{"deny":[)") + rules + "]}"));
  };
  with(R"x("Read(~/.ssh)","Read(~/.aws)")x");
  session.Approve({kUser});
  with(R"x("Read(~/.aws)","Bash(rm *)","Read(~/.ssh)")x");
  CHECK(session.Reasons() == "");
  with(R"x("Read(~/.aws)")x");
  CHECK(session.Reasons().find("no longer has \"Read(~/.ssh)\"") != std::string::npos);
  with("");
  CHECK(session.Reasons().find("\"Read(~/.ssh)\" and 1 more") != std::string::npos);
}

TEST_CASE("config change: removing a stronger setting again is refused") {
  const Session session;
  session.File(kProject, R"({"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/.ssh"]}}})");
  session.Approve({kUser, kProject});
  CHECK(session.Reasons() == "");
  session.File(kProject, R"({"sandbox":{"enabled":true,"filesystem":{"denyRead":[]}}})");
  CHECK_FALSE(session.Reasons().empty());
  session.File(kProject, R"({"sandbox":{"filesystem":{"denyRead":["~/.ssh"]}}})");
  CHECK_FALSE(session.Reasons().empty());
}

TEST_CASE("config change: the client's approved fence may not be opened") {
  const Session session;
  const auto with = [&](const char* permissions) {
    session.File(kUser, Registered(std::string(R"(,"permissions":)") + permissions));
  };
  with(R"({"blockFileToolReadsOutsideWorkingDirectories":true,
           "blockReadsOutsideWorkingDirectories":true,"blockReadsExemptPaths":["/a"],
           "workingDirectoriesExclude":["/b"]})");
  session.Approve({kUser});
  CHECK(session.Reasons() == "");
  with(R"({"blockFileToolReadsOutsideWorkingDirectories":false,
           "blockReadsOutsideWorkingDirectories":true,"blockReadsExemptPaths":["/a","/"]})");
  const std::string reasons = session.Reasons();
  CHECK(reasons.find("blockFileToolReadsOutsideWorkingDirectories\" is false") !=
        std::string::npos);
  CHECK(reasons.find("blockReadsExemptPaths\" has \"/\"") != std::string::npos);
  CHECK(reasons.find("workingDirectoriesExclude\" no longer has \"/b\"") != std::string::npos);
}

TEST_CASE("config change: an unreadable file fails closed") {
  const Session broken;
  broken.File("home/.local/state/ringfence/approvals.json", "{");
  CHECK(broken.Reasons().starts_with("!"));
  const Session folder;
  folder.Approve({kUser});
  folder.Directory(kLocal);
  CHECK_FALSE(folder.Reasons().empty());
  const Session loop;
  loop.Approve({kUser});
  loop.Link(kLocal, "settings.local.json");
  CHECK_FALSE(loop.Reasons().empty());
}

TEST_CASE("config change: without a home, nothing is approved") {
  Session session;
  session.NoHome();
  session.File(kProject, Registered(R"(,"model":"x")"));
  CHECK(session.Reasons(session.At(kProject)) == "");
  session.File(kProject, R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}})");
  CHECK(session.Reasons(session.At(kProject)).find("not approved") != std::string::npos);
}

TEST_CASE("config change: the hook of the plugin keeps the plugin enabled") {
  const std::string on = R"({"enabledPlugins":{"ringfence@ringfence":true}})";
  const std::string off = R"({"enabledPlugins":{"ringfence@ringfence":false}})";
  Session session;
  session.File(kUser, on);
  CHECK(session.Reasons("", true) == "");
  CHECK(session.Reasons() == "");
  for (const char* file : {kProject, kLocal}) {
    CAPTURE(file);
    const Session other;
    other.File(kUser, on);
    other.File(file, off);
    CHECK(other.Reasons("", true) ==
          other.At(file) +
              " disables the plugin \"ringfence@ringfence\", which registers this hook\n");
    CHECK(other.Reasons() == "");  // the registration in the settings stays
  }
  // The local settings count before the project's, and these before the user's.
  session.File(kProject, off);
  session.File(kLocal, on);
  CHECK(session.Reasons("", true) == "");
  session.File(kLocal, R"({"enabledPlugins":{"ringfence@ringfence":1}})");
  CHECK(session.Reasons("", true) != "");
}

TEST_CASE("config change: a plugin that no file enables any more is noticed if one did") {
  const Session session;
  session.File(kUser, "{}");
  CHECK(session.Reasons("", true) == "");  // for example, the managed settings enable it
  session.File(kUser, R"({"enabledPlugins":{"a@b":true},"sandbox":{"excludedCommands":["x"]}})");
  session.Approve({kUser});
  CHECK(session.Reasons("", true) == "");
  session.File(kUser, R"({"enabledPlugins":{"ringfence@ringfence":true}})");
  session.Approve({kUser});
  session.File(kUser, "{}");
  CHECK(session.Reasons("", true) ==
        "no file enables the plugin \"ringfence@ringfence\", which registers this hook\n");
}

TEST_CASE("config change: the plugin of this installation needs no approval, others do") {
  const auto reasons = [](std::string_view path, std::string_view plugin) {
    const Session session;
    session.File(kUser, R"({"extraKnownMarketplaces":{"ringfence":{"source":{"source":"directory",)"
                        R"("path":")" +
                            std::string(path) + R"("}}},"enabledPlugins":{")" +
                            std::string(plugin) + R"(":true}})");
    return session.Reasons();
  };
  constexpr std::string_view kOwn = "/opt/ringfence/share/ringfence/claude-plugin";
  CHECK(reasons(kOwn, "ringfence@ringfence") == "");
  CHECK(reasons("/tmp/evil", "ringfence@ringfence") != "");
  CHECK(reasons(kOwn, "ringfence@other") != "");
  // `ringfence uninstall` knows only the program's name.
  const std::string text = R"({"extraKnownMarketplaces":{"ringfence":{"source":"directory"}}})";
  CHECK_FALSE(Weakens(ParseClientSettings(text, "s", "/s"), {}, "ringfence-hook").empty());
}

TEST_CASE("config change: a registration in the settings counts as the user approved it") {
  Session session;
  CHECK_FALSE(session.IsRegistered("PreToolUse"));  // not approved
  session.Approve({kUser});
  CHECK(session.IsRegistered("PreToolUse"));
  CHECK_FALSE(session.IsRegistered("SessionStart"));
  session.File(kLocal, R"({"disableAllHooks":true})");
  CHECK_FALSE(session.IsRegistered("PreToolUse"));
  session.File(kLocal, "{}");
  CHECK(session.IsRegistered("PreToolUse"));
  // Another hook than the approved one.
  session.File(kUser, R"({"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}})");
  CHECK_FALSE(session.IsRegistered("PreToolUse"));
  session.File(kUser, Registered(R"(,"model":5)"));  // the client drops the file
  CHECK_FALSE(session.IsRegistered("PreToolUse"));
  session.File(kUser, Registered());
  session.Directory(kProject);  // not a file
  CHECK_FALSE(session.IsRegistered("PreToolUse"));
  const Session damaged;
  damaged.File("home/.local/state/ringfence/approvals.json", "{");
  CHECK_FALSE(damaged.IsRegistered("PreToolUse"));
}
