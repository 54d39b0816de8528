"""Tool calls as the model writes them: (tool name, input)."""


def read(path):
    return "Read", {"file_path": path}


def write(path, content="written by the model"):
    return "Write", {"file_path": path, "content": content}


def edit(path, old, new):
    return "Edit", {"file_path": path, "old_string": old, "new_string": new}


def notebook_edit(path, source):
    return "NotebookEdit", {"notebook_path": path, "cell_id": "one", "new_source": source}


def glob(pattern, **path):
    return "Glob", {"pattern": pattern, **path}


def grep(pattern, **where):
    return "Grep", {"pattern": pattern, "output_mode": "content", **where}


def bash(command, **flags):
    return "Bash", {"command": command, "description": "a scripted command", **flags}


def agent(prompt, background=False):
    return "Agent", {"description": "a scripted helper", "prompt": prompt,
                     "subagent_type": "general-purpose", "run_in_background": background}


def echo(**arguments):
    return "mcp__echo__echo", arguments


def send(text):
    return "mcp__echo__send", {"text": text}


def mcp_resource(uri):
    return "ReadMcpResourceTool", {"server": "echo", "uri": uri}


def web_fetch(url):
    return "WebFetch", {"url": url, "prompt": "what does it say?"}


def enter_worktree(**where):
    return "EnterWorktree", where
