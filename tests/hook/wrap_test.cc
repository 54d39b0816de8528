// The line that the hook puts before a command, and its parser.
#include "hook/wrap.h"

#include <doctest/doctest.h>

#include "agents/claude/agent.h"
#include "base/text.h"
#include "tests/support/argument_words.h"

using namespace ringfence;

namespace {

Registration RegistrationOf(std::string folder = "/opt/ringfence/bin") {
  return {.root = "/home/dev/My Project",
          .project_dir = "",
          .home = "/home/dev",
          .home_variable = "/home/dév",
          .config_dir = "/home/dev/.claude",
          .policy = "",
          .profile = "50% off; rm",
          .program = "/usr/local/bin/ringfence-hook",
          .program_real = std::move(folder) + "/ringfence-hook"};
}

Event EventOf() {
  Event event;
  event.session_id = "0b1c-9";
  event.agent_type = "general purpose";
  event.permission_mode = "default";
  return event;
}

std::string LineOf(const Registration& registration = RegistrationOf(),
                   const Event& event = EventOf()) {
  const Result<std::string> line = WrapLine(registration, event);
  return line ? *line : "! " + line.error().text();
}

}  // namespace

TEST_CASE("wrap: the line needs no quotes, whatever the names are") {
  CHECK(LineOf() ==
        "/opt/ringfence/bin/ringfence enter --home %2Fhome%2Fdev --other-home %2Fhome%2Fd%C3%A9v "
        "--client-dir %2Fhome%2Fdev%2F.claude --root %2Fhome%2Fdev%2FMy%20Project "
        "--profile 50%25%20off%3B%20rm --session 0b1c-9 --agent-type general%20purpose "
        "--permission-mode default; \\builtin exit\n");
}

TEST_CASE("wrap: the content of the line is read back") {
  const std::string line = LineOf();
  ArgumentWords words(line.substr(0, line.size() - kWrapEnd.size()));
  Registration registration{.agent = &ClaudeCode()};
  Event event;
  REQUIRE(ReadWrapWords(words.all().subspan(2), registration, event).has_value());
  const Registration want = RegistrationOf();
  CHECK(registration.home == want.home);
  CHECK(registration.home_variable == want.home_variable);
  CHECK(registration.config_dir == want.config_dir);
  CHECK(registration.root == want.root);
  CHECK(registration.profile == want.profile);
  CHECK(registration.policy.empty());
  CHECK(event.session_id == "0b1c-9");
  CHECK(event.agent_type == "general purpose");
  CHECK(event.permission_mode == "default");
  CHECK(event.agent_id.empty());
}

TEST_CASE("wrap: words that no hook wrote are refused") {
  for (const char* text :
       {"--home", "--home /a --home /b", "--user x", "home /a", "--root %2", "--root %zz",
        "-- true", "--mode rwx", "--profile %", "--session", "--root "}) {
    CAPTURE(text);
    ArgumentWords words(text);
    Registration registration{.agent = &ClaudeCode()};
    Event event;
    CHECK_FALSE(ReadWrapWords(words.all(), registration, event).has_value());
  }
}

TEST_CASE("wrap: no line if a shell would need quotes for the program") {
  for (const char* folder :
       {"/opt/my tools", "/opt/a'b", "/opt/$HOME", "/opt/é", "/opt/a;b", "/opt/~x", "/opt/a*"}) {
    CAPTURE(folder);
    CHECK(LineOf(RegistrationOf(folder)).starts_with("! a shell would need quotes for "));
  }
  Registration unknown = RegistrationOf();
  unknown.program = unknown.program_real = "";
  CHECK(LineOf(unknown) == "! ringfence's own directory is unknown");
  unknown.program = "/usr/local/bin/ringfence-hook";
  CHECK(LineOf(unknown).starts_with("/usr/local/bin/ringfence enter "));
}

TEST_CASE("wrap: no line without a session, or if it is too long to be recognized") {
  Event event = EventOf();
  event.session_id = "";
  CHECK(LineOf(RegistrationOf(), event) == "! the event has no session id");
  Registration registration = RegistrationOf();
  registration.root = "/" + std::string(4096, 'x');
  CHECK(LineOf(registration) == "! the paths of the project and the policy are too long");
}

TEST_CASE("wrap: an executed command had the line byte for byte, except the permission mode") {
  const std::string line = LineOf();
  Event other = EventOf();
  other.permission_mode = "acceptEdits";
  Event none = EventOf();
  none.permission_mode = "";
  CHECK(HadLine(line + "ls", line));
  CHECK(HadLine(line, line));
  CHECK(HadLine(LineOf(RegistrationOf(), other) + "ls", line));
  CHECK(HadLine(LineOf(RegistrationOf(), none) + "ls", line));
  CHECK(HadLine(line + "ls", LineOf(RegistrationOf(), none)));
  Registration elsewhere = RegistrationOf();
  elsewhere.policy = "/tmp/policy.json";
  CHECK_FALSE(HadLine(LineOf(elsewhere) + "ls", line));
  CHECK_FALSE(HadLine("ls", line));
  CHECK_FALSE(HadLine("", line));
  CHECK_FALSE(HadLine(" " + line + "ls", line));
  CHECK_FALSE(HadLine(line.substr(0, line.size() - 1), line));
  std::string tail = line;
  tail.replace(tail.find("; \\builtin"), 3, "; ls; \\");
  CHECK_FALSE(HadLine(tail, line));
}

TEST_CASE("wrap: only the command of tool_input changes") {
  const std::string text = R"({ "a" : 1.0e2, "command":"echo \u00e4\ud800 \"x\"", "b":[ ] })";
  RawInput input{.text = text, .command = text.find("echo"), .beginning = "echo"};
  CHECK(WrappedInput(input, "run \\x\n") ==
        R"({ "a" : 1.0e2, "command":"run \\x\necho \u00e4\ud800 \"x\"", "b":[ ] })");
}
