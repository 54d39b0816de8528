// Serving a complete event, with files on the real disk.
#include "hook/serve.h"

#include <doctest/doctest.h>

#include "agents/claude/agent.h"
#include "base/text.h"
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
