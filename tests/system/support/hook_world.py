"""A home, a project, a policy and an audit log for one run of the hook, and the meaning of its
answer.

An answer is read as the client reads it: exit 2 blocks, as does a printed deny with exit 0; any
other end permits the call.
"""

import hashlib
import json
import os
import subprocess
import tempfile

from plain_world import World

BLOCKED = ("denied", "asked", "error")
GENESIS = "0" * 64


class Answer:
    def __init__(self, status, stdout=b"", stderr=b""):
        self.status, self.stdout, self.stderr = status, stdout, stderr

    @property
    def verdict(self):
        """denied, asked, allowed, permitted, error (exit 2), or "open: " with the reason."""
        if self.status == 2:
            return "error"
        if self.status != 0:
            return f"open: ended by signal {-self.status}" if self.status < 0 else \
                f"open: exit {self.status}"
        if not self.stdout:
            return "permitted"
        try:
            output = json.loads(self.stdout.decode())["hookSpecificOutput"]
            known = {"deny": "denied", "ask": "asked", "allow": "allowed"}
            if output["hookEventName"] == "PreToolUse":
                return known[output["permissionDecision"]]
        except (ValueError, KeyError, TypeError):
            pass
        return f"open: unreadable answer {self.stdout[:80]!r}"

    @property
    def blocks(self):
        return self.verdict in BLOCKED

    def __str__(self):
        said = self.stderr.decode(errors="replace").strip()
        return self.verdict + (f" ({said[:160]})" if said else "")


class HookWorld(World):
    """`log`: the audit log before the run is "absent", "present" (a few lines) or "full" (above
    the rotation size). `layers`: the policies are in the user's and the project's usual places,
    instead of being named on the command line."""

    def __init__(self, log="absent", layers=False, required=False, rotate="64M", extra=None):
        super().__init__(os.path.realpath(tempfile.mkdtemp(prefix="ringfence-test.")))
        self.base.chmod(0o755)
        self.outside, self.log_folder = self.base / "outside", self.base / "log"
        for folder in (self.project / "src", self.outside):
            folder.mkdir()
        self.environment["CLAUDE_PROJECT_DIR"] = str(self.project)
        (self.project / "src" / "a.txt").write_text("a\n")
        (self.outside / "secret.txt").write_text("secret\n")
        (self.project / "link").symlink_to(self.outside)
        (self.project / "inner").symlink_to("src")
        (self.project / "docs").mkdir()
        (self.project / "decided").mkdir()
        (self.project / "docs" / "adr").symlink_to("../decided")  # the policy denies it
        (self.project / ".envrc").symlink_to("envfile")
        self.log = self.log_folder / "audit.jsonl"
        self.layers = layers
        self.filled = 0  # lines in the log before the first run
        if not layers:
            self.policy = self.base / "policy.json"
        self._write_policies(required, "1K" if log == "full" else rotate, extra or {})
        if log != "absent":
            self._fill_log(3 if log == "present" else 40)

    def _write_policies(self, required, rotate, extra):
        policy = {
            "version": 1,
            "read": {"allow": ["."], "deny": ["**/.env"]},
            "write": {"allow": ["."], "deny": ["docs/adr"]},
            "audit": {"file": str(self.log), "rotate": rotate, "required": required},
            "profiles": {"worker": {"when": {"subagent": True}, "write": {"allow": ["src"]}}},
            **extra,
        }
        self.policy.parent.mkdir(parents=True, exist_ok=True)
        self.policy.write_text(json.dumps(policy, indent=2) + "\n")
        if self.layers:
            (self.project / ".ringfence").mkdir()
            (self.project / ".ringfence/policy.json").write_text(
                '{ "version": 1, "write": { "deny": ["third_party"] } }\n')

    def _fill_log(self, count):
        self.log_folder.mkdir()
        chain, lines = GENESIS, []
        for number in range(count):
            line = json.dumps({"verdict": "permitted", "number": number, "chain": chain},
                              separators=(",", ":"))
            chain = hashlib.sha256(line.encode()).hexdigest()
            lines.append(line + "\n")
        self.log.write_text("".join(lines))
        self.log.chmod(0o600)
        self.filled = count

    def command(self, hook):
        return [str(hook)] + ([] if self.layers else ["--policy", str(self.policy)])

    def event(self, tool, tool_input, **members):
        return (json.dumps({
            "session_id": "5b2b3f6c", "transcript_path": str(self.home / "t.jsonl"),
            "cwd": str(self.project), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": tool_input,
            "tool_use_id": "toolu_01", **members,
        }) + "\n").encode()

    def denied_event(self, **members):
        """A write through a link to a file outside the project."""
        return self.event("Write", {"file_path": str(self.project / "link/new.txt"),
                                    "content": "x"}, **members)

    def denied_by_link_event(self, **members):
        """A write to the target of an entry in the policy's deny list."""
        return self.event("Write", {"file_path": str(self.project / "decided/new.txt"),
                                    "content": "x"}, **members)

    def runs_later_by_link_event(self, **members):
        """A write to the target of .envrc, in a mode without questions."""
        return self.event("Write", {"file_path": str(self.project / "envfile"), "content": "x"},
                          permission_mode="bypassPermissions", **members)

    def permitted_event(self, **members):
        """A write through a link that stays inside the project."""
        return self.event("Write", {"file_path": str(self.project / "inner/a.txt"),
                                    "content": "x"}, **members)

    def run(self, hook, event, timeout=60, prefix=(), **options):
        """One run. `prefix` is a command that starts the hook; `options` are subprocess.run's."""
        usual = {"cwd": self.project, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                 "env": self.environment}
        if "stdin" not in options:
            usual["input"] = event
        try:
            done = subprocess.run([*prefix, *self.command(hook)], timeout=timeout, check=False,
                                  **{**usual, **options})
        except subprocess.TimeoutExpired:
            return Answer(124, stderr=f"still running after {timeout} s".encode())
        return Answer(done.returncode, done.stdout or b"", done.stderr or b"")

    def log_lines(self, some_killed=False):
        """Every line of the log and of rotated files, and their problems."""
        lines, problems = [], []
        for file in self.log_files():
            text = file.read_bytes()
            if not text.endswith(b"\n"):
                problems.append(f"{file.name} ends within a line")
            lines += text.split(b"\n")[:-1] if text.endswith(b"\n") else text.split(b"\n")
        return lines, problems + chain_problems(lines, some_killed)

    def log_files(self):
        """A killed writer may leave a second name of a file, or a file that never became the
        log: audit.jsonl.new."""
        files = {file.stat().st_ino: file for file in sorted(self.log_folder.glob("audit.jsonl*"))
                 if file.suffix != ".new" and file.is_file() and file.stat().st_size}
        return files.values()


def chain_problems(lines, some_killed=False):
    """The lines must form one chain, in any order of their files: each names the digest of the
    one before. A writer that is killed between two pages of the file leaves a part of its line,
    which the next writer closes and includes in the digest with the complete line before it.
    Lines written without the lock may be beside each other: cli/test_log.py checks those."""
    blocks, problems = [], []  # a complete line with torn text after it, and its chain
    for line in lines:
        try:
            blocks.append([json.loads(line)["chain"], line])
        except (ValueError, KeyError, TypeError):
            if not some_killed or not line.startswith(b'{"time":"'):
                problems.append(f"not a whole line: {line[:80]!r}")
            elif blocks:
                blocks[-1][1] += b"\n" + line
            else:
                blocks.append([GENESIS, line])
    if sum(b'"unlocked":true' in text for _, text in blocks) > 1:
        return problems
    follower = {chain: text for chain, text in blocks}
    problems += [f"{len(blocks) - len(follower)} lines follow one that another follows"] * (
        len(blocks) != len(follower))
    seen, at = 0, GENESIS
    while at in follower and seen <= len(blocks):
        seen += 1
        at = hashlib.sha256(follower[at]).hexdigest()
    if seen != len(blocks):
        problems.append(f"the chain ends after {seen} of {len(blocks)} lines")
    return problems
