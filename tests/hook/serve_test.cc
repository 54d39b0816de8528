// Serving a complete event, with files on the real disk.
#include "hook/serve.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "agents/claude/agent.h"
#include "agents/claude/settings/settings.h"
#include "base/text.h"
#include "tests/support/corpora.h"
#include "tests/support/temporary_tree.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

class Printed final : public Output {
 public:
  bool Print(const std::string& out) override {
    text += out;
    return true;
  }
  std::string text;
};

constexpr uint32_t kStranger = 4'000'000'000;  // no user in /etc/passwd

}  // namespace

TEST_CASE("serve: without a home a call is answered, and the user is told that it is not logged") {
  const TemporaryTree tree;
  tree.File("project/file");
  Registration registration{.agent = &ClaudeCode()};
  registration.project_dir = tree.At("project");
  registration.user = kStranger;
  const auto serve = [&](std::string_view path, Output& output) {
    const std::string event = R"({"hook_event_name":"PreToolUse","session_id":"s","cwd":)" +
                              JsonString(tree.At("project")) +
                              R"(,"permission_mode":"default","tool_name":"Read","tool_input":)" +
                              PathInput(path) + "}";
    TextSource source(event);
    return Serve(registration, source, output);
  };
  constexpr std::string_view kWhy = "the home directory is unknown";
  Printed permitted;
  const Reply reply = serve("file", permitted);
  CHECK(reply.status == 0);
  CHECK(permitted.text.empty());
  CHECK(reply.err.find(kWhy) != std::string::npos);
  Printed denied;
  const Reply refusal = serve("/etc/shadow", denied);
  CHECK(refusal.status == 0);
  CHECK(denied.text.find(R"("permissionDecision":"deny")") != std::string::npos);
  CHECK(refusal.err.find(kWhy) != std::string::npos);
  // A trial writes no log, so it needs no home for it.
  registration.trial = true;
  Printed trial;
  CHECK(serve("file", trial).err.empty());
}

namespace {

class PluginSession : public TemporaryTree {
 public:
  PluginSession() {
    File("project/file");
    Directory("home");
    registration.project_dir = At("project");
    registration.home = At("home");
    registration.user = kStranger;
  }

  Reply Say(std::string_view members, Printed& output) const {
    const std::string event = R"({"session_id":"s","cwd":)" + JsonString(At("project")) +
                              R"(,"permission_mode":"default",)" + std::string(members) + "}";
    TextSource source(event);
    return Serve(registration, source, output);
  }

  // What the hook prints for an event.
  std::string Said(std::string_view members) const {
    Printed printed;
    Say(members, printed);
    return printed.text;
  }

  std::string Log() const { return ReadWholeFile(At("home/.local/state/ringfence/audit.jsonl")); }

  // Registers the hook for the event, and approves it as `ringfence init` does.
  void Register(const char* event) const {
    const std::string text = R"({"hooks":{")" + std::string(event) +
                             R"(":[{"hooks":[{"type":"command","command":"/o/ringfence-hook",)"
                             R"("args":[],"onFailure":"block"}]}]}})";
    File("home/.claude/settings.json", text);
    const std::string path = At("home/.claude/settings.json");
    Approvals approvals;
    approvals.files.push_back(
        ApprovedAsIs(ParseClientSettings(text, path, path), "/o/ringfence-hook"));
    File("home/.local/state/ringfence/approvals.json", RenderApprovals(approvals));
  }

  Registration registration{.agent = &ClaudeCode()};
};

size_t Lines(const std::string& text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

constexpr std::string_view kRead =
    R"("hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/etc/shadow"})";
constexpr std::string_view kStart = R"("hook_event_name":"SessionStart","source":"startup")";
constexpr std::string_view kExplain =
    R"("hook_event_name":"UserPromptExpansion","command_name":"ringfence:explain",)"
    R"("command_args":"x","command_source":"plugin")";

}  // namespace

TEST_CASE("serve: both registrations deny a call, and the log has it once") {
  PluginSession session;
  for (const bool is_plugin : {true, false, false, true}) {
    session.registration.is_plugin = is_plugin;
    Printed printed;
    CHECK(session.Say(kRead, printed).err.empty());
    CHECK(printed.text.find("\"deny\"") != std::string::npos);
  }
  CHECK(Lines(session.Log()) == 2);
}

TEST_CASE("serve: the plugin tells the model nothing that the settings' registration tells") {
  PluginSession session;
  session.registration.is_plugin = true;
  const std::string alone = session.Said(kStart);
  CHECK_FALSE(alone.empty());
  session.Register("SessionStart");
  CHECK(session.Said(kStart).empty());
  session.registration.is_plugin = false;
  CHECK(session.Said(kStart) == alone);
}

TEST_CASE("serve: of two registrations, one tells about a refusal by a program") {
  constexpr std::string_view kFailed =
      R"("hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"x"},)"
      R"("error":"cat: /etc/shadow: Permission denied")";
  PluginSession session;
  session.registration.is_plugin = true;
  const std::string alone = session.Said(kFailed);
  CHECK(alone.find("/etc/shadow") != std::string::npos);
  session.Register("PostToolUseFailure");
  CHECK(session.Said(kFailed).empty());
}

TEST_CASE("serve: the settings' registration alone wraps commands, if both must") {
  constexpr std::string_view kCommand =
      R"("hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"true"})";
  constexpr std::string_view kRan =
      R"("hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"true"},)"
      R"("tool_response":{})";
  PluginSession session;
  session.File("home/.config/ringfence/policy.json",
               R"({"version":1,"permitted":"allow","bash":{"wrap":true}})");
  session.registration.program = "/o/ringfence-hook";
  session.registration.is_plugin = true;
  const std::string alone = session.Said(kCommand);
  CHECK(alone.find("/o/ringfence enter") != std::string::npos);
  CHECK(alone.find(R"("allow")") != std::string::npos);
  CHECK_FALSE(session.Said(kRan).empty());
  session.Register("PreToolUse");
  CHECK(session.Said(kCommand).empty());
  session.Register("PostToolUse");
  CHECK(session.Said(kRan).empty());
  session.Register("PreToolUse");
  session.registration.is_plugin = false;
  CHECK(session.Said(kCommand) == alone);
}

TEST_CASE("serve: a command of the plugin is handed to ringfence, with any policy") {
  PluginSession session;
  session.File("home/.config/ringfence/policy.json", "{");
  Printed printed;
  CHECK(session.Say(kExplain, printed).program.empty());
  session.registration.is_plugin = true;
  const Reply reply = session.Say(kExplain, printed);
  CHECK(reply.program.size() == 6);
  CHECK(reply.status == 0);
  CHECK(printed.text.empty());
  // A project can define a command of that name, which the client prefers.
  const Reply shadowed =
      session.Say(R"("hook_event_name":"UserPromptExpansion","command_name":"ringfence:explain",)"
                  R"("command_args":"x","command_source":"projectSettings")",
                  printed);
  CHECK(shadowed.program == reply.program);
  const Reply other = session.Say(R"("hook_event_name":"UserPromptExpansion")", printed);
  CHECK(other.program.empty());
  CHECK(other.status == 0);
  const std::string long_text = R"("hook_event_name":"UserPromptExpansion",)"
                                R"("command_name":"ringfence:explain","command_source":"plugin",)"
                                R"("command_args":")" +
                                std::string(5000, 'x') + '"';
  CHECK(session.Say(long_text, printed).status == 2);
}
