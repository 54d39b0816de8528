#include "cli/explain/explain_mcp.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/common/console.h"
#include "policy/decision.h"
#include "policy/mcp/mcp_maps.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

std::string ToolsText(const McpMap& map) {
  if (map.tools.empty()) return "every tool";
  std::string text;
  for (const std::string_view tool : map.tools) {
    text += (text.empty() ? "" : ", ") + std::string(tool);
  }
  return text;
}

void AddPointers(std::string& text, std::string_view verb,
                 const std::vector<std::string_view>& pointers) {
  for (const std::string_view pointer : pointers) {
    text += (text.empty() ? "" : ", ") + std::string(verb) + " " +
            (pointer.empty() ? "(all)" : std::string(pointer));
  }
}

std::string FieldsText(const McpMap& map) {
  std::string text;
  AddPointers(text, "reads", map.read);
  AddPointers(text, "writes", map.write);
  AddPointers(text, "never a path:", map.text);
  return text;
}

OrderedJson MapJson(const McpMap& map) {
  return {{"server", map.server},
          {"tools", map.tools},
          {"read", map.read},
          {"write", map.write},
          {"text", map.text}};
}

}  // namespace

bool NamesMcpMaps(const std::string& what) {
  if (what == "mcp") return true;
  return IsMcpTool(what) && what.find("__", std::string_view("mcp__").size()) == std::string::npos;
}

Outcome ExplainMcpMaps(const std::string& what, bool json) {
  const std::string server = what == "mcp" ? "" : what.substr(std::string_view("mcp__").size());
  OrderedJson maps = OrderedJson::array();
  const Console console;
  for (const McpMap& map : McpMaps()) {
    if (!server.empty() && !IsMapOf(map, server)) continue;
    maps.push_back(MapJson(map));
    if (json) continue;
    console.Line(console.In(Tone::kStrong, "mcp__" + std::string(map.server)) + ": " +
                 ToolsText(map));
    console.Line("  " + FieldsText(map));
  }
  if (json) {
    PrintJson({{"maps", maps}});
    return 0;
  }
  if (maps.empty()) console.Line("No map of " + Quote(server) + " comes with ringfence.");
  console.Line(
      "Other arguments are decided by their value. An entry under \"mcp\" in the policy takes");
  console.Line("the place of a map.");
  return 0;
}

std::string ArgumentsOf(const Event& event, const Policy& policy) {
  if (!IsMcpTool(event.tool_name)) return "";
  for (const McpFields& entry : policy.mcp) {
    if (entry.adds_only || !MatchName(entry.tool, event.tool_name)) continue;
    return "by the policy's \"mcp\" entry " + Quote(entry.tool) + " (" + PlaceLabel(entry.place) +
           ")";
  }
  const std::optional<McpMap> map = MapOfTool(event.tool_name);
  std::string others =
      std::string("by their value, as ") + (IsReadingMcpTool(event.tool_name) ? "reads" : "writes");
  if (!map) return others;
  return "by the map of " + Quote(map->server) + " (" + FieldsText(*map) + "), others " + others;
}

}  // namespace ringfence
