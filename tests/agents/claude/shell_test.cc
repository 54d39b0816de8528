// `ringfence enter` and the script of the shell that started it.
#include "agents/claude/shell.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

constexpr std::string_view kLine = "/opt/ringfence enter --root %2Fp; \\builtin exit\n";

// The client's script; COMMAND is already quoted.
std::string Script(std::string_view command, std::string_view end = " && pwd -P >| /tmp/c-1-cwd") {
  return "source /c/snapshot.sh 2>/dev/null || true && eval '" + std::string(command) + "'" +
         std::string(end);
}

std::string Without(const std::string& script) {
  const Result<std::string> rest = WithoutLine(script, std::string(kLine));
  return rest ? *rest : "!";
}

std::string Words(std::string_view line) {
  const Result<std::vector<std::string>> words = ParseShellWords(line);
  if (!words) return "!";
  std::string text;
  for (const std::string& word : *words) text += "[" + word + "]";
  return text;
}

}  // namespace

TEST_CASE("client shell: a command line with a script, and nothing else, is accepted") {
  using namespace std::string_view_literals;
  CHECK(Words("/bin/bash\0-c\0echo 'a\nb'\0"sv) == "[/bin/bash][-c][echo 'a\nb']");
  CHECK(Words("/bin/zsh\0-c\0-l\0true\0"sv) == "[/bin/zsh][-c][-l][true]");
  CHECK(Words("/bin/bash\0-c\0\0"sv) == "[/bin/bash][-c][]");
  for (const std::string_view line :
       {""sv, "\0"sv, "bash\0"sv, "bash\0-c\0"sv, "bash\0-c\0true"sv, "bash\0-x\0true\0"sv,
        "bash\0script\0x\0"sv, "bash\0-c\0true\0x\0"sv, "bash\0-c\0-l\0true\0x\0"sv}) {
    CAPTURE(line);
    CHECK(Words(line) == "!");
  }
}

TEST_CASE("client shell: the line is removed, and every other byte stays") {
  const std::string line(kLine);
  CHECK(Without(Script(line + "ls")) == Script("ls"));
  CHECK(Without(Script(line)) == Script(""));
  CHECK(Without(Script(line + line + "ls")) == Script(line + "ls"));
  CHECK(Without(Script(line + "echo '\"'\"'" + line)) == Script("echo '\"'\"'" + line));
}

TEST_CASE("client shell: a script that does not begin with the line is not run") {
  const std::string line(kLine);
  CHECK(Without(Script("ls")) == "!");
  CHECK(Without(Script(" " + line + "ls")) == "!");
  CHECK(Without(Script("ls; " + line)) == "!");
  CHECK(Without(line + "ls") == "!");
  CHECK(Without(Script(line.substr(0, line.size() - 1))) == "!");
  CHECK(Without("") == "!");
}

TEST_CASE("client shell: the file for the working directory comes at the end") {
  CHECK(DirectoryFile(Script("ls")) == "/tmp/c-1-cwd");
  CHECK(DirectoryFile(Script("ls", " < /dev/null && pwd -P >| /tmp/c-1-cwd")) == "/tmp/c-1-cwd");
  CHECK(DirectoryFile(Script("ls", " && pwd -P >| '/t m/c-1-cwd'")) == "/t m/c-1-cwd");
  CHECK(DirectoryFile(Script("x && pwd -P >| /tmp/mine")) == "/tmp/c-1-cwd");
  for (const char* end : {"", " && true", " && pwd -P >| tmp/c", " && pwd -P >| /tmp/../etc/x",
                          " && pwd -P >| /tmp/a b", " && pwd -P >| /tmp/$X", " && pwd -P >| ",
                          " && pwd -P >| /tmp/c-1-cwd; ls", " && pwd -P >| '/tmp/it'x'"}) {
    CAPTURE(end);
    CHECK(DirectoryFile(Script("ls", end)) == "");
  }
}
