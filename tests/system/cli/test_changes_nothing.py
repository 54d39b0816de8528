"""Read-only commands change nothing: compares home and project before and after, with names,
types, modes, times and contents.
"""

import json
import os
import stat

import pytest


def facts_of(path):
    facts = path.lstat()
    kind = stat.S_IFMT(facts.st_mode)
    content = b""
    if stat.S_ISREG(facts.st_mode):
        content = path.read_bytes()
    elif stat.S_ISLNK(facts.st_mode):
        content = os.readlink(path)
    return (kind, stat.S_IMODE(facts.st_mode), facts.st_uid, facts.st_gid, facts.st_nlink,
            facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns, content)


def everything(world):
    """The state of each file by path, including the two directories themselves and their parent."""
    paths = [world.base]
    for folder in (world.home, world.project):
        paths += [folder, *folder.rglob("*")]
    return {str(path): facts_of(path) for path in paths}


def difference(before, after):
    told = [f"{path} is gone" for path in before.keys() - after.keys()]
    told += [f"{path} is new" for path in after.keys() - before.keys()]
    told += [f"{path} was {before[path]!r}, is {after[path]!r}"
             for path in before.keys() & after.keys() if before[path] != after[path]]
    return sorted(told)


POLICY = {
    "version": 1,
    "read": {"allow": [".", "~/absent-read", "@toolchains"], "ask": ["~/absent-ask"]},
    "write": {"allow": [".", "out/result.txt", "~/absent/deep/file.txt", "~/notes.txt"]},
    "audit": {"file": "~/logs/deep/audit.jsonl"},
    "alerts": {"inbox": "~/inbox/alerts"},
    "network": {"allow": ["a.example"]},
    "profiles": {"worker": {"write": {"allow": ["src/new"]}}},
}

# Read-only commands, which must also work without a registration, a log or a state directory.
LOOKS = (
    ("doctor",), ("doctor", "--json"), ("doctor", "--profile", "worker"),
    ("check",), ("check", "--json"), ("check", "--strict"),
    ("explain", "Read", "/etc/hosts"), ("explain", "Write", "out/result.txt"),
    ("explain", "Bash", "ls"), ("explain", "@secrets"),
    ("audit", "fixtures"), ("audit", "fixtures", "--format", "html"),
    ("replay",), ("replay", "transcripts"),
    ("run", "--dry-run", "--", "/bin/true"), ("run", "--dry-run", "--layers", "landlock", "--", "/bin/true"),
    ("run", "--trial", "--", "/bin/true"), ("run", "--trial", "--layers", "landlock", "--", "/bin/true"),
    ("settings",), ("settings", "--for", "sdk"), ("settings", "--client-fence"),
    ("prompt",), ("prompt", "--json"),
    ("log",), ("log", "--json"), ("log", "verify"),
    ("trust", "--list"), ("init", "--dry-run"), ("completion", "bash"),
)


def lay_out(world):
    world.write(world.policy, json.dumps(POLICY))
    world.write(world.project / "fixtures/one.json", json.dumps({
        "event": {"tool_name": "Read", "tool_input": {"file_path": "in.txt"}}, "verdict": "permit"}))
    world.write(world.project / "transcripts/t.jsonl", "{}\n")
    world.write(world.project / "in.txt", "in")
    (world.project / "link").symlink_to(world.home)


def client(world):
    path = world.write(world.base / "bin/claude", '#!/bin/sh\necho "2.1.330 (Claude Code)"\n')
    path.chmod(0o755)
    return path


def look(world, *words):
    more = []
    if words[0] in ("doctor", "check", "settings"):
        more = ["--hook", world.programs.hook]
    if words[0] == "doctor":
        more += ["--client", client(world)]
    if "--" in words:
        at = words.index("--")
        command = [world.programs.ringfence, *words[:at], "--home", str(world.home), *words[at:]]
        return world.start(command)
    return world.run(*words, *more)


def all_look(world, name):
    client(world)
    problems = []
    for words in LOOKS:
        before = everything(world)
        done = look(world, *words)
        cannot = 125  # no sandbox on this host
        assert done.returncode in (0, 1, 2, cannot), (words, done)
        told = difference(before, everything(world))
        if told:
            problems.append(f"{' '.join(words)} ({name}): {told}")
    assert not problems, problems


def test_nothing_changes_before_init(world):
    lay_out(world)
    all_look(world, "before init")


def test_nothing_changes_in_an_empty_home(world):
    all_look(world, "an empty home")


def test_nothing_changes_after_init(world):
    lay_out(world)
    world.init("--no-client-sandbox")
    all_look(world, "after init")


def test_nothing_changes_where_a_log_is_required(world):
    lay_out(world)
    world.write(world.policy, json.dumps({**POLICY, "audit": {"required": True}}))
    world.init("--no-client-sandbox")
    all_look(world, "with a required log")


def test_nothing_changes_once_there_is_a_log(world):
    lay_out(world)
    world.init("--no-client-sandbox")
    done = world.start([world.programs.hook, "--home", str(world.home)], stdin=json.dumps({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(world.project),
        "tool_name": "Read", "tool_input": {"file_path": "/etc/hosts"}}),
        env={"HOME": str(world.home), "CLAUDE_PROJECT_DIR": str(world.project)})
    assert "deny" in done.stdout, done
    assert (world.home / "logs/deep/audit.jsonl").exists()
    all_look(world, "with a log")


def test_a_real_run_creates_allowed_paths(world):
    """Otherwise the cases above prove nothing."""
    lay_out(world)
    done = look(world, "run", "--", "/bin/true")
    if done.returncode == 125:
        pytest.skip(f"no sandbox on this host: {done.stderr}")
    assert done.returncode == 0 and (world.home / "notes.txt").is_dir(), done
    assert (world.home / "logs/deep/audit.jsonl").exists()


def test_doctor_reports_paths_that_can_be_created(world):
    lay_out(world)
    rows = json.loads(look(world, "doctor", "--json").stdout)["rows"]
    told = [(row["about"], row["health"], row["text"]) for row in rows]
    assert any(about == "audit log" and health == "ok" and "can be created" in text
               for about, health, text in told), told
    assert any(about == "alerts" and health == "ok" for about, health, _ in told), told
