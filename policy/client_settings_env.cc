#include <algorithm>
#include <string_view>

#include "policy/client_settings_keys.h"
#include "policy/word_list.h"

namespace ringfence {
namespace {

// Whatever their value is.
// clang-format off
constexpr WordList kNames(
    // shells, and where programs are found
    "BASH_ENV\nENV\nZDOTDIR\nPROMPT_COMMAND\nPS4\nSHELLOPTS\nBASHOPTS\n"
    "BASH_LOADABLES_PATH\nPATH\n"
    // commands that programs start
    "LESSOPEN\nLESSCLOSE\nSUDO_ASKPASS\nSSH_ASKPASS\nRSYNC_RSH\nCVS_RSH\nRUSTC_WRAPPER\n"
    "RUSTC_WORKSPACE_WRAPPER\nCMAKE_TOOLCHAIN_FILE\n"
    "GIT_ASKPASS\nGIT_CONFIG\nGIT_DIR\nGIT_EXEC_PATH\nGIT_EXTERNAL_DIFF\n"
    "GIT_PROXY_COMMAND\nGIT_SSH\nGIT_SSH_COMMAND\nGIT_TEMPLATE_DIR\nGIT_COMMON_DIR\n"
    // code that interpreters and libraries load
    "NODE_PATH\nNODE_REPL_EXTERNAL_MODULE\nBUN_OPTIONS\nBUN_INSPECT_PRELOAD\n"
    "PYTHONSTARTUP\nPYTHONPATH\nPYTHONHOME\nPYTHONUSERBASE\nPYTHONBREAKPOINT\nPERL5OPT\n"
    "PERL5LIB\nPERLLIB\nPERL5DB\nRUBYOPT\nRUBYLIB\nBUNDLE_GEMFILE\nCLASSPATH\nLUA_INIT\n"
    "LUA_PATH\nLUA_CPATH\nPHP_INI_SCAN_DIR\nPHPRC\nR_PROFILE\nR_PROFILE_USER\n"
    "JULIA_LOAD_PATH\nDOTNET_STARTUP_HOOKS\nCORECLR_PROFILER\nCORECLR_PROFILER_PATH\n"
    "VIMINIT\nEXINIT\nGCONV_PATH\nOPENSSL_CONF\nOPENSSL_MODULES\nXDG_CONFIG_HOME\n"
    "npm_config_script_shell\nnpm_config_node_options\nnpm_config_globalconfig\n"
    "npm_config_userconfig\nPIP_CONFIG_FILE\n"
    // the client's own: programs, plugins, settings, hooks
    "CLAUDE_CONFIG_DIR\nCLAUDE_ENV_FILE\nCLAUDE_DEV_MODS_DIR\nCLAUDE_RUNNER_CLAUDE_BIN\n"
    "CLAUDE_RUNNER_UPDATE_BIN\nCLAUDE_CODE_SIMPLE\nCLAUDE_CODE_SAFE_MODE\n"
    "CLAUDE_CODE_PERSONAL_HOOKS_OFF\nCLAUDE_CODE_RESTRICT_PERSONAL_CONFIG\n"
    "CLAUDE_CODE_SHELL\nCLAUDE_CODE_SHELL_PREFIX\nCLAUDE_CODE_SHELL_LAUNCHER_SCRIPT\n"
    "CLAUDE_CODE_SHELL_MCP_SERVERS\nCLAUDE_CODE_PROCESS_WRAPPER\nCLAUDE_CODE_BUBBLEWRAP\n"
    "CLAUDE_CODE_SANDBOXED\nCLAUDE_CODE_GIT_BASH_PATH\nCLAUDE_CODE_TEAMMATE_COMMAND\n"
    "CLAUDE_CODE_PLUGIN_DIRS\nCLAUDE_CODE_PLUGIN_SEED_DIR\nCLAUDE_CODE_PLUGIN_CACHE_DIR\n"
    "CLAUDE_CODE_PLUGIN_ARCHIVE_URL\nCLAUDE_CODE_SYNC_PLUGINS\n"
    "CLAUDE_CODE_DESKTOP_SKILLS_PLUGIN_DIR\nCLAUDE_CODE_REMOTE_MCP_CONFIG\n"
    "CLAUDE_CODE_REMOTE_SETTINGS_PATH\nCLAUDE_CODE_MANAGED_SETTINGS_PATH\n"
    "CLAUDE_CODE_EXPERIMENTAL_CODE_MODE\nCLAUDE_CODE_ENABLE_FUNCTION_HOOKS\n"
    "CLAUDE_CODE_EVEN_MORE_DANGEROUSLY_SKIP_PERMISSIONS\nCLAUDE_PTY_HOST_EXEC\n"
    "CLAUDE_SSH_LOCAL_BINARY\n");

// The names of programs. Of the usual ones there is nothing to say.
constexpr WordList kPrograms(
    "EDITOR\nVISUAL\nPAGER\nMANPAGER\nBROWSER\nSHELL\nCC\nCXX\nRUSTC\nCARGO\n"
    "CMAKE_C_COMPILER_LAUNCHER\nCMAKE_CXX_COMPILER_LAUNCHER\n"
    "GIT_EDITOR\nGIT_PAGER\nGIT_SEQUENCE_EDITOR\n");
constexpr WordList kUsualPrograms(
    "vi\nvim\nnvim\nnano\nemacs\nemacsclient\nmicro\nhx\nkak\ncode\ncode --wait\n"
    "code -w\ncursor --wait\nzed --wait\nsubl -w\nless\nless -R\nless -FRX\nmore\nmost\ncat\n"
    "bat\ndelta\ntrue\n:\n"
    "/bin/sh\n/bin/bash\n/bin/zsh\n/usr/bin/bash\n/usr/bin/zsh\n/usr/bin/fish\n"
    "cc\nc++\ngcc\ng++\nclang\nclang++\nccache\nsccache\nrustc\ncargo\n"
    "firefox\nchromium\ngoogle-chrome\nxdg-open\nopen\n");

// Options of interpreters. Of those that only set sizes and the like there is nothing to say.
constexpr WordList kOptions(
    "NODE_OPTIONS\nJAVA_TOOL_OPTIONS\nJDK_JAVA_OPTIONS\n_JAVA_OPTIONS\nJAVA_OPTS\n"
    "MAVEN_OPTS\nGRADLE_OPTS\nSBT_OPTS\n");
constexpr WordList kUsualOptions(
    "--max-old-space-size\n--max-semi-space-size\n--max-http-header-size\n--no-warnings\n"
    "--no-deprecation\n--enable-source-maps\n--trace-warnings\n--trace-deprecation\n"
    "--use-system-ca\n--use-openssl-ca\n--dns-result-order\n--unhandled-rejections\n"
    "-Xmx\n-Xms\n-Xss\n-XX:Max\n-XX:+Use\n-XX:-Use\n-Dfile.encoding=\n-Duser.\n-Djava.awt.headless=\n");
// clang-format on

constexpr std::string_view kBeginnings[] = {"LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG_"};

bool IsUsualOption(std::string_view option) {
  for (const std::string_view usual : kUsualOptions) {
    if (!option.starts_with(usual)) continue;
    const bool has_value = !usual.starts_with("--");
    if (has_value || option.size() == usual.size() || option[usual.size()] == '=') return true;
  }
  return false;
}

bool AreUsualOptions(std::string_view value) {
  while (!value.empty()) {
    const std::string_view word = value.substr(0, value.find(' '));
    value.remove_prefix(std::min(word.size() + 1, value.size()));
    if (!word.empty() && !IsUsualOption(word)) return false;
  }
  return true;
}

}  // namespace

bool IsCodeVariable(std::string_view name) {
  for (const std::string_view beginning : kBeginnings) {
    if (name.starts_with(beginning)) return true;
  }
  return kNames.Contains(name) || kPrograms.Contains(name) || kOptions.Contains(name);
}

bool IsUsualValue(std::string_view name, std::string_view value) {
  if (kPrograms.Contains(name)) return kUsualPrograms.Contains(value);
  return kOptions.Contains(name) && AreUsualOptions(value);
}

}  // namespace ringfence
