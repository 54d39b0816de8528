// Values of variables that count as usual. For reports about whole settings files, see
// settings_commands_test.cc.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "agents/claude/settings/keys.h"
#include "agents/claude/settings/settings.h"

using namespace ringfence;

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

TEST_CASE("client settings: white space other than a space cannot hide a second option") {
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

TEST_CASE("client settings: the end of a usual option adds no code") {
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

TEST_CASE("client settings: variables that start or load another program") {
  for (const std::string_view name : {"PYENV_HOOK_PATH",
                                      "RBENV_HOOK_PATH",
                                      "NODENV_HOOK_PATH",
                                      "LEFTHOOK_BIN",
                                      "LEFTHOOK_CONFIG",
                                      "TG_TF_PATH",
                                      "TERRAGRUNT_TFPATH",
                                      "OTHER_TF_PATH",
                                      "BAZEL_SH",
                                      "NINJA",
                                      "PROTOC",
                                      "HOST_CC",
                                      "TARGET_CC",
                                      "HOST_CXX",
                                      "TARGET_CXX",
                                      "CC_x86_64_unknown_linux_gnu",
                                      "CXX_aarch64-apple-darwin",
                                      "AR_x86_64_unknown_linux_gnu",
                                      "CC_FOR_BUILD",
                                      "CFLAGS_x86_64_unknown_linux_gnu",
                                      "HOST_PKG_CONFIG",
                                      "PKG_CONFIG_PATH_FOR_TARGET",
                                      "LINKER",
                                      "CMAKE_PROGRAM_PATH",
                                      "LEIN_JAVA_CMD",
                                      "CYPRESS_RUN_BINARY",
                                      "CYPRESS_INSTALL_BINARY",
                                      "ELECTRON_OVERRIDE_DIST_PATH",
                                      "SWIFT_EXEC",
                                      "DEVELOPER_DIR",
                                      "ASDF_CONFIG_FILE",
                                      "MISE_CONFIG_FILE",
                                      "CATALINA_OPTS",
                                      "MAVEN_DEBUG_OPTS",
                                      "CARGO_ENCODED_RUSTDOCFLAGS",
                                      "GDK_PIXBUF_MODULE_FILE",
                                      "PLAYWRIGHT_BROWSERS_PATH",
                                      "CONDA_EXE",
                                      "QT_QPA_PLATFORM_PLUGIN_PATH",
                                      "OMP_TOOL_LIBRARIES",
                                      "SUDO_EDITOR",
                                      "P4DIFF",
                                      "P4EDITOR",
                                      "MANOPT",
                                      "PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH",
                                      "SVN_ASKPASS"}) {
    CAPTURE(name);
    CHECK_FALSE(IsAccepted(name, "/tmp/x"));
  }
  static constexpr Row kUsual[] = {
      {"CC_TEST_REPORTER_ID", "0123"},
      {"CC_", "x"},
      {"CC_{", "x"},
      {"CCACHE_DIR", "/tmp/x"},
      {"MY_CC", "x"},
      {"LEFTHOOK", "0"},
      {"HOST_CC", "gcc"},
      {"CC_x86_64_unknown_linux_gnu", "clang"},
      {"CFLAGS_x86_64_unknown_linux_gnu", "-O2"},
      {"TG_TF_PATH", "tofu"},
      {"CYPRESS_INSTALL_BINARY", "0"},
      {"CYPRESS_INSTALL_BINARY", "13.6.1"},
      {"DEVELOPER_DIR", "/Applications/Xcode.app/Contents/Developer"},
  };
  CheckAll(kUsual, true);
}

TEST_CASE("client settings: variables that say where packages and answers come from") {
  static constexpr Row kRows[] = {
      {"PIP_INDEX_URL", "https://x.example/simple"},
      {"PIP_EXTRA_INDEX_URL", "https://x.example"},
      {"PIP_INDEX_URL", "https://pypi.org/simple https://x.example"},
      {"UV_INDEX_URL", "https://x.example"},
      {"UV_DEFAULT_INDEX", "https://x.example"},
      {"UV_INDEX", "https://x.example"},
      {"npm_config_registry", "https://x.example"},
      {"NPM_CONFIG_REGISTRY", "https://registry.npmjs.org.x.example"},
      {"npm_config_@acme:registry", "https://x.example"},
      {"pnpm_config_registry", "https://x.example"},
      {"YARN_NPM_REGISTRY_SERVER", "https://x.example"},
      {"GOPROXY", "https://x.example,direct"},
      {"GOPROXY", "https://proxy.golang.org|https://x.example"},
      {"GOSUMDB", "off"},
      {"GONOSUMDB", "*"},
      {"GOPRIVATE", "*"},
      {"GOINSECURE", "*"},
      {"CARGO_REGISTRIES_ACME_INDEX", "https://x.example"},
      {"ELECTRON_MIRROR", "https://x.example"},
      {"PLAYWRIGHT_DOWNLOAD_HOST", "https://x.example"},
      {"ANTHROPIC_BASE_URL", "https://x.example"},
      {"ANTHROPIC_BASE_URL", "https://api.anthropic.com.x.example"},
      {"ANTHROPIC_BEDROCK_BASE_URL", "https://x.example"},
      {"ANTHROPIC_UNIX_SOCKET", "/tmp/x"},
  };
  CheckAll(kRows, false);
  static constexpr Row kUsual[] = {
      {"PIP_INDEX_URL", "https://pypi.org/simple"},
      {"NPM_CONFIG_REGISTRY", "https://registry.npmjs.org/"},
      {"GOPROXY", "https://proxy.golang.org,direct"},
      {"GOSUMDB", "sum.golang.org"},
      {"ANTHROPIC_BASE_URL", "https://api.anthropic.com"},
      {"ANTHROPIC_MODEL", "opus"},
  };
  CheckAll(kUsual, true);
}

TEST_CASE("client settings: options of less that run commands or write files") {
  static constexpr Row kRows[] = {
      {"LESS", "+!sh\n"},
      {"LESS", "-R +!sh"},
      {"LESS", "-R+!sh"},
      {"LESS", "+|^sh"},
      {"LESS", "-ox"},
      {"LESS", "-Ox"},
      {"LESS", "-Ro"},
      {"LESS", "-kx"},
      {"LESS", "-tx"},
      {"LESS", "-Tx"},
      {"LESS", "--lesskey-src=x"},
      {"LESS", "--lesskey-file=x"},
      {"LESS", "--log-file=x"},
      {"LESS", "--tag-file=x"},
      {"LESS", "-P!x"},
      {"LESS", "-R\t+!sh"},
      {"LESS", "-R$+!sh"},
      {"LESS", "--wheel-lines=3+!sh"},
      {"LESS", "--tabs="},
      {"SYSTEMD_LESS", "+!sh\n"},
  };
  CheckAll(kRows, false);
  static constexpr Row kUsual[] = {
      {"LESS", ""},           {"LESS", "-R"},
      {"LESS", "FRX"},        {"LESS", "-iMRS -x4 -j.5"},
      {"LESS", "-R --mouse"}, {"SYSTEMD_LESS", "--RAW-CONTROL-CHARS --wheel-lines=3"},
  };
  CheckAll(kUsual, true);
}

TEST_CASE("client settings: ordinary programs and options are not reported") {
  static constexpr Row kUsual[] = {
      {"EDITOR", "/usr/bin/vim"},
      {"EDITOR", "nano -w"},
      {"EDITOR", "subl --wait"},
      {"EDITOR", "code --wait"},
      {"EDITOR", "/usr/local/bin/code --wait -n"},
      {"EDITOR", "emacsclient -nw"},
      {"GIT_SEQUENCE_EDITOR", ":"},
      {"LAUNCH_EDITOR", "webstorm"},
      {"PAGER", ""},
      {"GIT_PAGER", ""},
      {"AWS_PAGER", ""},
      {"PAGER", "/opt/homebrew/bin/less -FRX"},
      {"BROWSER", "none"},
      {"SHELL", "/usr/local/bin/fish"},
      {"CC", "gcc-13"},
      {"CC", "/usr/bin/gcc"},
      {"CC", "/bin/clang-14"},
      {"CXX", "clang++-14.0"},
      {"CC", "aarch64-linux-gnu-gcc"},
      {"CC", "/usr/bin/x86_64-linux-gnu-gcc-12"},
      {"CC", "ccache gcc"},
      {"CPP", "gcc -E"},
      {"RUSTC_WRAPPER", "sccache"},
      {"MAKEFLAGS", "-j3"},
      {"MAKEFLAGS", "-j 128 -l2.5"},
      {"NODE_OPTIONS", "--experimental-vm-modules"},
      {"NODE_OPTIONS", "--openssl-legacy-provider"},
      {"PYTEST_ADDOPTS", "-n 4"},
      {"PYTEST_ADDOPTS", "-n4 -n auto"},
      {"PYTHONWARNINGS", "ignore::DeprecationWarning"},
      {"PYTHONWARNINGS", "error,ignore::UserWarning,default:::0"},
      {"PYTHONBREAKPOINT", "0"},
      {"CFLAGS", "-ffast-math"},
      {"GIT_CONFIG_NOSYSTEM", "1"},
      {"GOTOOLCHAIN", "local"},
      {"GOTOOLCHAIN", "go1.23.1"},
  };
  CheckAll(kUsual, true);
}

TEST_CASE("client settings: a usual name in another directory, or of another kind, is reported") {
  static constexpr Row kRows[] = {
      {"EDITOR", "/tmp/vim"},
      {"EDITOR", "/usr/bin/../../tmp/vim"},
      {"EDITOR", "/usr/bin//tmp/vim"},
      {"EDITOR", "bin/vim"},
      {"EDITOR", "vim -u /tmp/x"},
      {"EDITOR", "vim -c !sh"},
      {"EDITOR", "nano;sh"},
      {"EDITOR", " vim"},
      {"EDITOR", "gcc"},
      {"EDITOR", "x-vim"},
      {"PAGER", "sh"},
      {"PAGER", "less -o x"},
      {"PAGER", "less +!sh"},
      {"SHELL", "/tmp/bash"},
      {"SHELL", "vim"},
      {"CC", "/tmp/gcc"},
      {"CC", "/tmp/aarch64-linux-gnu-gcc"},
      {"CC", "/usr/bin/../../tmp/x-gcc"},
      {"CC", "$(shell\tx)-gcc"},
      {"CC", "a;b-gcc"},
      {"CC", "X=y-gcc"},
      {"CC", "gcc-x"},
      {"CC", "gcc -B/tmp"},
      {"CC", "ccache /tmp/x"},
      {"MAKEFLAGS", "-j3x"},
      {"PYTEST_ADDOPTS", "-n 4 -p evil"},
      {"PYTHONWARNINGS", "ignore::evil.Warning"},
      {"PYTHONWARNINGS", "ignore::DeprecationWarning,error::evil.Warning"},
      {"PYTHONBREAKPOINT", "evil.run"},
      {"GIT_CONFIG_NOSYSTEM", "maybe"},
      {"GIT_CONFIG_GLOBAL", "1"},
      {"GOTOOLCHAIN", "/tmp/go"},
      {"GOTOOLCHAIN", "go1.23.1+path"},
      {"NODE_OPTIONS", "--experimental-loader=/tmp/x"},
      {"CFLAGS", "-fplugin=/tmp/x"},
  };
  CheckAll(kRows, false);
}

}  // namespace
