#include <doctest/doctest.h>

#include <span>

#include "tests/support/loaded.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view name;
  std::string_view members;  // after {"version":1, so that columns start at 14
  std::string_view want;     // without "policy.json:1:"
};

void CheckRows(std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(Mistakes(PolicyWith(row.members)) == "policy.json:1:" + std::string(row.want));
  }
}

}  // namespace

TEST_CASE("load mistakes: documents that are not a policy") {
  struct DocumentRow {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr DocumentRow kRows[] = {
      {"nothing", "", "1:1: the file holds no value [begin it with \"{\"]"},
      {"not JSON", "version = 1", "1:1: not JSON [begin the file with \"{\"]"},
      {"a byte order mark", "\xEF\xBB\xBF{\"version\":1}",
       "1:1: a byte order mark is not JSON [save the file as UTF-8 without a byte order mark]"},
      {"text behind it", "{\"version\":1}\n}", "2:1: \"}\" without a matching \"{\" [remove it]"},
      {"a duplicate key", "{\"version\":1,\n\"read\":{},\"read\":{}}",
       "2:11: duplicate key \"read\""},
      {"a duplicate key in a profile", "{\"version\":1,\"profiles\":{\"a\":{},\"a\":{}}}",
       "1:33: duplicate key \"a\""},
      {"an array", "[]",
       "1:1: must be an object, not an array\n"
       "policy.json:1:1: has no \"version\" [begin with \"version\": 1]"},
      {"no version", "{}", "1:1: has no \"version\" [begin with \"version\": 1]"},
      {"another version", "{\"version\": 2}",
       "1:13: /version must be 1 [a newer policy needs a newer ringfence]"},
      {"a version as text", "{\"version\": \"1\"}",
       "1:13: /version must be the number 1 [write \"version\": 1]"},
      {"a version that is nearly 1", "{\"version\": 1.0}",
       "1:13: /version must be the number 1 [write \"version\": 1]"},
      {"a comment without end", "{\"version\":1} /*", "1:17: this comment has no end"},
  };
  for (const DocumentRow& row : kRows) {
    CAPTURE(row.name);
    CHECK(Mistakes(row.text) == "policy.json:" + std::string(row.want));
  }
}

TEST_CASE("load mistakes: an unknown key, with the intended one") {
  static constexpr Row kRows[] = {
      {"a slip", R"("write":{"alow":["."]})",
       R"(23: /write/alow is not a known key; did you mean "allow"?)"},
      {"a slip at the top", R"("reads":{})",
       R"(14: /reads is not a known key; did you mean "read"?)"},
      {"nothing like it", R"("x-comment":"hi")", "14: /x-comment is not a known key"},
      {"in tools", R"("tools":{"denied":["Bash"]})", "23: /tools/denied is not a known key"},
      {"stores belong to write", R"("read":{"package_stores":[]})",
       "22: /read/package_stores is not a known key"},
      {"in network", R"("network":{"alow":[]})",
       R"(25: /network/alow is not a known key; did you mean "allow"?)"},
      {"in bash", R"("bash":{"sandboxed":true})",
       R"(22: /bash/sandboxed is not a known key; did you mean "unsandboxed"?)"},
      {"in mcp", R"("mcp":{"mcp__a__b":{"writes":[]}})",
       R"(34: /mcp/mcp__a__b/writes is not a known key; did you mean "write"?)"},
      {"in sandbox", R"("sandbox":{"cpu":1})",
       R"(25: /sandbox/cpu is not a known key; did you mean "cpus"?)"},
      {"in stage", R"("stage":{"comands":{}})",
       R"(23: /stage/comands is not a known key; did you mean "commands"?)"},
      {"in stage's commands", R"("stage":{"commands":{"trust":[]}})",
       R"(35: /stage/commands/trust is not a known key)"},
      {"in audit", R"("audit":{"path":"/x"})", "23: /audit/path is not a known key"},
      {"in alerts", R"("alerts":{"inbox":"/x","field":{}})",
       R"(37: /alerts/field is not a known key; did you mean "fields"?)"},
      {"in denied", R"("denied":{"text":"x"})", "24: /denied/text is not a known key"},
      {"in client", R"("client":{"mode":"plan"})", "24: /client/mode is not a known key"},
      {"in a profile", R"("profiles":{"a":{"wen":{}}})",
       R"(31: /profiles/a/wen is not a known key; did you mean "when"?)"},
      {"in when", R"("profiles":{"a":{"when":{"subagents":true}}})",
       R"(39: /profiles/a/when/subagents is not a known key; did you mean "subagent"?)"},
      {"audit belongs to the whole file", R"("profiles":{"a":{"audit":{}}})",
       "31: /profiles/a/audit is not a known key"},
      {"a key that hides itself", "\"\\u202e\":1", "14: /\\u202e is not a known key"},
  };
  CheckRows(kRows);
}

TEST_CASE("load mistakes: a value of the wrong type") {
  static constexpr Row kRows[] = {
      {"a section", R"("read":["."])", "21: /read must be an object, not an array"},
      {"a section that is null", R"("write":null)", "22: /write must be an object, not null"},
      {"a list", R"("read":{"allow":"."})", "30: /read/allow must be an array, not a string"},
      {"an element", R"("read":{"deny":[".",5]})",
       "34: /read/deny/1 must be a string, not a number"},
      {"a boolean", R"("audit":{"required":"yes"})",
       "34: /audit/required must be true or false, not a string"},
      {"a number", R"("sandbox":{"cpus":"2"})", "32: /sandbox/cpus must be a number, not a string"},
      {"a text", R"("denied":{"say":true})", "30: /denied/say must be a string, not a boolean"},
      {"a profile", R"("profiles":{"a":1})", "30: /profiles/a must be an object, not a number"},
      {"profiles", R"("profiles":[])", "25: /profiles must be an object, not an array"},
      {"an MCP tool", R"("mcp":{"mcp__a__b":[]})",
       "33: /mcp/mcp__a__b must be an object, not an array"},
      {"an alert's field", R"("alerts":{"inbox":"/x","fields":{"a":1}})",
       "51: /alerts/fields/a must be a string"},
      {"a condition", R"("profiles":{"a":{"when":{"subagent":"yes"}}})",
       "50: /profiles/a/when/subagent must be true or false, not a string"},
  };
  CheckRows(kRows);
}

TEST_CASE("load mistakes: a value without meaning") {
  static constexpr Row kRows[] = {
      {"a word", R"("permitted":"alow")",
       R"(26: /permitted must be "client" or "allow", not "alow"; did you mean "allow"?)"},
      {"one of three words", R"("network":{"unlisted":"no"})",
       R"(36: /network/unlisted must be "deny", "ask" or "allow", not "no")"},
      {"unsandboxed is never allowed", R"("bash":{"unsandboxed":"allow"})",
       R"(36: /bash/unsandboxed must be "deny" or "ask", not "allow")"},
      {"another root", R"("root":"/srv")", R"(21: /root must be "git", not "/srv")"},
      {"an empty allow list", R"("read":{"allow":[]})",
       R"(30: /read/allow is empty [leave it out for the default; to permit nothing, deny "/" (paths) or "*" (hosts, tools)])"},
      {"an empty list of tools", R"("tools":{"allow":[]})",
       R"(31: /tools/allow is empty [leave it out for the default; to permit nothing, deny "/" (paths) or "*" (hosts, tools)])"},
      {"a path with dot-dot", R"("write":{"allow":["../x"]})",
       R"(32: /write/allow/0 contains ".." [write the directory itself])"},
      {"an empty path", R"("read":{"deny":["a",""]})",
       R"(34: /read/deny/1 is empty [write "." for the project])"},
      {"a set that may not be allowed", R"("read":{"allow":["@secrets"]})",
       R"(31: /read/allow/0 "@secrets" can be denied or asked about, not allowed [name the one file that you mean])"},
      {"a tool that is no name", R"("tools":{"deny":["Web Fetch"]})",
       R"x(31: /tools/deny/0 is not the name of a tool [letters, digits and "*" for any of them])x"},
      {"no tool at all", R"("tools":{"deny":[""]})",
       R"x(31: /tools/deny/0 is not the name of a tool [letters, digits and "*" for any of them])x"},
      {"a set of tools", R"("tools":{"allow":["@all"]})",
       R"(32: /tools/allow/0 "@all" is not a set of tools; there are "@session-tools" and "@known-tools")"},
      {"a URL for a host", R"("network":{"allow":["https://a.example"]})",
       R"(34: /network/allow/0 is a URL, not a host [write the host without https://: "a.example"])"},
      {"a URL with an odd host", R"("network":{"allow":["https://a b"]})",
       "34: /network/allow/0 is a URL, not a host [write the host without https://]"},
      {"a host with a path", R"("network":{"deny":["a.example/x"]})",
       "33: /network/deny/0 has a path after the host [a rule covers a whole host; write it "
       "without "
       "a path: \"a.example\"]"},
      {"an MCP server's name", R"("mcp":{"fs__move":{}})",
       "32: /mcp/fs__move must be the name of an MCP tool: mcp__SERVER__TOOL"},
      {"a field that is no pointer", R"("mcp":{"mcp__a__b":{"read":["path"]}})",
       R"x(42: /mcp/mcp__a__b/read/0 must be a JSON pointer such as "/path" ["/files/*/path" means the path of each element of files])x"},
      {"a store with a slash", R"("write":{"package_stores":["a/b"]})",
       R"(41: /write/package_stores/0 must be the name of a directory, such as "node_modules")"},
      {"an audit log in the project", R"("audit":{"file":"audit.jsonl"})",
       "30: /audit/file must be a path that begins with / or ~/"},
      {"an inbox that is a pattern", R"("alerts":{"inbox":"/srv/*/in"})",
       "32: /alerts/inbox must be a path that begins with / or ~/"},
      {"alerts to nowhere", R"("alerts":{})",
       R"(23: /alerts has no "inbox" [name the directory that alerts are written to])"},
      {"a profile without a name", R"("profiles":{"":{}})", "29: /profiles/ needs a name"},
      {"a condition that is none", R"("profiles":{"a":{"when":{}}})",
       "38: /profiles/a/when is empty [leave it out for a profile that only --profile chooses]"},
      {"a condition on a folder of the project", R"("profiles":{"a":{"when":{"root":"src"}}})",
       "46: /profiles/a/when/root must be a path that begins with / or ~/"},
      {"a variable name that is empty", R"("sandbox":{"env":[""]})", "32: /sandbox/env/0 is empty"},
      {"a variable with its value", R"("sandbox":{"env":["A=b"]})",
       R"(32: /sandbox/env/0 must be the name of a variable, without "=")"},
      {"a command that contains NUL", R"("stage":{"verify":["a\u0000b"]})",
       "33: /stage/verify/0 contains NUL"},
      {"a mode of the client", R"("client":{"permission_mode":"yolo"})",
       R"(42: /client/permission_mode must be "default", "manual", "plan", "acceptEdits", "dontAsk", "auto" or "bypassPermissions", not "yolo")"},
  };
  CheckRows(kRows);
}

TEST_CASE("load mistakes: all of them are reported, in one run") {
  CHECK(Mistakes("{\n \"version\": 3,\n \"reed\": {},\n \"write\": {\"allow\": [\"..\", 5]}\n}") ==
        "policy.json:2:13: /version must be 1 [a newer policy needs a newer ringfence]\n"
        "policy.json:4:22: /write/allow/0 contains \"..\" [write the directory itself]\n"
        "policy.json:4:28: /write/allow/1 must be a string, not a number\n"
        "policy.json:3:2: /reed is not a known key; did you mean \"read\"?");
}
