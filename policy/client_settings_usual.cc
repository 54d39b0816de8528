// Values of variables that nobody has to approve.
#include <algorithm>
#include <string_view>

#include "policy/client_settings_keys.h"
#include "policy/word_list.h"

namespace ringfence {
namespace {

// clang-format off
// The names of programs. The usual ones are not reported.
constexpr WordList kPrograms(
    "EDITOR\nVISUAL\nPAGER\nMANPAGER\nBROWSER\nSHELL\nCC\nCXX\nRUSTC\nCARGO\n"
    "CMAKE_C_COMPILER_LAUNCHER\nCMAKE_CXX_COMPILER_LAUNCHER\n"
    "GIT_EDITOR\nGIT_PAGER\nGIT_SEQUENCE_EDITOR\nGH_EDITOR\nGH_PAGER\nGH_BROWSER\n"
    "KUBE_EDITOR\nHGEDITOR\nSVN_EDITOR\nJJ_EDITOR\nSYSTEMD_EDITOR\nSYSTEMD_PAGER\nBAT_PAGER\n"
    "DELTA_PAGER\nPSQL_EDITOR\nPSQL_PAGER\nJULIA_EDITOR\nSOPS_EDITOR\nFCEDIT\n"
    "CPP\nLD\nAR\nAS\nNM\nRANLIB\nSTRIP\nOBJCOPY\nFC\nCHROME_BIN\nCHROME_PATH\n"
    "PUPPETEER_EXECUTABLE_PATH\nSUDO_EDITOR\nP4EDITOR\nBAZEL_SH\nNINJA\nPROTOC\nLINKER\n"
    "TG_TF_PATH\nTERRAGRUNT_TFPATH\n");
constexpr WordList kUsualPrograms(
    "vi\nvim\nnvim\nnano\nemacs\nemacsclient\nmicro\nhx\nkak\ncode\ncode --wait\n"
    "code -w\ncursor --wait\nzed --wait\nsubl -w\nless\nless -R\nless -FRX\nmore\nmost\ncat\n"
    "bat\ndelta\ntrue\n:\n"
    "/bin/sh\n/bin/bash\n/bin/zsh\n/usr/bin/bash\n/usr/bin/zsh\n/usr/bin/fish\n"
    "cc\nc++\ngcc\ng++\nclang\nclang++\nccache\nsccache\nrustc\ncargo\n"
    "cpp\nld\nlld\nld.lld\nmold\nar\nas\nnm\nranlib\nstrip\nobjcopy\nllvm-ar\n"
    "llvm-nm\nllvm-ranlib\nllvm-strip\ngfortran\n"
    "firefox\nchromium\ngoogle-chrome\nxdg-open\nopen\n"
    "ninja\nprotoc\nterraform\ntofu\n");

// Options that only set sizes and the like are not reported. In a list of usual ones,
//   "-O2"        is itself only
//   "-std="      is itself, with or without a value
//   "-Xmx*"      is anything that begins so
//   "-j[0123]"   is "-j" with one or more of these characters
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
         "--use-system-ca\n--use-openssl-ca\n--dns-result-order=\n--unhandled-rejections=\n")},
    // Not all of -Duser.*: below user.home, Maven and Gradle find scripts.
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
    // Headers and libraries of the system only: any others bring code into what is built.
    {WordList("CFLAGS\nCXXFLAGS\nCPPFLAGS\nLDFLAGS\nCGO_CFLAGS\nCGO_CXXFLAGS\nCGO_CPPFLAGS\n"
              "CGO_LDFLAGS\n"),
     WordList("-O\n-O0\n-O1\n-O2\n-O3\n-Os\n-Og\n-g\n-g3\n-ggdb\n-pipe\n-pthread\n-fPIC\n-fPIE\n"
              "-pie\n-s\n-std=\n-march=\n-mtune=\n-m32\n-m64\n-Wall\n-Wextra\n-Werror=\n-Wno-*\n-D*\n"
              "-I.\n-Iinclude\n-I/usr/*\n-I/opt/*\n-L/usr/*\n-L/opt/*\n-l*\n-flto=\n-fsanitize=\n"
              "-fno-*\n-fstack-protector-strong\n-Wl,-O1\n-Wl,--as-needed\n-Wl,-z,now\n"
              "-Wl,-z,relro\n-Wl,-z,defs\n-Wl,-z,noexecstack\n-Wl,-z,relro,-z,now\n"
              "-fuse-ld=lld\n-fuse-ld=mold\n-fuse-ld=gold\n")},
    {WordList("MAKEFLAGS\nMFLAGS\n"),
     WordList("-j\n-j1\n-j2\n-j4\n-j6\n-j8\n-j10\n-j12\n-j16\n-j20\n-j24\n-j32\n-j64\n--jobs=\n-k\n"
              "-s\n-w\n-l\n--silent\n--keep-going\n--no-print-directory\n--output-sync=\n"
              "--load-average=\n2\n4\n6\n8\n10\n12\n16\n20\n24\n32\n64\n")},
    {WordList("PYTHONWARNINGS\n"), WordList("ignore\ndefault\nerror\nalways\nonce\n")},
    {WordList("PYTEST_ADDOPTS\n"),
     WordList("-q\n-v\n-vv\n-x\n-s\n-ra\n-n\nauto\n--color=\n--tb=\n--maxfail=\n--durations=\n"
              "--no-header\n")},
    // "+" begins a command, which may be one of the shell; -o and -O write a file; -k, -t and -T
    // read one that brings commands.
    {WordList("LESS\nSYSTEMD_LESS\n"),
     WordList("-[aAcCdeEFgGiIJKLmMnNqQrRsSuUwWX]\n[aAcCdeEFgGiIJKLmMnNqQrRsSuUwWX]\n-x[0123456789]\n"
              "-j[.0123456789]\n-z[-0123456789]\n--mouse\n--use-color\n--incsearch\n--no-init\n"
              "--RAW-CONTROL-CHARS\n--quit-if-one-screen\n--quit-on-intr\n--chop-long-lines\n"
              "--ignore-case\n--IGNORE-CASE\n--LONG-PROMPT\n--LINE-NUMBERS\n--status-column\n"
              "--squeeze-blank-lines\n--tabs=[0123456789]\n--wheel-lines=[0123456789]\n")},
    // Where packages come from decides what code runs.
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

const OptionGroup* OptionGroupOf(std::string_view name) {
  for (const OptionGroup& group : kOptionGroups) {
    if (group.names.Contains(name)) return &group;
  }
  return nullptr;
}

// What follows the part of an option that is given. White space and the characters of shells and
// of make would end the option and begin something else; ".." leads out of the folder that is
// given; a comma separates further options of a linker.
bool IsPlainEnd(std::string_view end, std::string_view also = "") {
  const auto is_plain = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./+-=").find(c) != std::string_view::npos ||
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
bool AreUsualOptions(std::string_view value, const OptionGroup& group) {
  while (!value.empty()) {
    const std::string_view word = value.substr(0, value.find_first_of(group.separators));
    value.remove_prefix(std::min(word.size() + 1, value.size()));
    if (!word.empty() && !IsUsualOption(word, group.usual)) return false;
  }
  return true;
}

}  // namespace

bool HasUsualValues(std::string_view name) {
  name = ListedName(name);
  return kPrograms.Contains(name) || OptionGroupOf(name) != nullptr;
}

bool IsUsualValue(std::string_view name, std::string_view value) {
  name = ListedName(name);
  if (kPrograms.Contains(name)) return kUsualPrograms.Contains(value);
  const OptionGroup* const group = OptionGroupOf(name);
  return group != nullptr && AreUsualOptions(value, *group);
}

}  // namespace ringfence
