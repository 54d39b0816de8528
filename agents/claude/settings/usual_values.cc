// Usual values of variables, which need no approval.
#include <algorithm>
#include <string_view>

#include "agents/claude/settings/keys.h"
#include "base/ascii.h"
#include "policy/rules/word_list.h"

namespace ringfence {
namespace {

// clang-format off
// Variables that name a program, with the programs and options that are not reported.
struct ProgramGroup {
  std::string_view ending;  // suffix of further names, "" if none
  WordList names;
  WordList usual;
  WordList options;
  bool has_targets = false;  // also accepts "aarch64-linux-gnu-gcc"
};
constexpr ProgramGroup kProgramGroups[] = {
    {"_EDITOR", WordList("EDITOR\nVISUAL\nHGEDITOR\nP4EDITOR\nFCEDIT\n"),
     WordList("vi\nvim\nnvim\ngvim\nnano\npico\nemacs\nemacsclient\nmicro\nhx\nkak\njoe\ngedit\nkate\n"
              "code\ncodium\ncursor\nzed\nsubl\nmate\nidea\nwebstorm\ncat\ntrue\nnone\n:\n"),
     WordList("-w\n--wait\n-n\n-nw\n--new-window\n-r\n--reuse-window\n--nofork\n")},
    {"_PAGER", WordList("PAGER\nMANPAGER\n"),
     WordList("less\nmore\nmost\ncat\nbat\nbatcat\ndelta\ntrue\n:\n"),
     WordList("-[aAcCdeEFgGiIJKLmMnNqQrRsSuUwWX]\n--RAW-CONTROL-CHARS\n--quit-if-one-screen\n"
              "--no-init\n--chop-long-lines\n--plain\n")},
    {"", WordList("BROWSER\nGH_BROWSER\nCHROME_BIN\nCHROME_PATH\nPUPPETEER_EXECUTABLE_PATH\n"),
     WordList("firefox\nchromium\nchromium-browser\ngoogle-chrome\ngoogle-chrome-stable\nchrome\n"
              "brave-browser\nmicrosoft-edge\nsafari\nxdg-open\nopen\nwslview\nnone\ntrue\n"),
     WordList("")},
    {"", WordList("SHELL\nBAZEL_SH\n"), WordList("sh\nbash\ndash\nzsh\nfish\nksh\n"), WordList("")},
    {"",
     WordList("CC\nCXX\nCPP\nFC\nLD\nLINKER\nAR\nAS\nNM\nRANLIB\nSTRIP\nOBJCOPY\nRUSTC\nCARGO\n"
              "RUSTC_WRAPPER\nCARGO_BUILD_RUSTC_WRAPPER\nCMAKE_C_COMPILER_LAUNCHER\n"
              "CMAKE_CXX_COMPILER_LAUNCHER\nNINJA\nPROTOC\nTG_TF_PATH\nTERRAGRUNT_TFPATH\n"),
     WordList("cc\nc++\ngcc\ng++\nclang\nclang++\nccache\nsccache\nrustc\ncargo\ncpp\nld\nlld\n"
              "ld.lld\nmold\nar\nas\nnm\nranlib\nstrip\nobjcopy\nllvm-ar\nllvm-nm\nllvm-ranlib\n"
              "llvm-strip\ngfortran\nninja\nprotoc\nterraform\ntofu\n"),
     WordList("cc\nc++\ngcc\ng++\nclang\nclang++\n-E\n-m32\n-m64\n-std=\n"), true},
};
// Directories where package managers install programs; the usual PATH contains them anyway.
constexpr WordList kProgramFolders("/usr/bin/\n/bin/\n/usr/local/bin/\n/opt/homebrew/bin/\n");

// Options that only set sizes and the like are not reported. In a list of usual options,
//   "-O2"        matches only itself
//   "-std="      matches itself, with or without a value
//   "-Xmx*"      matches anything that begins with -Xmx
//   "-j[0123]"   matches "-j" with one or more of these characters
struct OptionGroup {
  WordList names;
  WordList usual;
  std::string_view separators = " ";
};
constexpr OptionGroup kOptionGroups[] = {
    {WordList("NODE_OPTIONS\n"),
     WordList(
         "--max-old-space-size=\n--max-semi-space-size=\n--max-http-header-size=\n--no-warnings\n"
         "--no-deprecation\n--enable-source-maps\n--trace-warnings\n--trace-deprecation\n"
         "--use-system-ca\n--use-openssl-ca\n--dns-result-order=\n--unhandled-rejections=\n"
         "--experimental-vm-modules\n--openssl-legacy-provider\n--disable-warning=\n--expose-gc\n"
         "--stack-trace-limit=\n--trace-uncaught\n")},
    // Not all of -Duser.*: Maven and Gradle find scripts below user.home.
    {WordList("JAVA_TOOL_OPTIONS\nJDK_JAVA_OPTIONS\n_JAVA_OPTIONS\nJAVA_OPTS\nMAVEN_OPTS\n"
              "MAVEN_ARGS\nGRADLE_OPTS\nSBT_OPTS\nANT_OPTS\nJRUBY_OPTS\n"
              "CATALINA_OPTS\nMAVEN_DEBUG_OPTS\n"),
     WordList("-Xmx*\n-Xms*\n-Xss*\n-XX:Max*\n-XX:+Use*\n-XX:-Use*\n-Dfile.encoding=\n"
              "-Duser.timezone=\n-Duser.language=\n-Duser.country=\n-Duser.region=\n"
              "-Djava.awt.headless=\n-DskipTests=\n-Dorg.gradle.daemon=\n-Dorg.gradle.parallel=\n"
              "-B\n-q\n-o\n-U\n-ntp\n-T\n--batch-mode\n--no-transfer-progress\n--quiet\n")},
    {WordList("GOFLAGS\n"),
     WordList("-v=\n-x=\n-mod=\n-trimpath=\n-race=\n-buildvcs=\n-count=\n-p=\n-tags=\n-short=\n"
              "-modcacherw=\n-timeout=\n-json=\n")},
    {WordList("RUSTFLAGS\nRUSTDOCFLAGS\nCARGO_BUILD_RUSTFLAGS\nCARGO_ENCODED_RUSTFLAGS\n"
"CARGO_ENCODED_RUSTDOCFLAGS\n"),
     WordList("-C\n-D\n-W\n-A\n-F\n-g\n-O\n-Dwarnings\n-Awarnings\nwarnings\nunused\ndead_code\n"
              "--cfg=\n--cap-lints=\nopt-level=\ntarget-cpu=\ntarget-feature=\ndebuginfo=\n"
              "codegen-units=\nlto=\npanic=\nstrip=\n-Copt-level=\n-Ctarget-cpu=\n"
              "-Ctarget-feature=\n-Cdebuginfo=\n-Cinstrument-coverage=\ninstrument-coverage=\n")},
    // Only headers and libraries of the system or the project: any others add code to the build.
    {WordList("CFLAGS\nCXXFLAGS\nCPPFLAGS\nLDFLAGS\nCGO_CFLAGS\nCGO_CXXFLAGS\nCGO_CPPFLAGS\n"
              "CGO_LDFLAGS\n"),
     WordList("-O\n-O0\n-O1\n-O2\n-O3\n-Os\n-Og\n-g\n-g3\n-ggdb\n-pipe\n-pthread\n-fPIC\n-fPIE\n-fpic\n-fpie\n"
              "-pie\n-s\n-std=\n-march=\n-mtune=\n-m32\n-m64\n-Wall\n-Wextra\n-Werror=\n-Wno-*\n-D*\n"
              "-I.\n-Iinclude\n-I/usr/*\n-I/opt/*\n-L/usr/*\n-L/opt/*\n-l*\n-flto=\n-fsanitize=\n"
              "-fno-*\n-ffast-math\n-funroll-loops\n-fomit-frame-pointer\n-fvisibility=\n-fopenmp\n-fwrapv\n"
 "-fstack-protector\n-fstack-protector-all\n-fdiagnostics-color=\n-fstack-protector-strong\n-Wl,-O1\n-Wl,--as-needed\n-Wl,-z,now\n"
              "-Wl,-z,relro\n-Wl,-z,defs\n-Wl,-z,noexecstack\n-Wl,-z,relro,-z,now\n"
              "-fuse-ld=lld\n-fuse-ld=mold\n-fuse-ld=gold\n")},
    {WordList("MAKEFLAGS\nMFLAGS\n"),
     WordList("-j\n-j[0123456789]\n--jobs=\n[0123456789]\n-l\n-l[.0123456789]\n--load-average=\n"
              "[.0123456789]\n-k\n-s\n-w\n--silent\n--keep-going\n--no-print-directory\n"
              "--output-sync=\n")},
    // Python imports a category with a dot; these are built in.
    {WordList("PYTHONWARNINGS\n"),
     WordList("ignore\ndefault\nerror\nalways\nonce\nmodule\n[0123456789]\nWarning\n"
              "DeprecationWarning\nPendingDeprecationWarning\nUserWarning\nFutureWarning\n"
              "RuntimeWarning\nImportWarning\nResourceWarning\nSyntaxWarning\nBytesWarning\n"
              "UnicodeWarning\nEncodingWarning\n"), ",:"},
    {WordList("PYTHONBREAKPOINT\n"), WordList("0\n")},
    {WordList("PYTEST_ADDOPTS\n"),
     WordList("-q\n-v\n-vv\n-x\n-s\n-ra\n-n\n-n[0123456789]\n[0123456789]\nauto\n-nauto\n--color=\n"
              "--tb=\n--maxfail=\n--durations=\n--no-header\n")},
    {WordList("GIT_CONFIG_NOSYSTEM\n"), WordList("0\n1\ntrue\nfalse\nyes\nno\non\noff\n")},
    {WordList("GOTOOLCHAIN\n"), WordList("local\nauto\ngo1.[.0123456789]\n")},
    // Not listed: "+" begins a command, possibly a shell command; -o and -O write a file; -k, -t
    // and -T read a file that can contain commands.
    {WordList("LESS\nSYSTEMD_LESS\n"),
     WordList("-[aAcCdeEFgGiIJKLmMnNqQrRsSuUwWX]\n[aAcCdeEFgGiIJKLmMnNqQrRsSuUwWX]\n-x[0123456789]\n"
              "-j[.0123456789]\n-z[-0123456789]\n--mouse\n--use-color\n--incsearch\n--no-init\n"
              "--RAW-CONTROL-CHARS\n--quit-if-one-screen\n--quit-on-intr\n--chop-long-lines\n"
              "--ignore-case\n--IGNORE-CASE\n--LONG-PROMPT\n--LINE-NUMBERS\n--status-column\n"
              "--squeeze-blank-lines\n--tabs=[0123456789]\n--wheel-lines=[0123456789]\n")},
    // The source of packages decides what code runs.
    {WordList("PIP_INDEX_URL\nPIP_EXTRA_INDEX_URL\nUV_INDEX_URL\nUV_EXTRA_INDEX_URL\nUV_INDEX\n"
              "UV_DEFAULT_INDEX\n"),
     WordList("https://pypi.org/simple\nhttps://pypi.org/simple/\n")},
    {WordList("npm_config_registry\nYARN_REGISTRY\nYARN_NPM_REGISTRY_SERVER\nBUN_CONFIG_REGISTRY\n"),
     WordList("https://registry.npmjs.org\nhttps://registry.npmjs.org/\n"
              "https://registry.yarnpkg.com\nhttps://registry.yarnpkg.com/\n")},
    {WordList("GOPROXY\n"), WordList("https://proxy.golang.org\ndirect\noff\n"), ",|"},
    {WordList("GOSUMDB\n"), WordList("sum.golang.org\n")},
    {WordList("DEVELOPER_DIR\n"), WordList("/Applications/Xcode.app/Contents/Developer\n"
                                           "/Library/Developer/CommandLineTools\n")},
    {WordList("CYPRESS_INSTALL_BINARY\n"), WordList("[.0123456789]\n")},
    {WordList("ANTHROPIC_BASE_URL\n"),
     WordList("https://api.anthropic.com\nhttps://api.anthropic.com/\n")},
};
// clang-format on

const ProgramGroup* ProgramGroupOf(std::string_view name) {
  for (const ProgramGroup& group : kProgramGroups) {
    if (group.names.Contains(name)) return &group;
    if (!group.ending.empty() && name.ends_with(group.ending)) return &group;
  }
  return nullptr;
}

const OptionGroup* OptionGroupOf(std::string_view name) {
  for (const OptionGroup& group : kOptionGroups) {
    if (group.names.Contains(name)) return &group;
  }
  return nullptr;
}

// True if `end`, the rest of an option after its fixed part, is harmless. White space and the
// special characters of shells and make would end the option and begin something else; ".." leads
// out of the given directory; a comma separates further options of a linker.
bool IsPlainEnd(std::string_view end, std::string_view also = "") {
  const auto is_plain = [&](char c) {
    return IsAlnum(c) || std::string_view("_./+-=").find(c) != std::string_view::npos ||
           also.find(c) != std::string_view::npos;
  };
  return std::ranges::all_of(end, is_plain) && end.find("..") == std::string_view::npos;
}

bool IsLike(std::string_view option, std::string_view usual) {
  if (usual.ends_with('*')) {
    usual.remove_suffix(1);
    return option.starts_with(usual) && IsPlainEnd(option.substr(usual.size()));
  }
  if (usual.ends_with('=')) {
    if (option == usual.substr(0, usual.size() - 1)) return true;
    return option.starts_with(usual) && IsPlainEnd(option.substr(usual.size()), ",");
  }
  if (usual.ends_with(']')) {
    const size_t bracket = usual.find('[');
    const std::string_view characters = usual.substr(bracket + 1, usual.size() - bracket - 2);
    return option.size() > bracket && option.starts_with(usual.substr(0, bracket)) &&
           option.find_first_not_of(characters, bracket) == std::string_view::npos;
  }
  return option == usual;
}

bool IsUsualOption(std::string_view option, const WordList& all) {
  for (const std::string_view usual : all) {
    if (IsLike(option, usual)) return true;
  }
  return false;
}

// White space other than a space also separates words for many programs, but is in no usual word.
bool AreUsualOptions(std::string_view value, const WordList& all,
                     std::string_view separators = " ") {
  while (!value.empty()) {
    const std::string_view word = value.substr(0, value.find_first_of(separators));
    value.remove_prefix(std::min(word.size() + 1, value.size()));
    if (!word.empty() && !IsUsualOption(word, all)) return false;
  }
  return true;
}

std::string_view WithoutFolder(std::string_view program) {
  for (const std::string_view folder : kProgramFolders) {
    if (program.starts_with(folder)) return program.substr(folder.size());
  }
  return program;
}

// Returns "gcc" for "gcc-13" and "clang" for "clang-14.0".
std::string_view WithoutVersion(std::string_view program) {
  const size_t dash = std::min(program.rfind('-'), program.size());
  const size_t other = program.find_first_not_of("0123456789.", dash + 1);
  return other == std::string_view::npos ? program.substr(0, dash) : program;
}

// Returns "gcc" for "aarch64-linux-gnu-gcc".
std::string_view WithoutTarget(std::string_view program) {
  const bool is_name = IsPlainEnd(program) && program.find_first_of("/=") == std::string_view::npos;
  return is_name ? program.substr(program.rfind('-') + 1) : program;
}

bool IsUsualProgram(std::string_view value, const ProgramGroup& group) {
  if (value.empty()) return true;
  std::string_view program = value.substr(0, value.find(' '));
  const std::string_view options = value.substr(program.size());
  program = WithoutVersion(WithoutFolder(program));
  const bool is_usual = group.usual.Contains(program) ||
                        (group.has_targets && group.usual.Contains(WithoutTarget(program)));
  return is_usual && AreUsualOptions(options, group.options);
}

}  // namespace

bool HasUsualValues(std::string_view name) {
  name = ListedName(name);
  return ProgramGroupOf(name) != nullptr || OptionGroupOf(name) != nullptr;
}

bool IsUsualValue(std::string_view name, std::string_view value) {
  name = ListedName(name);
  if (const ProgramGroup* group = ProgramGroupOf(name)) return IsUsualProgram(value, *group);
  const OptionGroup* const group = OptionGroupOf(name);
  return group != nullptr && AreUsualOptions(value, group->usual, group->separators);
}

}  // namespace ringfence
