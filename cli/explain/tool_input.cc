#include "cli/explain/tool_input.h"

#include "agents/claude/agent.h"
#include "policy/mcp/mcp_name.h"

namespace ringfence {

std::string MainArgument(const std::string& tool) {
  if (ClaudeCode().tools.IsShell(tool)) return "command";
  if (const auto known = ClaudeCode().tools.Find(tool)) {
    for (const ToolField& field : known->fields) {
      const bool is_main = field.required || field.role == FieldRole::kWorktreeName;
      if (is_main) return std::string(field.pointer.substr(1));
    }
    if (!known->fields.empty()) return std::string(known->fields.front().pointer.substr(1));
  }
  return IsMcpTool(tool) ? "path" : "command";
}

}  // namespace ringfence
