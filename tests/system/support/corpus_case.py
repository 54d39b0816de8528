"""One case of the bypass corpus: its tree on the disk, its event, and the required answer.

A case is a JSON object: id, class, why, expect ("allow", or "deny" and "error": the tool must
not run); the event as stdin (an object), stdin_raw, stdin_base64 or stdin_parts; setup (what to
create before), allow_extra, policy_at, policy_link, policy_raw, policy_absent, env, process_cwd,
cwd_deleted, platforms, timeout. $CWD, $CWDNAME, $HOME, $OUT, $POLICY and $BASE stand for paths
in the tree, $$ for a dollar sign.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from hook_world import Answer
from repository import ROOT

CASES = ROOT / "fixtures/bypass/bypass.jsonl"
PLACEHOLDER = re.compile(r"\$(?:\$|\{(\w+)\}|(CWDNAME|CWD|HOME|OUT|POLICY|BASE))")
ALLOWED = ("permitted", "allowed")


def load():
    """The id names a case, so it occurs only once."""
    cases = {}
    for number, line in enumerate(CASES.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        case = json.loads(line)
        assert case["id"] not in cases, f"{CASES}:{number}: a second case {case['id']}"
        assert case["expect"] in ("allow", "deny", "error"), f"{CASES}:{number}: {case['expect']!r}"
        cases[case["id"]] = case
    return list(cases.values())


def template():
    return CASES.with_name("policy-template.json").read_text(encoding="utf-8")


def platform():
    return {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, sys.platform)


def encoded(text):
    """Lone surrogates of a case are kept, so that the hook gets them."""
    return text.encode("utf-8", "surrogatepass")


class Tree:
    """BASE/w/project is the workspace, BASE/h the home, BASE/o the outside."""

    def __init__(self, case, policy):
        self.case, self.template = case, policy
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="ringfence-corpus.")).resolve()
        self.project, self.home, self.outside = (
            self.base / name for name in ("w/project", "h", "o"))
        self.names = {"BASE": str(self.base), "CWD": str(self.project), "CWDNAME": "project",
                      "HOME": str(self.home), "OUT": str(self.outside),
                      "POLICY": str(self.base / "p/policy.json")}

    def __enter__(self):
        try:
            self._make_places()
            self._make_policy()
            for step in self.case.get("setup", []):
                self._make(self.filled(step))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.base, ignore_errors=True)

    def filled(self, value):
        """`value` with the names of places replaced, at any depth."""
        if isinstance(value, str):
            return PLACEHOLDER.sub(
                lambda found: self.names[found[1] or found[2]] if found[0] != "$$" else "$", value)
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if isinstance(value, dict):
            return {self.filled(key): self.filled(item) for key, item in value.items()}
        return value

    def _make_places(self):
        for folder in (self.project / "src", self.project / "docs", self.home / ".claude",
                       self.outside / "dir", self.base / "tmp"):
            folder.mkdir(parents=True)
        for file, text in ((self.project / "README.md", "readme\n"),
                           (self.project / "src/a.ts", "export const a = 1\n"),
                           (self.home / ".ssh/id_rsa", "no real key\n"),
                           (self.outside / "secret.txt", "outside\n")):
            self._write(file, text)

    def _make_policy(self):
        case, at = self.case, self.names["POLICY"]
        if "policy_at" in case:
            at = self.names["POLICY"] = self.filled(case["policy_at"])
        text = self._policy_text()
        if text is not None:
            self._write(at, text)
        if "policy_link" in case:
            link = self.names["POLICY"] = self.filled(case["policy_link"])
            self._inside(link).parent.mkdir(parents=True, exist_ok=True)
            os.symlink(at, link)

    def _policy_text(self):
        case = self.case
        if "policy_raw" in case:
            return None if case["policy_raw"] is None else self.filled(case["policy_raw"])
        if case.get("policy_absent"):
            return None
        allowed = [self.names["CWD"], *self.filled(case.get("allow_extra", []))]
        text = self.template.replace("@ALLOW@", json.dumps(allowed))
        for word, name in (("@CWD@", "CWD"), ("@HOME@", "HOME"), ("@OUT@", "OUT")):
            text = text.replace(word, self.names[name])
        home = pathlib.Path(self.environment().get("HOME", self.base))
        if self.base in (home, *home.parents):
            return text
        # The log stays in the tree of the case, whatever the home is.
        audit = json.dumps({"file": str(self.base / "audit.jsonl")})
        return f'{text.rstrip().removesuffix("}")}, "audit": {audit} }}'

    def _inside(self, path):
        """A case may change nothing outside its own tree, whatever its links say."""
        path = pathlib.Path(path)
        if self.base not in (real := path.parent.resolve(), *real.parents):
            raise ValueError(f"{path} is not in the tree of the case")
        return path

    def _write(self, path, text):
        path = self._inside(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encoded(text))

    def _make(self, step):
        """One step of the setup."""
        path = self._inside(step["path"])
        if step["op"] != "remove":
            path.parent.mkdir(parents=True, exist_ok=True)
        match step["op"]:
            case "mkdir":
                path.mkdir(exist_ok=True)
            case "file":
                self._write(path, step.get("content", ""))
            case "symlink":
                self._remove(path)
                path.symlink_to(step["target"])
            case "hardlink":
                path.hardlink_to(self._inside(step["target"]))
            case "fifo":
                os.mkfifo(path)
            case "chmod":
                path.chmod(int(step["mode"], 8))
            case "remove":
                self._remove(path)
            case other:
                raise ValueError(f"no such step: {other}")

    @staticmethod
    def _remove(path):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def event(self):
        case = self.case
        if "stdin" in case:
            return encoded(json.dumps(self.filled(case["stdin"]), ensure_ascii=False))
        if "stdin_raw" in case:
            return encoded(self.filled(case["stdin_raw"]))
        if "stdin_base64" in case:
            return base64.b64decode(case["stdin_base64"])
        return b"".join(encoded(self._part(part)) for part in case["stdin_parts"])

    def _part(self, part):
        if "text" in part:
            return self.filled(part["text"])
        if "repeat" in part:
            return part["repeat"] * part["count"]
        return "".join(part["seq"] % number for number in range(part["count"]))

    def environment(self):
        variables = {"HOME": self.names["HOME"], "CLAUDE_PROJECT_DIR": self.names["CWD"],
                     "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TMPDIR": str(self.base / "tmp")}
        variables |= self.filled(self.case.get("env", {}))
        return {name: value for name, value in variables.items() if value is not None}

    def run(self, hook):
        command = [str(hook), "--policy", self.names["POLICY"]]
        if self.case.get("cwd_deleted"):
            command = ["/bin/sh", "-c", 'rm -rf "$PWD"; exec "$@"', "sh", *command]
        timeout = self.case.get("timeout", 10)
        try:
            done = subprocess.run(
                command, input=self.event(), capture_output=True, timeout=timeout, check=False,
                env=self.environment(), cwd=self.filled(self.case.get("process_cwd", "$CWD")))
        except subprocess.TimeoutExpired:
            return Answer(124, stderr=f"still running after {timeout} s".encode())
        return Answer(done.returncode, done.stdout, done.stderr)


def skip_reason(case):
    """The reason why the case cannot run here, or ""."""
    platforms = case.get("platforms", [platform()])
    return "" if platform() in platforms else "only for " + ", ".join(platforms)


def problem(case, answer):
    """The problem of the answer, or ""."""
    if case["expect"] == "allow":
        return "" if answer.verdict in ALLOWED else f"should be permitted, is {answer}"
    return "" if answer.blocks else f"should be {case['expect']}, is {answer}"
