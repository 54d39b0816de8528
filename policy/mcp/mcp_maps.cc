#include "policy/mcp/mcp_maps.h"

#include <algorithm>

#include "base/json_pointer.h"
#include "base/text.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/word_list.h"

namespace ringfence {
namespace {

// One line per map: server, tools ("*": all), then the arguments that are read ("r"), written ("w")
// and taken as text ("t"). The servers are @modelcontextprotocol/server-filesystem, mcp-server-git,
// GitHub's and @playwright/mcp, under the names in their instructions. GitHub's runs elsewhere and
// reads no file of this host.
constexpr WordList kMaps(
    "filesystem read_file,read_text_file,read_media_file,get_file_info,list_directory,"
    "list_directory_with_sizes r/path\n"
    "filesystem directory_tree r/path t/excludePatterns\n"
    "filesystem read_multiple_files r/paths\n"
    "filesystem search_files r/path t/pattern t/excludePatterns\n"
    "filesystem write_file w/path t/content\n"
    "filesystem edit_file r/path w/path t/edits\n"
    "filesystem create_directory w/path\n"
    "filesystem move_file r/source w/source w/destination\n"
    "git git_status,git_diff_unstaged,git_diff_staged,git_diff,git_log,git_show,git_branch "
    "r/repo_path t/target t/revision t/branch_type t/contains t/not_contains\n"
    "git git_add r/repo_path w/repo_path r/files\n"
    "git git_commit w/repo_path t/message\n"
    "git git_reset,git_create_branch,git_checkout,git_init w/repo_path t/branch_name "
    "t/base_branch\n"
    "github * t\n"
    "github_enterprise * t\n"
    "playwright browser_click,browser_hover t/element t/ref\n"
    "playwright browser_type t/element t/ref t/text\n"
    "playwright browser_press_key t/key\n"
    "playwright browser_fill_form t/fields\n"
    "playwright browser_select_option t/element t/ref t/values\n"
    "playwright browser_wait_for t/text t/textGone\n"
    "playwright browser_evaluate t/element t/ref t/function\n"
    "playwright browser_run_code t/code\n"
    "playwright browser_file_upload r/paths\n"
    "playwright browser_take_screenshot t/element t/ref w/filename\n"
    "playwright browser_pdf_save w/filename\n");

// Servers whose maps apply only to the exact name, because they exempt text arguments of tools that
// work on files from evaluation by value.
constexpr WordList kExactServers("filesystem\ngit\n");

McpMap ReadMap(std::string_view line) {
  McpMap map;
  map.server = TakeUntil(line, ' ');
  std::string_view tools = TakeUntil(line, ' ');
  while (!tools.empty() && tools != "*") map.tools.push_back(TakeUntil(tools, ','));
  while (!line.empty()) {
    const std::string_view field = TakeUntil(line, ' ');
    std::vector<std::string_view>& list =
        field[0] == 'r' ? map.read : (field[0] == 'w' ? map.write : map.text);
    list.push_back(field.substr(1));
  }
  return map;
}

}  // namespace

bool IsMapOf(const McpMap& map, std::string_view server) {
  if (server == map.server) return true;
  if (kExactServers.Contains(map.server)) return false;
  const std::string lower = LowerAscii(server);
  if (lower == map.server || lower == "claude_ai_" + std::string(map.server)) return true;
  return lower.starts_with("plugin_") && lower.ends_with("_" + std::string(map.server)) &&
         lower.size() > std::string_view("plugin__").size() + map.server.size();
}

bool McpMap::Covers(std::string_view pointer) const {
  return PointerCovers(read, pointer) || PointerCovers(write, pointer) ||
         PointerCovers(text, pointer);
}

std::optional<McpMap> MapOfTool(std::string_view tool) {
  if (!IsMcpTool(tool)) return {};
  tool.remove_prefix(std::string_view("mcp__").size());
  const size_t split = tool.find("__");
  if (split == std::string_view::npos) return {};
  const std::string_view name = tool.substr(split + 2);
  // "github__x__tool" may be a tool of the server "github__x".
  if (name.find("__") != std::string_view::npos) return {};
  for (const std::string_view line : kMaps) {
    McpMap map = ReadMap(line);
    if (!IsMapOf(map, tool.substr(0, split))) continue;
    if (map.tools.empty() || std::ranges::find(map.tools, name) != map.tools.end()) return map;
  }
  return {};
}

std::vector<McpMap> McpMaps() {
  std::vector<McpMap> maps;
  for (const std::string_view line : kMaps) maps.push_back(ReadMap(line));
  return maps;
}

}  // namespace ringfence
