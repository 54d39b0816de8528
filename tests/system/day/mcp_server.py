"""An MCP server on standard input and output with the tools of well-known ones, by name and schema:
"filesystem", "git", "github", "docs". It returns its arguments and does nothing else.

    mcp_server.py KIND
"""

import json
import sys

TEXT, TEXTS, NUMBER, FLAG = "string", ["string"], "integer", "boolean"
REPOSITORY = {"owner": TEXT, "repo": TEXT}
EDITS = [{"oldText": TEXT, "newText": TEXT}]

TOOLS = {
    "filesystem": {
        "read_text_file": {"path": TEXT, "head": NUMBER, "tail": NUMBER},
        "read_media_file": {"path": TEXT},
        "read_multiple_files": {"paths": TEXTS},
        "write_file": {"path": TEXT, "content": TEXT},
        "edit_file": {"path": TEXT, "edits": EDITS, "dryRun": FLAG},
        "create_directory": {"path": TEXT},
        "list_directory": {"path": TEXT},
        "directory_tree": {"path": TEXT, "excludePatterns": TEXTS},
        "move_file": {"source": TEXT, "destination": TEXT},
        "search_files": {"path": TEXT, "pattern": TEXT, "excludePatterns": TEXTS},
        "get_file_info": {"path": TEXT},
        "list_allowed_directories": {},
    },
    "git": {
        "git_status": {"repo_path": TEXT},
        "git_diff_unstaged": {"repo_path": TEXT, "context_lines": NUMBER},
        "git_diff": {"repo_path": TEXT, "target": TEXT},
        "git_add": {"repo_path": TEXT, "files": TEXTS},
        "git_commit": {"repo_path": TEXT, "message": TEXT},
        "git_log": {"repo_path": TEXT, "max_count": NUMBER, "start_timestamp": TEXT},
        "git_create_branch": {"repo_path": TEXT, "branch_name": TEXT, "base_branch": TEXT},
        "git_show": {"repo_path": TEXT, "revision": TEXT},
    },
    "github": {
        "get_me": {},
        "get_file_contents": {**REPOSITORY, "path": TEXT, "ref": TEXT},
        "create_or_update_file": {**REPOSITORY, "path": TEXT, "content": TEXT, "message": TEXT,
                                  "branch": TEXT, "sha": TEXT},
        "push_files": {**REPOSITORY, "branch": TEXT, "message": TEXT,
                       "files": [{"path": TEXT, "content": TEXT}]},
        "search_code": {"query": TEXT, "perPage": NUMBER},
        "create_pull_request": {**REPOSITORY, "title": TEXT, "head": TEXT, "base": TEXT, "body": TEXT},
        "add_issue_comment": {**REPOSITORY, "issue_number": NUMBER, "body": TEXT},
    },
    "docs": {
        "get-library-docs": {"context7CompatibleLibraryID": TEXT, "topic": TEXT},
        "fetch": {"url": TEXT, "max_length": NUMBER},
        "render": {"template": TEXT, "data": {"title": TEXT}},
    },
}


def schema(kind):
    if isinstance(kind, str):
        return {"type": kind}
    if isinstance(kind, list):
        return {"type": "array", "items": schema(kind[0])}
    return {"type": "object", "properties": {name: schema(value) for name, value in kind.items()}}


def tools(kind):
    return [{"name": name, "description": f"{name} of {kind}", "inputSchema": schema(arguments)}
            for name, arguments in TOOLS[kind].items()]


def answer(kind, method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": kind, "version": "1"}}
    if method == "tools/list":
        return {"tools": tools(kind)}
    if method == "tools/call":
        text = f"{params['name']} was given {json.dumps(params.get('arguments'))}"
        return {"content": [{"type": "text", "text": text}]}
    return {}


def main():
    kind = sys.argv[1]
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(kind, message.get("method"), message.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
