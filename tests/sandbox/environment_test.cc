#include "sandbox/environment.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "agents/claude/agent.h"

using namespace ringfence;

namespace {

using Variables = std::vector<std::string>;

// The environment of a command of user 1000 in a full sandbox, unless a test changes it.
struct Caller {
  Variables variables;
  SandboxRules rules;
  bool is_agent = false;
  bool uses_host_network = false;
  bool is_nested = false;
  std::string tmp = "/tmp";
  std::string runtime = "/run/user/1000";
  std::vector<std::string> caches = {};
  std::string marker = "full";

  Variables Plan() const {
    return PlanEnvironment({.caller = variables,
                            .rules = rules,
                            .agent = ClaudeCode(),
                            .is_agent = is_agent,
                            .uses_host_network = uses_host_network,
                            .is_nested = is_nested,
                            .tmp = tmp,
                            .runtime = runtime,
                            .caches = caches,
                            .marker = marker});
  }
  bool Passes(const std::string& variable) const {
    return std::ranges::count(Plan(), variable) == 1;
  }
};

std::string NameOf(std::string_view variable) {
  return std::string(variable.substr(0, variable.find('=')));
}

size_t CountOf(const Variables& variables, std::string_view name) {
  return static_cast<size_t>(std::ranges::count_if(
      variables, [name](const std::string& variable) { return NameOf(variable) == name; }));
}

}  // namespace

TEST_CASE("environment: variables that programs and users need are passed on") {
  for (const std::string variable : {"PATH=/usr/bin:/bin",
                                     "HOME=/home/dev",
                                     "USER=dev",
                                     "LANG=C.UTF-8",
                                     "LC_ALL=de_DE.UTF-8",
                                     "TERM=xterm-256color",
                                     "TERM_PROGRAM=tmux",
                                     "COLUMNS=80",
                                     "TZ=UTC",
                                     "EDITOR=vi",
                                     "CC=clang",
                                     "CMAKE_GENERATOR=Ninja",
                                     "GOPATH=/home/dev/go",
                                     "VIRTUAL_ENV=/home/dev/v",
                                     "GIT_AUTHOR_NAME=A B",
                                     "GIT_COMMITTER_EMAIL=a@b.example",
                                     "CLAUDECODE=1",
                                     "NO_COLOR=",
                                     "PWD=/home/dev/project",
                                     "SOURCE_DATE_EPOCH=1"}) {
    CAPTURE(variable);
    CHECK(Caller{.variables = {variable}}.Passes(variable));
  }
}

TEST_CASE("environment: a nested sandbox passes on the egress proxy of the one around it") {
  Variables set;
  SetProxyVariables(set, 4321, "secret");
  const auto passed = [](const Variables& variables, bool is_nested) {
    const Caller caller{.variables = variables, .is_nested = is_nested};
    return std::ranges::count_if(variables, [&](const auto& one) { return caller.Passes(one); });
  };
  CHECK(passed(set, true) == 7);
  CHECK(passed(set, false) == 0);
  for (const char* other :
       {"HTTPS_PROXY=http://proxy.corp.example:8080", "HTTPS_PROXY=http://ringfence:x@evil.example",
        "HTTPS_PROXY", "NO_PROXY=*", "NODE_USE_ENV_PROXY=1",
        "OTHER=http://ringfence:secret@127.0.0.1:4321"}) {
    CAPTURE(other);
    CHECK(passed({other}, true) == 0);
  }
}

TEST_CASE("environment: variables that may hold a secret, or lead to one, are dropped") {
  for (const std::string_view name : {"AWS_SECRET_ACCESS_KEY",
                                      "AWS_SESSION_TOKEN",
                                      "AWS_PROFILE",
                                      "GITHUB_TOKEN",
                                      "GH_TOKEN",
                                      "GITLAB_TOKEN",
                                      "NPM_TOKEN",
                                      "NODE_AUTH_TOKEN",
                                      "OPENAI_API_KEY",
                                      "ANTHROPIC_API_KEY",
                                      "CLAUDE_CODE_OAUTH_TOKEN",
                                      "DATABASE_URL",
                                      "PGPASSWORD",
                                      "KUBECONFIG",
                                      "VAULT_TOKEN",
                                      "GOOGLE_APPLICATION_CREDENTIALS",
                                      "HTTPS_PROXY",
                                      "http_proxy",
                                      "DOCKER_HOST",
                                      "SSH_AUTH_SOCK",
                                      "GPG_AGENT_INFO",
                                      "DBUS_SESSION_BUS_ADDRESS",
                                      "DISPLAY",
                                      "XAUTHORITY",
                                      "WAYLAND_DISPLAY",
                                      "SUDO_ASKPASS",
                                      "PASSWORD",
                                      "X"}) {
    CAPTURE(name);
    const Caller caller{.variables = {std::string(name) + "=s3cret"}};
    CHECK(CountOf(caller.Plan(), name) == 0);
  }
}

TEST_CASE("environment: proxies of the host are dropped where they cannot be reached") {
  for (const std::string variable : {"HTTPS_PROXY=http://p:1", "http_proxy=http://p:1",
                                     "ALL_PROXY=socks5://p:1", "no_proxy=h"}) {
    CAPTURE(variable);
    Caller caller{.variables = {variable}, .is_agent = true};
    CHECK_FALSE(caller.Passes(variable));
    caller.uses_host_network = true;
    CHECK(caller.Passes(variable));
    caller.is_agent = false;
    CHECK_FALSE(caller.Passes(variable));
    caller.rules.env = {{"*"}};
    CHECK_FALSE(caller.Passes(variable));
  }
}

TEST_CASE("environment: variables that make programs run or load code are dropped") {
  for (const std::string_view name : {"LD_PRELOAD",
                                      "LD_LIBRARY_PATH",
                                      "LD_AUDIT",
                                      "DYLD_INSERT_LIBRARIES",
                                      "BASH_ENV",
                                      "ENV",
                                      "PROMPT_COMMAND",
                                      "BASH_FUNC_ls%%",
                                      "IFS",
                                      "GIT_DIR",
                                      "GIT_CONFIG_GLOBAL",
                                      "GIT_CONFIG_COUNT",
                                      "GIT_SSH_COMMAND",
                                      "GIT_EXTERNAL_DIFF",
                                      "GIT_EXEC_PATH",
                                      "GCONV_PATH",
                                      "PYTHONSTARTUP",
                                      "PERL5OPT",
                                      "RUBYOPT",
                                      "JAVA_TOOL_OPTIONS",
                                      "RUSTC_WRAPPER"}) {
    CAPTURE(name);
    const Caller caller{.variables = {std::string(name) + "=/home/dev/evil"}};
    CHECK(CountOf(caller.Plan(), name) == 0);
  }
}

TEST_CASE("environment: a listed name counts as a whole, with its letter case") {
  for (const std::string variable :
       {"PATHS=x", "MYPATH=x", "path=x", "Path=x", "XLC_ALL=x", "TERMX=x", "HOME2=x", "LC=x",
        " PATH=x", "=x", "", "NOVALUE"}) {
    CAPTURE(variable);
    CHECK_FALSE(Caller{.variables = {variable}}.Passes(variable));
  }
}

TEST_CASE("environment: a value is passed on byte for byte") {
  const std::string odd = "PAGER=a=b \"c\"\n\xff*?";
  CHECK(Caller{.variables = {odd}}.Passes(odd));
}

TEST_CASE("environment: the policy's list replaces the default list") {
  Caller caller{.variables = {"PATH=/bin", "LANG=C", "DEPLOY_KEY=k", "DEPLOY_HOST=h", "HOME=/h"}};
  caller.rules.env = {{"PATH", "DEPLOY_*"}};
  CHECK(caller.Passes("PATH=/bin"));
  CHECK(caller.Passes("DEPLOY_KEY=k"));
  CHECK(caller.Passes("DEPLOY_HOST=h"));
  CHECK_FALSE(caller.Passes("LANG=C"));
  CHECK_FALSE(caller.Passes("HOME=/h"));
}

TEST_CASE("environment: an empty list in the policy passes nothing on") {
  Caller caller{.variables = {"PATH=/bin", "HOME=/h"}, .tmp = ""};
  caller.rules.env.emplace();
  CHECK_FALSE(caller.Passes("PATH=/bin"));
  CHECK_FALSE(caller.Passes("HOME=/h"));
}

TEST_CASE("environment: a star in the policy passes everything on") {
  Caller caller{.variables = {"GITHUB_TOKEN=t", "X=1"}};
  caller.rules.env = {{"*"}};
  CHECK(caller.Passes("GITHUB_TOKEN=t"));
  CHECK(caller.Passes("X=1"));
}

TEST_CASE("environment: the agent gets what it needs for its service, its commands do not") {
  for (const std::string variable :
       {"ANTHROPIC_API_KEY=k", "CLAUDE_CODE_OAUTH_TOKEN=t", "CLAUDE_CONFIG_DIR=/c", "MCP_TIMEOUT=1",
        "BASH_DEFAULT_TIMEOUT_MS=1", "XDG_CONFIG_HOME=/x", "MAX_THINKING_TOKENS=1",
        "DISABLE_AUTOUPDATER=1", "SSL_CERT_FILE=/c", "NODE_EXTRA_CA_CERTS=/c", "VERTEX_REGION_X=r",
        "OTEL_METRICS_EXPORTER=none"}) {
    CAPTURE(variable);
    CHECK(Caller{.variables = {variable}, .is_agent = true}.Passes(variable));
    CHECK_FALSE(Caller{.variables = {variable}}.Passes(variable));
  }
}

TEST_CASE(
    "environment: the agent gets no keys of other services and no way to the host's programs") {
  for (const std::string variable :
       {"AWS_SECRET_ACCESS_KEY=k", "AWS_BEARER_TOKEN_BEDROCK=t", "GITHUB_TOKEN=t", "GH_TOKEN=t",
        "SSH_AUTH_SOCK=/s", "DISPLAY=:0", "WAYLAND_DISPLAY=w", "DBUS_SESSION_BUS_ADDRESS=unix:",
        "TMUX=/tmp/t", "LD_PRELOAD=x", "BASH_ENV=x", "NODE_TLS_REJECT_UNAUTHORIZED=0"}) {
    CAPTURE(variable);
    CHECK_FALSE(Caller{.variables = {variable}, .is_agent = true}.Passes(variable));
  }
}

TEST_CASE("environment: only root's client is told about the sandbox") {
  const auto told = [](uint32_t user, bool is_agent) {
    const Variables caller;
    const SandboxRules rules;
    const Variables planned = PlanEnvironment({.caller = caller,
                                               .rules = rules,
                                               .agent = ClaudeCode(),
                                               .is_agent = is_agent,
                                               .user = user,
                                               .marker = "full"});
    return std::string(EnvironmentValue(planned, "IS_SANDBOX"));
  };
  CHECK(told(0, true) == "1");
  CHECK(told(1000, true).empty());
  CHECK(told(0, false).empty());
}

TEST_CASE("environment: a confined client is told not to update itself") {
  Caller caller{.variables = {"DISABLE_AUTOUPDATER=0"}, .is_agent = true};
  CHECK(CountOf(caller.Plan(), "DISABLE_AUTOUPDATER") == 1);
  CHECK(EnvironmentValue(caller.Plan(), "DISABLE_AUTOUPDATER") == "1");
  caller.is_agent = false;
  CHECK(CountOf(caller.Plan(), "DISABLE_AUTOUPDATER") == 0);
}

TEST_CASE("environment: the client's temporary files are below the private directory") {
  Caller caller{.variables = {"CLAUDE_CODE_TMPDIR=/srv/tmp"}, .is_agent = true};
  CHECK(caller.Passes("CLAUDE_CODE_TMPDIR=/tmp"));
  caller.tmp = "";
  CHECK(caller.Passes("CLAUDE_CODE_TMPDIR=/srv/tmp"));
}

TEST_CASE(
    "environment: the agent gets its own variables plus the policy's list, no other secrets") {
  Caller caller{.variables = {"ANTHROPIC_API_KEY=k", "PATH=/bin", "LANG=C", "AWS_SECRET=s"},
                .is_agent = true};
  caller.rules.env = {{"PATH"}};
  CHECK(caller.Passes("ANTHROPIC_API_KEY=k"));
  CHECK(caller.Passes("PATH=/bin"));
  CHECK_FALSE(caller.Passes("LANG=C"));
  CHECK_FALSE(caller.Passes("AWS_SECRET=s"));
}

TEST_CASE("environment: temporary files are in the private directory") {
  const Variables planned = Caller{.variables = {"TMPDIR=/host/tmp"}}.Plan();
  for (const std::string_view name : {"TMPDIR", "TEMP", "TMP"}) {
    CAPTURE(name);
    CHECK(EnvironmentValue(planned, name) == "/tmp");
    CHECK(CountOf(planned, name) == 1);
  }
  CHECK(CountOf(Caller{.tmp = ""}.Plan(), "TMPDIR") == 0);
}

TEST_CASE("environment: a cache is where the plan says, whatever the policy's list passes on") {
  Caller caller{.variables = {"PIP_CACHE_DIR=/home/dev/pip", "PIP_CACHE_DIR=/other"},
                .caches = {"PIP_CACHE_DIR=/tmp/.cache/pip"}};
  caller.rules.env = {{"*"}};
  CHECK(CountOf(caller.Plan(), "PIP_CACHE_DIR") == 1);
  CHECK(EnvironmentValue(caller.Plan(), "PIP_CACHE_DIR") == "/tmp/.cache/pip");
}

TEST_CASE("environment: no variable leads to the job server of an outer make") {
  struct Row {
    std::string_view flags;
    std::string_view want;
  };
  static constexpr Row kRows[] = {
      {" -j4 --jobserver-auth=3,4", " -j4"},
      {" -j4 --jobserver-auth=fifo:/tmp/GMfifo12 --sync-mutex=fnm:/tmp/GmX", " -j4"},
      {" --jobserver-fds=3,4 -j", " -j"},
      {"ws -j --jobserver-auth=3,4 -- CC=gcc A=--jobserver-auth=1",
       "ws -j -- CC=gcc A=--jobserver-auth=1"},
      {"k", "k"},
      {"", ""},
      {" -- A=b c", " -- A=b c"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.flags);
    const Caller caller{.variables = {"MAKEFLAGS=" + std::string(row.flags)}};
    CHECK(EnvironmentValue(caller.Plan(), "MAKEFLAGS") == row.want);
  }
}

TEST_CASE(
    "environment: the run-time directory is the sandbox's own, and set only if it is created") {
  const Variables host{"XDG_RUNTIME_DIR=/run/user/0"};
  CHECK(EnvironmentValue(Caller{.variables = host}.Plan(), "XDG_RUNTIME_DIR") == "/run/user/1000");
  CHECK(CountOf(Caller{.variables = host, .runtime = ""}.Plan(), "XDG_RUNTIME_DIR") == 0);
}

TEST_CASE("environment: programs inside learn the layers, whatever the caller claims") {
  Caller caller{.variables = {"RINGFENCE_SANDBOX=none"}, .marker = "landlock"};
  caller.rules.env = {{"*"}};
  CHECK(EnvironmentValue(caller.Plan(), "RINGFENCE_SANDBOX") == "landlock");
  CHECK(CountOf(caller.Plan(), "RINGFENCE_SANDBOX") == 1);
}

TEST_CASE("environment: the variables of the proxy replace those of the caller") {
  std::vector<std::string> environment{"PATH=/bin", "HTTPS_PROXY=http://corp.example:8080"};
  SetProxyVariables(environment, 40000, "secret");
  for (const char* name :
       {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"}) {
    CAPTURE(name);
    CHECK(EnvironmentValue(environment, name) == "http://ringfence:secret@127.0.0.1:40000");
    CHECK(CountOf(environment, name) == 1);
  }
  CHECK(EnvironmentValue(environment, "NODE_USE_ENV_PROXY") == "1");
  CHECK(EnvironmentValue(environment, "PATH") == "/bin");
}

TEST_CASE("environment: git copies no sample hooks") {
  Caller caller{.variables = {"GIT_TEMPLATE_DIR=/home/dev/templates"}};
  caller.rules.env = {{"GIT_*"}};
  CHECK(CountOf(caller.Plan(), "GIT_TEMPLATE_DIR") == 1);
  CHECK(EnvironmentValue(caller.Plan(), "GIT_TEMPLATE_DIR").empty());
}

TEST_CASE("environment: a value is found by its whole name") {
  const Variables variables{"PATHS=no", "PATH", "PATH=/bin", "PATH=/other", "EMPTY="};
  CHECK(EnvironmentValue(variables, "PATHS") == "no");
  CHECK(EnvironmentValue(variables, "PATH") == "/bin");
  CHECK(EnvironmentValue(variables, "EMPTY").empty());
  CHECK(EnvironmentValue(variables, "PAT").empty());
  CHECK(EnvironmentValue({}, "PATH").empty());
}
