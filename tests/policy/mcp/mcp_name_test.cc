#include "policy/mcp/mcp_name.h"

#include <doctest/doctest.h>

#include "policy/mcp/mcp_maps.h"

using namespace ringfence;

// Measured: the names that 2.1.330 and 2.1.331 offered the model for these servers and tools.
TEST_CASE("mcp names: a server or tool name becomes part of the client's tool name") {
  struct Row {
    std::string_view name, want;
  };
  static constexpr Row kRows[] = {
      {"plain", "plain"},
      {"with space", "with_space"},
      {"dot.ted", "dot_ted"},
      {"gr\u00f6\u00dfe", "gr__e"},
      {"emoji\U0001F600x", "emoji__x"},
      {"claude.ai Google Drive", "claude_ai_Google_Drive"},
      {"claude.ai  (odd) ", "claude_ai_odd"},
      {"claude.ai", "claude_ai"},
      {"a__b", "a__b"},
      {"-x-", "-x-"},
      {"x/y", "x_y"},
      {"\u00dcn\u00ef  c\u00f6d\u00e9", "_n___c_d_"},
      {"", ""},
      {"a\xFF", "a_"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(McpNamePart(row.name) == row.want);
  }
}

TEST_CASE("mcp names: a reading tool has a reading word at the beginning of its name") {
  for (const std::string_view tool :
       {"mcp__fs__read_file", "mcp__fs__get_x", "mcp__fs__list_x", "mcp__fs__search_x",
        "mcp__fs__readFile", "mcp__fs__list", "mcp__fs__read-file", "mcp__a__b__read_x"}) {
    CAPTURE(tool);
    // A server may be called "a__b", or a tool "b__read_x".
    CHECK(IsReadingMcpTool(tool) == (tool != "mcp__a__b__read_x"));
  }
  for (const std::string_view tool :
       {"mcp__fs__write_file", "mcp__fs__readable", "mcp__fs__getaway", "mcp__fs__listen",
        "mcp__fs__x_read", "mcp__fs__Read_x", "mcp__fs__", "mcp__read_x", "read_file", "Read",
        "mcp__fs__read_x__delete", "mcp__read_x__delete"}) {
    CAPTURE(tool);
    CHECK_FALSE(IsReadingMcpTool(tool));
  }
}

TEST_CASE("mcp names: a changing word makes a tool a writing one, whatever its name begins with") {
  for (const std::string_view name :
       {"search_and_replace", "search_replace",  "get_or_create_file",  "read_write_file",
        "readAndPatch",       "list_replace",    "read-modify-write",   "readThenDelete",
        "getANDSet",          "read_file2write", "search_file_replace", "list_files_and_rename",
        "get_overwrite",      "readWRITEFile",   "searchReplaceAll",    "read_then_x",
        "get_or_fetch",       "list_push",       "list_append",         "read.update",
        "get_file_upsert",    "list_mv",         "search__replace"}) {
    const std::string tool = "mcp__team__" + std::string(name);
    CAPTURE(tool);
    CHECK_FALSE(IsReadingMcpTool(tool));
  }
}

// Tools of real servers, and similar ones.
TEST_CASE("mcp names: nouns and parts of words are not changing words") {
  for (const std::string_view name : {"get_file_info",
                                      "list_directory_with_sizes",
                                      "read_multiple_files",
                                      "search_files",
                                      "get_commit",
                                      "list_commits",
                                      "search_code",
                                      "get_pull_request_files",
                                      "list_notifications",
                                      "get_latest_release",
                                      "read_media_file",
                                      "get_settings",
                                      "search_repositories",
                                      "list_issue_types",
                                      "get_copilot_job_status",
                                      "get_workflow_run",
                                      "list_workflow_runs",
                                      "get_run_configurations",
                                      "get_post",
                                      "list_posts",
                                      "get_data_set",
                                      "list_stateful_set",
                                      "get_export_status",
                                      "get_import",
                                      "get_app_store",
                                      "read_format",
                                      "readFileSync",
                                      "get_sync_status",
                                      "list_updates",
                                      "list_installed_packages",
                                      "search_address",
                                      "get_deleted_items",
                                      "get_editor_state",
                                      "list_executions",
                                      "get_document",
                                      "search_words",
                                      "get_order",
                                      "get_brand",
                                      "list_mappings",
                                      "getIPv4Address",
                                      "get_all_open_file_paths",
                                      "search_in_files_by_text",
                                      "list_code_usages",
                                      "get_diff",
                                      "get_merge_request",
                                      "get_pull_request_diff",
                                      "list_merge_requests",
                                      "get_job_logs",
                                      "list_to_dos",
                                      "get_redirect",
                                      "get_swap_usage"}) {
    const std::string tool = "mcp__team__" + std::string(name);
    CAPTURE(tool);
    CHECK(IsReadingMcpTool(tool));
  }
}

TEST_CASE("mcp maps: a map belongs to a server and its tools, and to no other") {
  CHECK(MapOfTool("mcp__filesystem__read_file")->read == std::vector<std::string_view>{"/path"});
  CHECK(MapOfTool("mcp__filesystem__move_file")->write ==
        std::vector<std::string_view>{"/source", "/destination"});
  CHECK(MapOfTool("mcp__github__anything")->text == std::vector<std::string_view>{""});
  for (const std::string_view tool :
       {"mcp__filesystem__read_fil", "mcp__filesystem__read_files", "mcp__filesystem__", "mcp__git",
        "mcp__filesystems__read_file", "mcp__file__read_file", "mcp__githubby__x", "git_status",
        "mcp____read_file", "mcp__", "mcp__Filesystem__read_file", "mcp__plugin_a_git__git_add",
        "mcp__plugin_github__x", "mcp__plugin__github__x", "mcp__plugins_a_github__x",
        "mcp__claude_ai_x_github__x", "mcp__mygithub__x", "mcp__github_x__y"}) {
    CAPTURE(tool);
    CHECK_FALSE(MapOfTool(tool));
  }
  for (const std::string_view server :
       {"GitHub", "plugin_github_github", "plugin_my_tools_GitHub", "claude_ai_GitHub",
        "github_enterprise", "Plugin_x_github"}) {
    CAPTURE(server);
    CHECK(MapOfTool("mcp__" + std::string(server) + "__x").has_value());
  }
  CHECK(MapOfTool("mcp__plugin_playwright_playwright__browser_file_upload")->read ==
        std::vector<std::string_view>{"/paths"});
  for (const McpMap& map : McpMaps()) {
    CAPTURE(map.server);
    CHECK(map.read.size() + map.write.size() + map.text.size() > 0);
    for (const std::string_view tool : map.tools) {
      const std::string name = "mcp__" + std::string(map.server) + "__" + std::string(tool);
      CAPTURE(name);
      CHECK(MapOfTool(name)->read == map.read);
    }
  }
}

TEST_CASE("mcp name: a server's own name is not a tool") {
  CHECK(McpServerPattern("mcp__fs") == "mcp__fs__*");
  CHECK(McpServerPattern("mcp__fs__") == "mcp__fs__*");
  CHECK(IsMcpServer("mcp__fs"));
  CHECK(IsMcpServer("mcp__fs__"));
  for (const char* name : {"mcp__", "mcp__fs__read", "mcp__fs__*", "mcp__*", "fs", "Bash"}) {
    CAPTURE(name);
    CHECK_FALSE(IsMcpServer(name));
  }
}
