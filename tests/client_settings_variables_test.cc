// Which values of which variables count as usual. What the client then makes of a whole file is in
// client_settings_commands_test.cc.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "policy/client_settings.h"
#include "policy/client_settings_keys.h"

namespace ringfence {
namespace {

struct Row {
  std::string_view name;
  std::string_view value;
};

bool IsAccepted(std::string_view name, std::string_view value) {
  return !IsCodeVariable(name) || IsUsualValue(name, value);
}

template <size_t count>
void CheckAll(const Row (&rows)[count], bool accepted) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.value);
    CHECK(IsAccepted(row.name, row.value) == accepted);
  }
}

TEST_CASE("client settings: white space other than a space hides no second option") {
  static constexpr Row kRows[] = {
      {"JAVA_TOOL_OPTIONS", "-XX:+UseG1GC\t-javaagent:/x.jar"},
      {"JAVA_TOOL_OPTIONS", "-XX:+UseG1GC\n-javaagent:/x.jar"},
      {"JAVA_TOOL_OPTIONS", "-XX:+UseG1GC\v-javaagent:/x.jar"},
      {"JAVA_TOOL_OPTIONS", "-XX:+UseG1GC\f-javaagent:/x.jar"},
      {"JAVA_TOOL_OPTIONS", "-XX:+UseG1GC\r-javaagent:/x.jar"},
      {"JAVA_TOOL_OPTIONS", "-XX:+UseG1GC -javaagent:/x.jar"},
      {"MAVEN_OPTS", "-Xmx2g\xC2\xA0-javaagent:/x.jar"},
      {"MAVEN_OPTS", "-Xmx2g\xE2\x80\x83-javaagent:/x.jar"},
      {"PYTEST_ADDOPTS", "--color=yes\t-pevil"},
      {"PYTEST_ADDOPTS", "-q\t-pevil"},
      {"GOFLAGS", "-v\t-toolexec=/tmp/x"},
      {"CFLAGS", "-O2\t-g"},
      {"EDITOR", "vim\t-c"},
  };
  CheckAll(kRows, false);
  const ClientSettings settings = ParseClientSettings(
      R"({"env": {"PYTEST_ADDOPTS": "--color=yes\t-pevil"}})", "settings.json", "/h/settings.json");
  CHECK(settings.Texts("/env/PYTEST_ADDOPTS") != nullptr);
}

TEST_CASE("client settings: the end of a usual option brings no code") {
  static constexpr Row kRows[] = {
      {"CFLAGS", "-D$(shell\ttouch\tp1)"},
      {"CFLAGS", "-D$(info,x)"},
      {"CFLAGS", "-DX=;touch\tp2"},
      {"CFLAGS", "-DX=|sh"},
      {"CFLAGS", "-DX&sh"},
      {"CFLAGS", "-DX=<x"},
      {"CFLAGS", "-DX=>x"},
      {"CFLAGS", "-D`sh`"},
      {"CFLAGS", "-DX=\"x"},
      {"CFLAGS", "-DX='x"},
      {"CFLAGS", "-DX=\\x"},
      {"CFLAGS", "-march=$(shell:x)"},
      {"CFLAGS", "-I/tmp/x"},
      {"CFLAGS", "-I/usr/../tmp/x"},
      {"LDFLAGS", "-Wl,-z,now,-plugin,/path/plug.so"},
      {"LDFLAGS", "-Wl,-z,now,--dynamic-linker,/tmp/x"},
      {"LDFLAGS", "-Wl,-O1,-plugin,/path/plug.so"},
      {"LDFLAGS", "-Wl,--as-needed=,-plugin,/path/plug.so"},
      {"LDFLAGS", "-l:evil.so"},
      {"LDFLAGS", "-L/tmp"},
      {"LDFLAGS", "-L/usr/lib/../../tmp"},
      {"LDFLAGS", "-fuse-ld=lld=/../../tmp/x"},
      {"MAVEN_OPTS", "-Duser.home=/tmp/x"},
      {"MAKEFLAGS", "--jobs=$(shell:x)"},
  };
  CheckAll(kRows, false);
  static constexpr Row kUsual[] = {
      {"CFLAGS", "-O2 -DNDEBUG -DVERSION=1.2 -std=c11 -march=native -I/usr/local/include"},
      {"CFLAGS", "-fsanitize=address,undefined -Werror -Werror=format -fno-exceptions"},
      {"LDFLAGS", "-L/opt/homebrew/lib -lm -lstdc++ -Wl,-z,relro,-z,now -fuse-ld=mold"},
      {"JAVA_TOOL_OPTIONS", "-XX:+UseG1GC -XX:MaxRAMPercentage=75.0 -Duser.timezone=Europe/Berlin"},
      {"GOFLAGS", "-mod=vendor -tags=a,b"},
      {"CFLAGS", " -g  "},
      {"CFLAGS", ""},
  };
  CheckAll(kUsual, true);
}

}  // namespace
}  // namespace ringfence
