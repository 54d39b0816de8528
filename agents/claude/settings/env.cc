#include <string>
#include <string_view>

#include "agents/claude/settings/keys.h"
#include "base/ascii.h"
#include "policy/rules/word_list.h"

namespace ringfence {
namespace {

// Variables that count as code, whatever their value.
// clang-format off
constexpr WordList kCodeVariables(
    // shells, and search paths for programs
    "BASH_ENV\nENV\nZDOTDIR\nPROMPT_COMMAND\nPS4\nSHELLOPTS\nBASHOPTS\n"
    "BASH_LOADABLES_PATH\nPATH\nHOME\nFPATH\nCDPATH\n"
    // commands that programs start
    "LESSOPEN\nLESSCLOSE\nSUDO_ASKPASS\nSSH_ASKPASS\nRSYNC_RSH\nCVS_RSH\n"
    "RUSTC_WORKSPACE_WRAPPER\nCMAKE_TOOLCHAIN_FILE\nLEFTHOOK_BIN\nLEFTHOOK_CONFIG\n"
    "CYPRESS_RUN_BINARY\nELECTRON_OVERRIDE_DIST_PATH\nP4DIFF\nP4MERGE\nMANOPT\n"
    "GIT_ASKPASS\nGIT_CONFIG\nGIT_DIR\nGIT_EXEC_PATH\nGIT_EXTERNAL_DIFF\n"
    "GIT_PROXY_COMMAND\nGIT_SSH\nGIT_SSH_COMMAND\nGIT_TEMPLATE_DIR\nGIT_COMMON_DIR\n"
    // build tools: wrappers, compilers, plugins, other files to read
    "MAKEFILES\nGNUMAKEFLAGS\nMAKE\nTAR_OPTIONS\nZIPOPT\nRSYNC_CONNECT_PROG\nRUSTDOC\n"
    "CARGO_HOME\nCARGO_BUILD_RUSTC\n"
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER\nCARGO_BUILD_RUSTDOC\n"
    "CARGO_REGISTRY_CREDENTIAL_PROVIDER\nCARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS\n"
    "RUSTUP_HOME\nRUSTUP_TOOLCHAIN\nRUSTUP_DIST_SERVER\nRUSTUP_UPDATE_ROOT\nGOENV\n"
    "GOROOT\nGOTOOLDIR\nGOAUTH\nGOVCS\nGOCACHEPROG\nGOBIN\nPKG_CONFIG\n"
    "PKG_CONFIG_PATH\nPKG_CONFIG_LIBDIR\nGCC_EXEC_PREFIX\nCOMPILER_PATH\n"
    "CCC_OVERRIDE_OPTIONS\nCCACHE_PREFIX\nCCACHE_PREFIX_CPP\nCCACHE_COMPILER\n"
    "CCACHE_CONFIGPATH\nCMAKE_PREFIX_PATH\nJAVA_HOME\nJAVACMD\nMAVEN_HOME\nM2_HOME\n"
    "MAVEN_CONFIG\nMVNW_REPOURL\nGRADLE_HOME\nGRADLE_USER_HOME\nANT_HOME\nANT_ARGS\n"
    "BAZELISK_BASE_URL\nBAZELISK_FORMAT_URL\nDOTNET_ROOT\nDOTNET_ADDITIONAL_DEPS\n"
    "DOTNET_SHARED_STORE\nCOR_PROFILER\nCOR_PROFILER_PATH\nCORECLR_ENABLE_PROFILING\n"
    "MSBUILD_EXE_PATH\nNUGET_PLUGIN_PATHS\nPRE_COMMIT_HOME\nCOREPACK_HOME\n"
    "COMPOSER_HOME\nYARN_RC_FILENAME\nYARN_YARN_PATH\nYARN_PLUGINS\nESBUILD_BINARY_PATH\n"
    "CMAKE_PROGRAM_PATH\nASDF_CONFIG_FILE\nMISE_CONFIG_FILE\n"
    // sources of packages, and what is accepted without verification
    "PIP_FIND_LINKS\nPIP_TRUSTED_HOST\nUV_FIND_LINKS\nUV_INSECURE_HOST\n"
    "CARGO_REGISTRY_DEFAULT\nCARGO_REGISTRY_INDEX\nGONOSUMDB\nGONOSUMCHECK\nGOPRIVATE\n"
    "GOINSECURE\n"
    // configuration that names commands or plugins
    "KUBECONFIG\nKUBERC\nAWS_CONFIG_FILE\nAWS_SHARED_CREDENTIALS_FILE\nCLOUDSDK_CONFIG\n"
    "CLOUDSDK_PYTHON\nAZURE_CONFIG_DIR\nAZURE_EXTENSION_DIR\nDOCKER_CONFIG\n"
    "HELM_PLUGINS\nHELM_CONFIG_HOME\nTF_CLI_CONFIG_FILE\nPACKER_CONFIG\n"
    "PACKER_PLUGIN_PATH\nVAGRANT_HOME\nANSIBLE_CONFIG\nANSIBLE_HOME\nANSIBLE_LIBRARY\n"
    "ANSIBLE_INVENTORY\nANSIBLE_VAULT_PASSWORD_FILE\nHGRCPATH\nHGMERGE\nHG\nSVN_SSH\n"
    "JJ_CONFIG\nGH_CONFIG_DIR\nRIPGREP_CONFIG_PATH\nBAT_CONFIG_PATH\nFZF_DEFAULT_OPTS\n"
    "FZF_DEFAULT_COMMAND\nLESSKEY\nLESSKEYIN\nLESSKEY_CONTENT\nLESSKEY_SYSTEM\n"
    "LESSKEYIN_SYSTEM\nPSQLRC\nCURL_HOME\nWGETRC\nGNUPGHOME\nSSH_SK_PROVIDER\n"
    "APT_CONFIG\nNIX_PATH\nNIX_CONFIG\nNIX_CONF_DIR\nNIX_USER_CONF_FILES\nKRB5_CONFIG\n"
    "DIRENV_CONFIG\nSTARSHIP_CONFIG\nXDG_CONFIG_DIRS\nXDG_DATA_HOME\nXDG_DATA_DIRS\n"
    "GIT_ALLOW_PROTOCOL\nGIT_PROTOCOL_FROM_USER\nGIT_WORK_TREE\nGIT_ATTR_SOURCE\n"
    // code that interpreters and libraries load
    "NODE_PATH\nNODE_REPL_EXTERNAL_MODULE\nBUN_OPTIONS\nBUN_INSPECT_PRELOAD\n"
    "PYTHONSTARTUP\nPYTHONPATH\nPYTHONHOME\nPYTHONUSERBASE\nPERL5OPT\n"
    "PERL5LIB\nPERLLIB\nPERL5DB\nRUBYOPT\nRUBYLIB\nBUNDLE_GEMFILE\nCLASSPATH\nLUA_INIT\n"
    "LUA_PATH\nLUA_CPATH\nPHP_INI_SCAN_DIR\nPHPRC\nR_PROFILE\nR_PROFILE_USER\n"
    "JULIA_LOAD_PATH\nDOTNET_STARTUP_HOOKS\nCORECLR_PROFILER\nCORECLR_PROFILER_PATH\n"
    "VIMINIT\nEXINIT\nGCONV_PATH\nOPENSSL_CONF\nOPENSSL_MODULES\nXDG_CONFIG_HOME\n"
    "PYTHONPYCACHEPREFIX\nPYTHONPLATLIBDIR\nPYTHONEXECUTABLE\nPYTEST_PLUGINS\n"
    "PIP_CONFIG_FILE\nPIP_PYTHON\nUV_CONFIG_FILE\nUV_PYTHON\nIPYTHONDIR\n"
    "JUPYTER_CONFIG_DIR\nJUPYTER_PATH\nCONDARC\nPYENV_ROOT\nNVM_DIR\nRBENV_ROOT\n"
    "ASDF_DIR\nASDF_DATA_DIR\nMISE_CONFIG_DIR\nMISE_DATA_DIR\nVOLTA_HOME\nPERLDB_OPTS\n"
    "PERL_MB_OPT\nPERL_MM_OPT\nRUBYSHELL\nGEM_HOME\nGEM_PATH\nGEMRC\nIRBRC\nPRYRC\n"
    "BUNDLE_APP_CONFIG\nBUNDLE_USER_CONFIG\nBUNDLE_USER_HOME\nBUNDLE_USER_PLUGIN\n"
    "BUNDLE_PATH\nSPEC_OPTS\nR_ENVIRON\nR_ENVIRON_USER\nR_LIBS\nR_LIBS_USER\nR_HOME\n"
    "JULIA_DEPOT_PATH\nJULIA_PROJECT\nJULIA_BINDIR\nTCLLIBPATH\nTCL_LIBRARY\nERL_FLAGS\n"
    "ERL_AFLAGS\nERL_ZFLAGS\nERL_LIBS\nELIXIR_ERL_OPTIONS\nMIX_HOME\nMIX_ARCHIVES\n"
    "GHC_ENVIRONMENT\nSTACK_ROOT\nCABAL_DIR\nCABAL_CONFIG\nOCAMLPATH\n"
    "CAML_LD_LIBRARY_PATH\nOPAMROOT\nGUILE_LOAD_PATH\nGUILE_LOAD_COMPILED_PATH\n"
    "TS_NODE_COMPILER\nTS_NODE_REQUIRE\nTS_NODE_PROJECT\nEMACSLOADPATH\nEMACSPATH\n"
    "EMACSDATA\nGVIMINIT\nMYVIMRC\nVIM\nVIMRUNTIME\nNVIM_APPNAME\nOPENSSL_ENGINES\n"
    "SASL_PATH\nGTK_MODULES\nGTK_PATH\nGIO_EXTRA_MODULES\nGIO_MODULE_DIR\n"
    "QT_PLUGIN_PATH\nGST_PLUGIN_PATH\nVK_LAYER_PATH\nVK_ICD_FILENAMES\n"
    "ASAN_SYMBOLIZER_PATH\nLLVM_SYMBOLIZER_PATH\nVALGRIND_LIB\nGDK_PIXBUF_MODULE_FILE\n"
    "OMP_TOOL_LIBRARIES\nPLAYWRIGHT_BROWSERS_PATH\nCONDA_EXE\n"
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
    "CLAUDE_SSH_LOCAL_BINARY\nCLAUDE_CODE_API_BASE_URL\nANTHROPIC_UNIX_SOCKET\n");
// clang-format on

constexpr std::string_view kBeginnings[] = {"LD_",       "DYLD_",     "BASH_FUNC_", "GIT_CONFIG_",
                                            "LUA_INIT_", "LUA_PATH_", "LUA_CPATH_", "TF_CLI_ARGS"};

// As in "npm_config_script_shell". npm ignores letter case and accepts "-" for "_".
constexpr WordList kNpmKeys(
    "script_shell\nnode_options\nglobalconfig\nuserconfig\nshell\ngit\neditor\nviewer\npython\n"
    "node_gyp\nprefix\ninit_module\ncafile\nshell_emulator\nglobal_pnpmfile\npnpmfile\n");

// Returns "script_shell" for "NPM_CONFIG_SCRIPT-SHELL", and "" for a variable that is not npm's.
std::string NpmKey(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    c = c == '-' ? '_' : ToLower(c);
  }
  for (const std::string_view beginning : {"npm_config_", "pnpm_config_"}) {
    if (plain.starts_with(beginning)) return plain.substr(beginning.size());
  }
  return "";
}

// True for "registry" and for that of a scope: "@acme:registry".
bool IsNpmRegistry(std::string_view key) { return key == "registry" || key.ends_with(":registry"); }

// Variables that cross builds read with a target in their names.
constexpr WordList kTargetTools(
    "CC\nCXX\nAR\nNM\nRANLIB\nSTRIP\nCFLAGS\nCXXFLAGS\nCPPFLAGS\nLDFLAGS\nPKG_CONFIG\n"
    "PKG_CONFIG_PATH\nPKG_CONFIG_LIBDIR\n");

// True if a name's end is a target, which begins with a lower-case letter:
// "_x86_64-unknown-linux-gnu". CC_TEST_REPORTER_ID does not end with a target.
bool IsTargetEnd(std::string_view end) {
  if (end == "_FOR_BUILD" || end == "_FOR_TARGET") return true;
  return end.size() > 1 && end[0] == '_' && end[1] >= 'a' && end[1] <= 'z';
}

bool IsTargetBeginning(std::string_view beginning) {
  return beginning == "HOST_" || beginning == "TARGET_";
}

// Names with a target, a registry or a kind in the middle, and names recognized by their end.
struct NameFrame {
  std::string_view beginning;
  std::string_view end;
};
constexpr NameFrame kFrames[] = {
    {"CARGO_TARGET_", "_LINKER"},
    {"CARGO_TARGET_", "_RUNNER"},
    {"CARGO_TARGET_", "_RUSTFLAGS"},
    {"CARGO_REGISTRIES_", "_CREDENTIAL_PROVIDER"},
    {"CARGO_REGISTRIES_", "_INDEX"},
    {"CARGO_PROFILE_", "_RUSTFLAGS"},
    {"ANSIBLE_", "_PLUGINS"},
    // The server that answers in place of the model decides what is called, and receives all that
    // was read.
    {"ANTHROPIC_", "_BASE_URL"},
    {"", "_HOOK_PATH"},
    {"", "_TF_PATH"},
    {"", "_TFPATH"},
    {"", "_EXEC"},
    {"", "_ASKPASS"},
    {"", "_JAVA_CMD"},
    {"", "_PLUGIN_PATH"},
    {"", "_EXECUTABLE_PATH"},
    {"", "_MIRROR"},
    {"", "_DOWNLOAD_HOST"},
    {"", "_DOWNLOAD_BASE_URL"},
};

bool HasFrame(std::string_view name) {
  for (const NameFrame& frame : kFrames) {
    if (name.starts_with(frame.beginning) && name.ends_with(frame.end)) return true;
  }
  return false;
}

}  // namespace

std::string_view ListedName(std::string_view name) {
  if (IsNpmRegistry(NpmKey(name))) return "npm_config_registry";
  for (const std::string_view tool : kTargetTools) {
    if (name.starts_with(tool) && IsTargetEnd(name.substr(tool.size()))) return tool;
    if (name.ends_with(tool) && IsTargetBeginning(name.substr(0, name.size() - tool.size()))) {
      return tool;
    }
  }
  return name;
}

bool IsCodeVariable(std::string_view name) {
  for (const std::string_view beginning : kBeginnings) {
    if (name.starts_with(beginning)) return true;
  }
  return kCodeVariables.Contains(ListedName(name)) || HasUsualValues(name) || HasFrame(name) ||
         kNpmKeys.Contains(NpmKey(name));
}

}  // namespace ringfence
