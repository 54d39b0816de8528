#include "policy/mcp/argument_names.h"

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

// Normal keys: the names that file, git and editor servers use for path arguments.
constexpr WordList kPathNames(
    "absolutepath\nbasedir\nbasepath\nconfigfile\nconfigpath\ncwd\ndbpath\ndest\n"
    "destination\ndestinationpath\ndestpath\ndir\ndirectory\ndirectorypath\ndirpath\ndst\n"
    "file\nfilename\nfilepath\nfolder\nfolderpath\nfrompath\nfullpath\ninputfile\ninputpath\n"
    "localpath\nnewpath\nnotebookpath\noldpath\noutdir\noutfile\noutputdir\noutputdirectory\n"
    "outputfile\noutputpath\npath\npathname\nprojectdir\nprojectpath\nprojectroot\n"
    "relativepath\nrepo\nrepopath\nrepository\nrepositorypath\nroot\nrootdir\nrootpath\n"
    "savepath\nscriptpath\nsource\nsourcepath\nsrc\ntarget\ntargetpath\ntopath\nworkdir\n"
    "workingdir\nworkingdirectory\nworkspacepath\n");
constexpr WordList kPathListNames(
    "destinations\ndirectories\ndirs\nfilenames\nfilepaths\nfiles\n"
    "folders\npaths\nroots\nsources\ntargets\n");
constexpr WordList kUrlNames("href\nuri\nuris\nurl\nurls\n");
// Names that end like a path ("path", "file") but mean something else.
constexpr WordList kOtherNames("classpath\njsonpath\nkeypath\nprofile\nprofiles\nxpath\n");

// Single words in the argument names of MCP tools.
constexpr WordList kPathWords(
    "cwd\ndest\ndestination\ndir\ndirectory\ndst\nfile\nfilename\nfilepath\nfolder\noutput\n"
    "path\nroot\nsrc\nworkdir\nworkspace\n");
constexpr WordList kPathListWords(
    "dirs\ndirectories\nfilenames\nfilepaths\nfiles\nfolders\npaths\n");
constexpr WordList kUrlWords(
    "domain\ndomains\nendpoint\nhost\nhostname\nhosts\nhref\nlink\nlinks\norigin\nsite\nuri\nuris\n"
    "url\nurls\nwebsite\n");
// Words that do not always mean a host, so the value must look like one.
constexpr WordList kPeerWords(
    "addr\naddress\naddresses\naddrs\nbroker\nbrokers\ncallback\ncallbacks\ndsn\nfqdn\nfqdns\n"
    "gateway\ngateways\nip\nips\nipv\nmirror\nmirrors\nnameserver\nnameservers\npeer\npeers\n"
    "proxies\nproxy\nregistries\nregistry\nrelay\nrelays\nresolver\nresolvers\nserver\nservers\n"
    "upstream\nupstreams\nwebhook\nwebhooks\n");
constexpr WordList kMailboxWords("addr\naddress\naddresses\naddrs\n");
constexpr WordList kPropertiesWords("claims\ncontext\nnamespaces\nprefixes\nproperties\n");
constexpr WordList kLinkWords("endpoint\nlink\nlinks\n");
// After a URL word, these name something about the URL, not the URL itself.
constexpr WordList kAboutWords(
    "count\ndescription\nid\nids\nindex\nkind\nlabel\nlabels\nname\nnames\nnumber\nos\nstate\n"
    "status\ntext\ntitle\ntype\ntypes\nversion\n");
// "host_name" is the host itself.
constexpr WordList kNamedHosts("domain\ndomains\nhost\nhosts\npeer\nproxy\nserver\nservers\n");
constexpr WordList kRepositoryWords(
    "clone\ngit\nmirror\nremote\nremotes\nrepo\nrepos\nrepositories\nrepository\nsource\nsrc\n"
    "upstream\n");
constexpr WordList kContentWords("body\ncontent\ncontents\ndata\nstring\nstrings\ntext\ntexts\n");
constexpr WordList kBindingWords("bind\nbinds\nmount\nmounts\nvolume\nvolumes\n");
constexpr WordList kOutputWords("dest\ndestination\ndownload\ndst\nout\noutput\nsave\n");

// Removes the next word from `rest` and returns it in lower case: "file" from "fileName", "url"
// from "URLPath"; "" if none is left. Any character except a letter separates words.
std::string TakeNameWord(std::string_view& rest) {
  while (!rest.empty() && !IsLower(rest[0]) && !IsUpper(rest[0])) rest.remove_prefix(1);
  size_t size = 0;
  for (; size < rest.size() && (IsLower(rest[size]) || IsUpper(rest[size])); ++size) {
    if (size == 0 || !IsUpper(rest[size])) continue;
    const bool ends_capitals = size + 1 < rest.size() && IsLower(rest[size + 1]);
    if (IsLower(rest[size - 1]) || ends_capitals) break;
  }
  std::string word = LowerAscii(rest.substr(0, size));
  rest.remove_prefix(size);
  return word;
}

bool IsNamed(std::string_view key, const WordList& words) {
  return key.size() <= 64 && HoldsWord(key, words);
}

}  // namespace

bool HoldsWord(std::string_view name, const WordList& words) {
  for (std::string word = TakeNameWord(name); !word.empty(); word = TakeNameWord(name)) {
    if (words.Contains(word)) return true;
  }
  return false;
}

std::string NormalKey(std::string_view key) {
  std::string normal;
  while (!key.empty()) {
    const char c = key[0];
    if (c > ' ' && c < 0x7F) {
      if (c != '_' && c != '-') normal.push_back(ToLower(c));
      key.remove_prefix(1);
      continue;
    }
    const CodePoint point = DecodeUtf8(key);
    const size_t length = point.length == 0 ? 1 : point.length;
    const bool dropped = point.length != 0 && (IsTrimmed(point.value) || IsInvisible(point.value));
    if (!dropped) normal.append(key.substr(0, length));
    key.remove_prefix(length);
  }
  return normal;
}

UsualName UsualNameOf(std::string_view key) {
  if (key.empty() || key.size() > 64) return UsualName::kNone;
  const std::string normal = NormalKey(key);
  if (kPathNames.Contains(normal)) return UsualName::kPath;
  if (kPathListNames.Contains(normal)) return UsualName::kPaths;
  if (kUrlNames.Contains(normal)) return UsualName::kUrl;
  if (kOtherNames.Contains(normal)) return UsualName::kNone;
  const auto ends = [&normal](std::string_view end) { return normal.ends_with(end); };
  if (ends("paths") || ends("files") || ends("folders")) return UsualName::kPaths;
  if (ends("path") || ends("file") || ends("filename") || ends("folder")) return UsualName::kPath;
  if (ends("url") || ends("urls") || ends("uri") || ends("uris")) return UsualName::kUrl;
  return UsualName::kNone;
}

UsualName McpNameOf(std::string_view key) {
  const UsualName usual = UsualNameOf(key);
  if (usual != UsualName::kNone || key.empty() || key.size() > 64) return usual;
  if (kOtherNames.Contains(NormalKey(key))) return usual;
  std::string url_word;
  std::string_view rest = key;
  for (std::string word = TakeNameWord(rest); !word.empty(); word = TakeNameWord(rest)) {
    if (kPathWords.Contains(word)) return UsualName::kPath;
    if (kPathListWords.Contains(word)) return UsualName::kPaths;
    const bool is_peer = kPeerWords.Contains(word) && !kUrlWords.Contains(url_word);
    if (is_peer || kUrlWords.Contains(word)) {
      url_word = word;
    } else if (kAboutWords.Contains(word)) {
      const bool is_host = word.starts_with("name") && kNamedHosts.Contains(url_word);
      if (!is_host) url_word.clear();
    }
  }
  if (kPeerWords.Contains(url_word)) return UsualName::kPeer;
  return url_word.empty() ? UsualName::kNone : UsualName::kUrl;
}

bool NamesLink(std::string_view key) {
  if (UsualNameOf(key) != UsualName::kNone) return false;
  bool found = false;
  std::string_view rest = key;
  for (std::string word = TakeNameWord(rest); !word.empty(); word = TakeNameWord(rest)) {
    const bool is_link = kLinkWords.Contains(word);
    if (!is_link && kUrlWords.Contains(word)) return false;
    found |= is_link;
  }
  return found;
}

bool NamesRepository(std::string_view key) { return IsNamed(key, kRepositoryWords); }

bool NamesMailbox(std::string_view key) { return IsNamed(key, kMailboxWords); }

bool NamesProperties(std::string_view key) { return IsNamed(key, kPropertiesWords); }

bool NamesContent(std::string_view key) { return IsNamed(key, kContentWords); }

bool NamesBinding(std::string_view key) { return IsNamed(key, kBindingWords); }

bool NamesOutput(std::string_view key) { return IsNamed(key, kOutputWords); }

}  // namespace ringfence
