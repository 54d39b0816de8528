#include "policy/evaluate/host_or_file.h"

#include <string>

#include "base/ascii.h"
#include "base/text.h"
#include "policy/rules/domain.h"
#include "policy/rules/word_list.h"

namespace ringfence {
namespace {

// File name extensions, including those that are also top-level domains ("md", "rs", "sh", "zip").
// clang-format off
constexpr WordList kFileEndings(
    "7z\na\nadoc\nasm\navi\nawk\nbak\nbas\nbash\nbat\nbib\nbin\nblend\nbmp\nbz2\nc\n"
    "cabal\ncc\ncfg\ncjs\nclass\nclj\ncljs\ncmake\ncmd\ncnf\ncpp\ncrt\ncs\ncshtml\n"
    "csproj\ncss\ncsv\ncts\ncu\ncxx\nd\ndart\ndat\ndb\ndeb\ndesktop\ndiff\ndll\ndmg\n"
    "doc\ndockerfile\ndocx\ndtd\ndylib\nejs\nel\nelm\nenv\neps\nerl\nex\nexe\nexs\n"
    "f\nf90\nfish\nflac\nfs\nfsx\ngif\ngo\ngql\ngradle\ngraphql\ngroovy\ngz\nh\n"
    "haml\nhbs\nhcl\nhh\nhpp\nhrl\nhs\nhtm\nhtml\nhxx\nico\nimg\nini\nipynb\niso\n"
    "jar\njava\njl\njpeg\njpg\njs\njson\njson5\njsonc\njsonl\njsx\nkey\nkt\nkts\nl\n"
    "less\nlisp\nlock\nlog\nlua\nm\nm4\nmakefile\nmap\nmarkdown\nmd\nmdx\nmjs\nmk\n"
    "ml\nmli\nmm\nmod\nmov\nmp3\nmp4\nmts\nnim\nnix\no\nobj\nodt\nogg\nold\norig\n"
    "out\npas\npatch\npdf\npem\nphp\npkg\npl\nplist\npng\npo\npom\nppt\npptx\n"
    "prisma\npro\nproperties\nproto\nps\nps1\npsd\npub\npy\npyc\npyi\npyx\nr\nrar\n"
    "rb\nrej\nresx\nrlib\nrmd\nrpm\nrs\nrst\ns\nsass\nsbt\nscala\nscm\nscss\nsh\n"
    "sln\nso\nsol\nsql\nsqlite\nsqlite3\nst\nsum\nsv\nsvelte\nsvg\nswift\nswp\nsys\n"
    "t\ntar\ntcl\ntemp\ntex\ntf\ntfvars\ntgz\nthrift\ntif\ntiff\ntmp\ntoml\nts\ntsv\n"
    "tsx\nttf\ntxt\nv\nvb\nvhd\nvhdl\nvim\nvue\nwar\nwasm\nwat\nwav\nwebm\nwebp\n"
    "whl\nwoff\nwoff2\nxls\nxlsx\nxml\nxsd\nxsl\nxz\ny\nyaml\nyml\nzig\nzip\nzsh\n"
    "zst\n");
// clang-format on

}  // namespace

bool IsFileEnding(std::string_view ending) { return kFileEndings.Contains(ending); }

NameKind KindOfName(std::string_view name) {
  const std::string lower = LowerAscii(name);
  if (lower == kHostLoopback || IsReservedName(lower)) return NameKind::kHost;  // though no entry
  const Result<HostRule> rule = ParseHostRule(lower);
  if (!rule) return NameKind::kNeither;
  const std::string_view host = rule->host;
  // Only hosts have these.
  if (rule->any || rule->port != 0 || host.starts_with('[')) return NameKind::kHost;
  if (host == "localhost") return NameKind::kHost;
  const size_t dot = host.rfind('.');
  const bool has_dot = dot != std::string_view::npos;
  if (rule->subdomains && has_dot) return NameKind::kHost;  // "*.example.rs", but not "*.rs"
  if (!rule->subdomains && !has_dot) return NameKind::kNeither;
  const std::string_view last = host.substr(dot + 1);
  if (IsDigit(last[0])) return NameKind::kHost;  // an IPv4 address
  const bool is_ending = last.size() < 2 || kFileEndings.Contains(last);
  const bool is_unusual = host.find('_') != std::string_view::npos || name != lower;
  return is_ending || is_unusual ? NameKind::kHostOrFile : NameKind::kHost;
}

}  // namespace ringfence
