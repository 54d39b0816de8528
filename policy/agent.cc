#include "policy/agent.h"

#include <algorithm>

#include "base/text.h"
#include "policy/event.h"
#include "policy/mcp/argument_names.h"
#include "policy/mcp/mcp_name.h"

namespace ringfence {
namespace {

constexpr std::string_view kAka = "aka:";
// In the order of FieldRole.
constexpr WordList kRoles(
    "read\nwrite\nedit\nfolder\npattern\nfilter\nurl\nhosts\nother-host\nattachment\nno-path\n"
    "resource\nworktree\nserver\nisolation\n");

FieldRole RoleOf(std::string_view word) {
  uint8_t role = 0;
  for (const std::string_view name : kRoles) {
    if (name == word) break;
    ++role;
  }
  return static_cast<FieldRole>(role);
}

KnownTool ParseRow(std::string_view row) {
  KnownTool tool;
  tool.name = TakeUntil(row, ' ');
  while (!row.empty()) {
    const std::string_view word = TakeUntil(row, ' ');
    const size_t colon = word.find(':');
    const std::string_view value = colon == word.npos ? "" : word.substr(colon + 1);
    if (word == "code") {
      tool.runs_code = true;
    } else if (word == "data") {
      tool.takes_data = true;
    } else if (word == "shell") {
      tool.is_shell = true;
    } else if (word == "command") {
      tool.runs_command = true;
    } else if (word.starts_with(kAka)) {
      tool.aliases.push_back(value);
    } else {
      std::string_view role = word.substr(0, colon);
      const bool required = role.ends_with('!');
      if (required) role.remove_suffix(1);
      tool.fields.push_back({value, RoleOf(role), required});
    }
  }
  return tool;
}

}  // namespace

// Returns the row of the tool with this name or alias, or "". Searches the whole text for the name,
// because every tool call needs this several times.
std::string_view ToolTable::RowOf(std::string_view name) const {
  if (name.empty() || name.find_first_of(" \n") != name.npos) return "";
  const std::string_view all = rows_.text();
  for (size_t at = all.find(name); at != all.npos; at = all.find(name, at + 1)) {
    const char next = all[at + name.size()];  // each row ends with a line feed
    if (next != ' ' && next != '\n') continue;
    const size_t begin = at == 0 ? 0 : all.rfind('\n', at - 1) + 1;
    if (begin != at && !all.substr(begin, at - begin).ends_with(kAka)) continue;
    return all.substr(begin, all.find('\n', at) - begin);
  }
  return "";
}

std::string_view ToolTable::Nearest(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const KnownTool& tool : All()) {
    names.push_back(tool.name);
    names.insert(names.end(), tool.aliases.begin(), tool.aliases.end());
  }
  return ringfence::Nearest(name, names);
}

std::optional<KnownTool> ToolTable::Find(std::string_view name) const {
  const std::string_view row = RowOf(name);
  if (row.empty()) return {};
  return ParseRow(row);
}

std::string_view ToolTable::MainName(std::string_view name) const {
  std::string_view row = RowOf(name);
  return row.empty() ? name : TakeUntil(row, ' ');
}

std::vector<KnownTool> ToolTable::All() const {
  std::vector<KnownTool> tools;
  for (const std::string_view row : rows_) tools.push_back(ParseRow(row));
  std::ranges::sort(tools, {}, &KnownTool::name);
  return tools;
}

bool ToolTable::IsShell(std::string_view name) const {
  const std::optional<KnownTool> tool = Find(name);
  return tool && tool->is_shell;
}

bool ToolTable::RunsCommand(std::string_view name) const {
  const std::optional<KnownTool> tool = Find(name);
  return tool && tool->runs_command;
}

bool ToolTable::ReachesHosts(std::string_view name) const {
  return RunsCommand(name) || ReachesMcpServer(name) ||
         RowOf(name).find(" url") != std::string_view::npos;
}

bool ToolTable::ReachesMcpServer(std::string_view name) const {
  return IsMcpTool(name) || RowOf(name).find(" resource") != std::string_view::npos;
}

bool Agent::IsSandboxFlag(std::string_view argument) const {
  return argument.size() >= sandbox_flag.size() && !sandbox_flag.empty() &&
         NormalKey(argument) == NormalKey(sandbox_flag);
}

std::string_view McpServerOf(const Event& event, const Agent& agent) {
  const std::optional<KnownTool> tool = agent.tools.Find(event.tool_name);
  if (!tool) return {};
  for (const ToolField& known : tool->fields) {
    if (known.role != FieldRole::kMcpServer) continue;
    const auto field = std::ranges::find(event.input, known.pointer, &InputField::pointer);
    return field == event.input.end() ? std::string_view() : field->text;
  }
  return {};
}

}  // namespace ringfence
