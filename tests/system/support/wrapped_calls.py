"""Calls of a hook that wraps commands (`bash.wrap`), in a command world."""

import json
import subprocess

SESSION = "0d2c1f6e-session"


def policy(world, **sections):
    sections.setdefault("bash", {"wrap": True})
    world.write(world.policy, json.dumps({"version": 1, **sections}))


def environment(of):
    return {"HOME": str(of.home), "PATH": "/usr/bin:/bin"}


def answer(world, command, session=SESSION, tool="Bash", hook=None, root=None, event="PreToolUse",
           **more):
    told = {"hook_event_name": event, "session_id": session, "cwd": str(world.project),
            "permission_mode": "default", "tool_name": tool,
            "tool_input": {"command": command, **more}}
    done = subprocess.run([hook or world.programs.hook, "--root", str(root or world.project)],
                          input=json.dumps(told), env=environment(world), capture_output=True,
                          text=True, check=True, timeout=30)
    return json.loads(done.stdout) if done.stdout else {}


def wrapped(world, command, **more):
    said = answer(world, command, **more)
    return said["hookSpecificOutput"]["updatedInput"]["command"]
