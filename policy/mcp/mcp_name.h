// The names of MCP tools, as the client forms them.
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

bool IsMcpTool(std::string_view name);  // begins with "mcp__"

// True if `pattern`, in which "*" matches any text, matches the name of an MCP tool.
bool MayMatchMcpTool(std::string_view pattern);

// True for "mcp__fs", which means all tools of a server in the client's own permissions. No tool
// has a name of this form.
bool IsMcpServer(std::string_view name);
std::string McpServerPattern(std::string_view name);  // "mcp__fs__*"

// Returns `name`, a server's or a tool's own name, as it is spelled in a full tool name: each
// UTF-16 unit except letters, digits, "_" and "-" becomes "_". After "claude.ai " (connectors),
// runs of "_" become one, and one at either end is dropped (measured with 2.1.330 and 2.1.331).
std::string McpNamePart(std::string_view name);

// True if the tool's name says that it only reads: "read_file", "getIssue", "list", "search-code".
// The name must begin with such a verb, and none of its other words may mean a change ("replace",
// "write", "create") or a second verb ("and", "or", "then"): "search_and_replace", "get_or_create"
// and "readWriteFile" write. Words that are as often nouns do not count as a change: "get_commit"
// reads. A server's name may itself contain "__", so every way to split the name must agree.
bool IsReadingMcpTool(std::string_view tool);

}  // namespace ringfence
