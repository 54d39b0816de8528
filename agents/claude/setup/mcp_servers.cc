#include "agents/claude/setup/mcp_servers.h"

#include <map>
#include <nlohmann/json.hpp>

#include "base/json_edit.h"
#include "base/regular_file.h"
#include "base/utf8.h"
#include "policy/mcp/mcp_name.h"

namespace ringfence {
namespace {

OrderedJson ReadJson(const std::string& path) {
  const Result<std::optional<std::string>> text = ReadIfThere(path);
  if (!text || !*text) return nullptr;
  return OrderedJson::parse(WithoutByteOrderMark(**text), nullptr, false);
}

class Servers {
 public:
  void Add(const std::string& name, const std::string& source) {
    std::string part = McpNamePart(name);
    if (!part.empty()) servers_.try_emplace(part, McpServer{name, part, source});
  }

  void AddKeys(const OrderedJson& parent, const std::string& source) {
    if (!parent.is_object() || !parent.contains("mcpServers")) return;
    const OrderedJson& servers = parent["mcpServers"];
    if (!servers.is_object()) return;
    for (const auto& item : servers.items()) Add(item.key(), source);
  }

  void AddTexts(const OrderedJson& parent, const std::string& key, const std::string& source) {
    if (!parent.is_object() || !parent.contains(key) || !parent[key].is_array()) return;
    for (const OrderedJson& name : parent[key]) {
      if (name.is_string()) Add(name.get<std::string>(), source);
    }
  }

  std::vector<McpServer> List() const {
    std::vector<McpServer> list;
    for (const auto& [part, server] : servers_) list.push_back(server);
    return list;
  }

 private:
  std::map<std::string, McpServer> servers_;  // by part
};

}  // namespace

std::vector<McpServer> McpServersOf(const Registration& where) {
  Servers servers;
  servers.AddKeys(ReadJson(where.project_dir + "/.mcp.json"), ".mcp.json");
  const OrderedJson state = ReadJson(ClientStatePath(where));
  const std::string shown = ShownPath(ClientStatePath(where), where);
  servers.AddKeys(state, shown);
  if (state.is_object() && state.contains("projects") && state["projects"].is_object() &&
      state["projects"].contains(where.project_dir)) {
    servers.AddKeys(state["projects"][where.project_dir], shown + ", for this project");
  }
  for (const SettingsLayer layer : kSettingsLayers) {
    const std::string path = SettingsPath(layer, where);
    servers.AddTexts(ReadJson(path), "enabledMcpjsonServers", ShownPath(path, where));
  }
  return servers.List();
}

std::vector<std::string> ConfiguredMcpServers(const Registration& where) {
  std::vector<std::string> parts;
  for (McpServer& server : McpServersOf(where)) parts.push_back(std::move(server.part));
  return parts;
}

}  // namespace ringfence
