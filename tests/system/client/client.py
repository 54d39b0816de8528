"""The real Claude Code client: how it is found, started and stopped."""

import fcntl
import functools
import json
import os
import pathlib
import platform
import pty
import re
import shutil
import signal
import struct
import subprocess
import tarfile
import tempfile
import termios
import threading

VERSIONS = ("2.1.330", "2.1.331")  # pinned, the newest last
VERSION = VERSIONS[-1]
PACKAGES = {
    ("Linux", "x86_64"): "claude-code-linux-x64",
    ("Linux", "aarch64"): "claude-code-linux-arm64",
    ("Darwin", "x86_64"): "claude-code-darwin-x64",
    ("Darwin", "arm64"): "claude-code-darwin-arm64",
}
SDK_VERSION = "0.3.330"  # of the agent SDK for that client
# Dependencies of the SDK.
SDK_PACKAGES = (f"@anthropic-ai/claude-agent-sdk@{SDK_VERSION}", "@anthropic-ai/sdk@0.93.0",
                "@modelcontextprotocol/sdk@1.29.0", "zod@4.0.0")
SDK_DRIVER = pathlib.Path(__file__).with_name("sdk.mjs")
SESSION_SECONDS = 60


class Unavailable(Exception):
    """The client is not available; the text says why."""


def versions(each=True):
    """The argument of `find` for each client to test."""
    if "CLAUDE_BIN" in os.environ:
        return ("CLAUDE_BIN",)
    return VERSIONS if each else (VERSION,)


def find(version=VERSION):
    """The path of the client to test: $CLAUDE_BIN, of any version, or else this pinned one,
    which is downloaded into the cache if necessary."""
    named = os.environ.get("CLAUDE_BIN")
    return pathlib.Path(named).resolve() if named else _pinned(version)


def _pinned(version):
    program = _cache(version) / "claude"
    program.parent.mkdir(parents=True, exist_ok=True)
    with open(program.with_name("lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # so that concurrent tests download it once
        if not program.exists():
            _fetch(program, version)
    found = version_of(program)
    if found != version:
        raise Unavailable(f"{program} is {found}, wanted {version}")
    return program.resolve()


def _cache(version=VERSION):
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(caches) / "ringfence-tests" / f"claude-{version}"


def find_sdk():
    """The agent SDK's module: from $CLAUDE_SDK, else the cache, else downloaded into the cache.
    It drives the same client, so its own client is not installed."""
    named = os.environ.get("CLAUDE_SDK")
    folder = pathlib.Path(named) if named else _cache().with_name(f"claude-agent-sdk-{SDK_VERSION}")
    if not shutil.which("node"):
        raise Unavailable("no node to run the agent SDK with")
    module = folder / "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs"
    if not module.exists():
        _fetch_sdk(folder)
    if not module.exists():
        raise Unavailable(f"there is no {module}")
    return module


def _fetch_sdk(folder):
    if not shutil.which("npm"):
        raise Unavailable("no agent SDK: set CLAUDE_SDK, or install npm to fetch it")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as fresh:
        install = ["npm", "install", "--silent", "--omit=optional", "--ignore-scripts", "--no-audit",
                   "--no-fund", "--prefix", fresh, *SDK_PACKAGES]
        try:
            done = subprocess.run(install, capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired as error:
            raise Unavailable("npm install of the agent SDK took too long") from error
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["no reason given"]
            raise Unavailable(f"npm install of the agent SDK failed: {lines[-1]}")
        shutil.move(fresh, folder)  # atomic: no test finds half of it
        os.makedirs(fresh)  # for the manager, which removes it


def version_of(program):
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"cannot start {program}: {error}") from error
    version = re.match(r"\d+(\.\d+)+", said.stdout)
    if not version:
        raise Unavailable(f"{program} says {said.stdout[:40].strip()!r} instead of its version")
    return version.group(0)


def _fetch(program, version):
    package = PACKAGES.get((platform.system(), platform.machine()))
    if not package:
        raise Unavailable(f"no client for {platform.system()} on {platform.machine()}")
    if not shutil.which("npm"):
        raise Unavailable("no client: set CLAUDE_BIN, or install npm to fetch one")
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        unpacked = _unpack(_npm_pack(f"@anthropic-ai/{package}@{version}", folder), folder)
        unpacked.replace(program)  # atomic: no test finds half a client


def _npm_pack(package, folder):
    pack = ["npm", "pack", "--silent", "--pack-destination", folder, package]
    try:
        done = subprocess.run(pack, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"npm pack {package} took too long") from error
    tarballs = list(pathlib.Path(folder).glob("*.tgz"))
    if done.returncode or not tarballs:
        lines = done.stderr.strip().splitlines() or ["no tarball"]
        raise Unavailable(f"npm pack {package} failed: {lines[-1]}")
    return tarballs[0]


def _unpack(tarball, folder):
    unpacked = pathlib.Path(folder) / "claude"
    with tarfile.open(tarball) as archive:
        with archive.extractfile("package/claude") as source, open(unpacked, "wb") as target:
            shutil.copyfileobj(source, target)
    unpacked.chmod(0o755)
    return unpacked


class Client:
    """One headless session. `with Client(...) as client:` starts it and makes sure that it ends.
    `launcher` is the command line that starts the program; `user` is another user's id, or None.
    """

    def __init__(self, program, world, api_url, folder, prompt, arguments, launcher=(), user=None):
        self._command = [*launcher, program, *self._how(prompt), *arguments]
        self._folder = folder
        environment = {**_environment(world, api_url, launcher), **world.more_environment}
        self._environment = {name: value for name, value in environment.items() if value is not None}
        self._user = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        self._events = []
        self._stderr = world.base / "client.stderr"

    @staticmethod
    def _how(prompt):
        return ["-p", prompt, "--output-format", "stream-json", "--verbose",
                "--include-hook-events"]

    def __enter__(self):
        with open(self._stderr, "wb") as stderr:
            self._start(stderr)
        self._reader.start()
        return self

    def _start(self, stderr):
        # Runs in a separate session, so that all its processes can be killed, and no others.
        self._process = subprocess.Popen(
            self._command, cwd=self._folder, env=self._environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
            encoding="utf-8", errors="replace", start_new_session=True, **self._user)
        self._reader = threading.Thread(target=self._collect, daemon=True)

    def __exit__(self, *_):
        self._signal_all(signal.SIGKILL)
        self._process.wait()
        self._reader.join(timeout=5)

    def wait(self, seconds=SESSION_SECONDS):
        """True if the client ended within the time, without being killed."""
        try:
            self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._signal_all(signal.SIGTERM)
            return False
        self._reader.join(timeout=5)
        return True

    def _signal_all(self, number):
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            pass

    def _collect(self):
        for line in self._process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                event = {"type": "unreadable", "line": line}
            self._events.append(event)

    def runs(self):
        return self._process.poll() is None

    def end(self):
        """Ends it as a user does, and waits."""
        self._signal_all(signal.SIGTERM)
        return self.wait()

    @property
    def status(self):
        return self._process.returncode

    def errors(self):
        """Its standard error until now."""
        return self._stderr.read_text(errors="replace")

    def hook_answers(self):
        """The hooks' answers as the client saw them (it does not show the hooks of all events)."""
        return [event for event in self._events if event.get("subtype") == "hook_response"]

    def user_messages(self):
        """The messages with the results of calls, as the client reports them on standard output."""
        return [event["message"] for event in self._events if event.get("type") == "user"]

    def prompts(self):
        """The ids of calls that did not run because the user would have been asked."""
        return {event["tool_use_id"] for event in self._events
                if event.get("subtype") == "permission_denied"}

    def result(self):
        """The last text that the user sees."""
        return [event.get("result") for event in self._events if event.get("type") == "result"][-1]

    def diagnosis(self):
        """Details for debugging a failed session."""
        results = [e for e in self._events if e.get("type") == "result"]
        said = str(results[-1].get("result"))[:300] if results else "no result"
        stderr = self._stderr.read_text(errors="replace")[:1000]
        return f"exit {self._process.returncode}, {said!r}, stderr {stderr!r}"



class SdkClient(Client):
    """A client driven by the agent SDK, with the options in a file of the world."""

    def __init__(self, program, world, api_url, folder, prompt, arguments, launcher=(), user=None):
        super().__init__(program, world, api_url, folder, prompt, (), launcher, user)
        options = world.path("$BASE/options.json")
        self._command = ["node", SDK_DRIVER, find_sdk(), options, program, prompt]


class TerminalClient(Client):
    """A client with its user interface, in its own terminal. Says /exit when told to."""

    all_on_screen = False  # its standard error as well

    @staticmethod
    def _how(prompt):
        return [prompt]

    def _start(self, stderr):
        self._terminal, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        self._screen = b""
        self._process = subprocess.Popen(
            self._command, cwd=self._folder, env=self._environment, stdin=other, stdout=other,
            stderr=other if self.all_on_screen else stderr, start_new_session=True,
            preexec_fn=_take_terminal, **self._user)
        os.close(other)
        self._reader = threading.Thread(target=self._collect, daemon=True)

    def __exit__(self, *_):
        super().__exit__()
        os.close(self._terminal)

    def say(self, text):
        os.write(self._terminal, text.encode())

    def shows(self, text):
        return text.encode() in self._screen

    def errors(self):
        return self._screen.decode(errors="replace") if self.all_on_screen else super().errors()

    def _collect(self):
        try:
            while chunk := os.read(self._terminal, 65536):
                self._screen += chunk
        except OSError:  # the other end is closed
            pass

    def diagnosis(self):
        plain = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[^\[]", b"", self._screen)
        return f"{super().diagnosis()}, screen {plain[-1500:].decode(errors='replace')!r}"


def _take_terminal():
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def search_path():
    return os.environ.get("PATH", os.defpath)


# At each start with its sandbox, the client asks npm for the global package directory, which takes
# npm a quarter of a second.
QUICK_NPM = """#!/bin/sh
if [ "$*" = "root -g" ]; then exec echo '{folder}'; fi
exec '{npm}' "$@"
"""


def _search_path_with_quick_npm(world):
    npm = shutil.which("npm")
    if not npm:
        return search_path()
    program = world.write_program("$BASE/bin/npm", QUICK_NPM.format(folder=_global_packages(npm), npm=npm))
    return f"{program.parent}:{search_path()}"


@functools.cache
def _global_packages(npm):
    return subprocess.run([npm, "root", "-g"], capture_output=True, text=True, check=True).stdout.strip()


def _environment(world, api_url, launcher):
    environment = {
        "PATH": _search_path_with_quick_npm(world),
        "HOME": str(world.home),
        "SHELL": "/bin/bash",  # else the client prefers zsh if installed
        "LANG": "C.UTF-8",
        "TERM": "xterm",
        "ANTHROPIC_BASE_URL": api_url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "ENABLE_TOOL_SEARCH": "false",  # else most tools hide behind a search
        "BUN_JSC_useDFGJIT": "0",  # sessions are too short for the optimizing compiler
    }
    if os.getuid() == 0 and not launcher:  # which sets it itself
        environment["IS_SANDBOX"] = "1"  # else the client refuses bypassPermissions to root
    return environment
