#include "cli/setup/starter_policy.h"

#include "policy/rules/sets.h"

namespace ringfence {
namespace {

constexpr const char* kHead =
    R"(// What the coding agent may do. Deny beats ask, and ask beats allow. A key that is left out keeps its
// built-in value. "." is the project, "~/" your home; patterns are git's.
// Why was it refused?   ringfence explain ../notes.txt
// Allow it:             ringfence allow --read ~/src/shared-lib
{
  "version": 1,
  // "root": "git", // the project is the whole repository, also when the client starts in a part of it
)";

constexpr const char* kFiles = R"(
  // The project, what the client itself shows a session ("@claude-scratch"), and the headers,
  // libraries and packages that the project is built with ("@toolchains").
  "read": {
    "allow": [".", "@claude-scratch", "@toolchains"],
    "ask": ["@dotenv"], // .env, .env.local: the tools ask, programs may read them
    "deny": ["@secrets"] // keys, tokens, credentials: ringfence explain @secrets
  },
  "write": {
    "allow": [".", "@claude-scratch"],
    "ask": ["@runs-later"] // files that run code later: .git/hooks, .envrc, .github/workflows
  },

  // Hosts. Without "network" the hook refuses no host, commands in a sandbox of ringfence reach none, and an
  // agent in one reaches its own service. With it, every host that it does not list is refused. Take the "//" away:
  // "network": { "allow": ["@agent-hosts", "registry.npmjs.org"] },

  // A command outside of the client's sandbox is refused; "ask" would make it a question.
  "bash": { "unsandboxed": "deny" }
}
)";

std::string ToolsSection(const std::vector<std::string>& mcp_servers) {
  if (mcp_servers.empty()) return "";
  std::string out =
      "\n  // Tools of MCP servers are refused unless they are named. These are configured; take "
      "the\n"
      "  // \"//\" away to permit one. \"@known-tools\" is every tool that the client brings.\n"
      "  \"tools\": {\n    \"allow\": [\n";
  for (const std::string& server : mcp_servers) out += "      // \"mcp__" + server + "__*\",\n";
  return out + "      \"@known-tools\"\n    ]\n  },\n";
}

}  // namespace

std::vector<std::string> DefaultTools() { return {"@known-tools"}; }

std::string StarterPolicy(const std::vector<std::string>& mcp_servers) {
  return kHead + ToolsSection(mcp_servers) + kFiles;
}

}  // namespace ringfence
