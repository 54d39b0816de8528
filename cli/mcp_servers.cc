#include "cli/mcp_servers.h"

#include <nlohmann/json.hpp>
#include <set>

#include "cli/files.h"
#include "cli/json_edit.h"

namespace ringfence {
namespace {

OrderedJson ReadJson(const std::string& path) {
  const Result<std::optional<std::string>> text = ReadIfThere(path);
  if (!text || !*text) return nullptr;
  return OrderedJson::parse(WithoutByteOrderMark(**text), nullptr, false);
}

void AddKeys(const OrderedJson& parent, const std::string& key, std::set<std::string>& names) {
  if (!parent.is_object() || !parent.contains(key) || !parent[key].is_object()) return;
  for (const auto& item : parent[key].items()) names.insert(McpToolPart(item.key()));
}

void AddTexts(const OrderedJson& parent, const std::string& key, std::set<std::string>& names) {
  if (!parent.is_object() || !parent.contains(key) || !parent[key].is_array()) return;
  for (const OrderedJson& name : parent[key]) {
    if (name.is_string()) names.insert(McpToolPart(name.get<std::string>()));
  }
}

}  // namespace

std::string McpToolPart(std::string_view server) {
  std::string part;
  for (const char c : server) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    part.push_back(plain ? c : '_');
  }
  return part;
}

std::vector<std::string> ConfiguredMcpServers(const Whereabouts& where) {
  std::set<std::string> names;
  AddKeys(ReadJson(where.project + "/.mcp.json"), "mcpServers", names);
  const OrderedJson state = ReadJson(ClientStatePath(where));
  AddKeys(state, "mcpServers", names);
  if (state.is_object() && state.contains("projects") && state["projects"].is_object() &&
      state["projects"].contains(where.project)) {
    AddKeys(state["projects"][where.project], "mcpServers", names);
  }
  for (const SettingsLayer layer : kSettingsLayers) {
    AddTexts(ReadJson(SettingsPath(layer, where)), "enabledMcpjsonServers", names);
  }
  names.erase("");
  return {names.begin(), names.end()};
}

}  // namespace ringfence
