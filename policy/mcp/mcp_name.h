// The names of MCP tools, as the client makes them.
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

bool IsMcpTool(std::string_view name);  // begins with "mcp__"

// "mcp__fs", as the client's own permissions name all the tools of a server. No tool is called so.
bool IsMcpServer(std::string_view name);
std::string McpServerPattern(std::string_view name);  // "mcp__fs__*"

// The part of a tool's name that stands for `name`, which is a server's or a tool's own: each
// UTF-16 unit but letters, digits, "_" and "-" becomes "_"; after "claude.ai " (connectors), runs
// of
// "_" become one, and one at either end goes (measured on 2.1.330 and 2.1.331).
std::string McpNamePart(std::string_view name);

// By its name, a tool that only reads: "read_file", "getIssue", "list", "search-code". It begins
// with such a verb, and none of its other words is one of change ("replace", "write", "create") or
// says that a second verb follows ("and", "or", "then"): "search_and_replace", "get_or_create",
// "readWriteFile" write. Words that are as often nouns are none of change: "get_commit" reads. A
// server's name may itself hold "__", so each way to split the name must agree.
bool IsReadingMcpTool(std::string_view tool);

}  // namespace ringfence
