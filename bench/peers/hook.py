#!/usr/bin/env python3
"""The project boundary as a script: denies a path that leads out of the project."""
import json
import os
import sys

event = json.load(sys.stdin)
root = os.path.realpath(os.environ["CLAUDE_PROJECT_DIR"])
fields = event.get("tool_input", {})
for key in ("file_path", "notebook_path", "path"):
    if key not in fields:
        continue
    path = os.path.realpath(os.path.join(event["cwd"], os.path.expanduser(fields[key])))
    if path != root and not path.startswith(root + "/"):
        print(json.dumps({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": f"{path} is outside of {root}",
        }}))
        break
