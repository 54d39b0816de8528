#include "cli/explain/tool_input.h"

#include "agents/claude/tools.h"

namespace ringfence {

std::string MainArgument(const std::string& tool) {
  if (RunsCommand(tool) || IsOtherShell(tool)) return "command";
  if (const auto known = FindTool(tool)) {
    for (const ToolField& field : known->fields) {
      const bool is_main = field.required || field.role == FieldRole::kWorktreeName;
      if (is_main) return std::string(field.pointer.substr(1));
    }
    if (!known->fields.empty()) return std::string(known->fields.front().pointer.substr(1));
  }
  return IsMcpTool(tool) ? "path" : "command";
}

}  // namespace ringfence
