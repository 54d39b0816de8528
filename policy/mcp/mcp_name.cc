#include "policy/mcp/mcp_name.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"
#include "policy/mcp/argument_names.h"

namespace ringfence {
namespace {

constexpr std::string_view kMcpPrefix = "mcp__";
constexpr std::string_view kSeparator = "__";

bool IsKept(char c) { return IsAlnum(c) || c == '-' || c == '_'; }

bool BeginsWithWord(std::string_view name, std::string_view word) {
  if (!name.starts_with(word)) return false;
  if (name.size() == word.size()) return true;
  const char next = name[word.size()];
  return next == '_' || next == '-' || IsUpper(next);
}

// Words that mean a change, or that another verb follows. Excludes words that are as often nouns
// ("get_commit", "get_post", "list_stateful_set", "get_workflow_run", "get_export_status") and
// words in names such as "readFileSync".
constexpr WordList kChangeWords(
    "add\nalter\nand\nappend\napply\nchange\nchmod\nchown\nclear\nconvert\ncopy\ncp\ncreate\n"
    "delete\ndestroy\ndownload\ndrop\nedit\nerase\nexec\nexecute\nextract\nfix\ninject\n"
    "insert\ninstall\nmake\nmkdir\nmodify\nmove\nmutate\nmv\nor\noverwrite\npatch\npersist\n"
    "prepend\npurge\npush\nput\nrefactor\nremove\nrename\nreplace\nreset\nrevert\nrewrite\n"
    "rm\nrmdir\nsave\nsubstitute\nsymlink\nthen\ntouch\ntruncate\nuninstall\nunlink\nunpack\n"
    "unzip\nupdate\nupload\nupsert\nwipe\nwrite\n");

bool ReadsByName(std::string_view name) {
  constexpr std::string_view kWords[] = {"get", "list", "read", "search"};
  const bool begins = std::ranges::any_of(
      kWords, [name](std::string_view word) { return BeginsWithWord(name, word); });
  return begins && !HoldsWord(name, kChangeWords);
}

}  // namespace

bool IsMcpTool(std::string_view name) { return name.starts_with(kMcpPrefix); }

bool MayMatchMcpTool(std::string_view pattern) {
  const std::string_view fixed = pattern.substr(0, pattern.find('*'));
  return IsMcpTool(fixed) || (fixed.size() < pattern.size() && kMcpPrefix.starts_with(fixed));
}

bool IsMcpServer(std::string_view name) {
  if (!IsMcpTool(name)) return false;
  name.remove_prefix(kMcpPrefix.size());
  if (name.ends_with(kSeparator)) name.remove_suffix(kSeparator.size());
  return !name.empty() && name.find(kSeparator) == std::string_view::npos &&
         name.find('*') == std::string_view::npos;
}

std::string McpServerPattern(std::string_view name) {
  const bool is_separated = name.ends_with(kSeparator);
  return std::string(name) + std::string(is_separated ? "" : kSeparator) + "*";
}

std::string McpNamePart(std::string_view name) {
  const bool is_connector = name.starts_with("claude.ai ");
  std::string part;
  while (!name.empty()) {
    const CodePoint point = DecodeUtf8(name);
    const size_t length = point.length == 0 ? 1 : point.length;
    if (length == 1 && IsKept(name[0])) {
      part.push_back(name[0]);
    } else {
      part.append(point.value > 0xFFFF ? 2 : 1, '_');
    }
    name.remove_prefix(length);
  }
  if (!is_connector) return part;
  const auto both_lines = [](char a, char b) { return a == '_' && b == '_'; };
  part.erase(std::unique(part.begin(), part.end(), both_lines), part.end());
  if (part.ends_with('_')) part.pop_back();
  return part;  // no "_" to drop at the beginning: it begins with "claude"
}

bool IsReadingMcpTool(std::string_view tool) {
  if (!IsMcpTool(tool)) return false;
  tool.remove_prefix(kMcpPrefix.size());
  size_t split = tool.find(kSeparator);
  if (split == std::string_view::npos) return false;
  for (; split != std::string_view::npos; split = tool.find(kSeparator, split + 1)) {
    const std::string_view name = tool.substr(split + kSeparator.size());
    if (!ReadsByName(name)) return false;
  }
  return true;
}

}  // namespace ringfence
