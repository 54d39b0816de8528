#!/usr/bin/env python3
"""The tests inside the virtual machine (machine.py). init runs it as root.

    inside.py PART...

A part is the name of a group of cases, or "escape" with its options: escape,--layers,landlock.
Prints a line for each case that failed, and at the end "N passed, N failed, N skipped".
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import arm32
import network
import spellings
import stages

PROGRAMS = pathlib.Path("/tests")
USER = 1000
CGROUPS = pathlib.Path("/sys/fs/cgroup")
SECONDS = 120
# Kernel-dependent rows of escape_rows.py.
QUICK_ROWS = """
    open-trunc-outside truncate-outside create-outside chmod-outside setxattr-outside rename-out
    signal-outside ptrace-outside proc-mem-outside unix-abstract unix-path
    x-tkill x-tgkill x-pidfd-signal x-sigqueue x-tgsigqueue x-setown x-setown-ex x-fiosetown
    x-open-trunc-no-access x-socketpair-datagram fn-x-signals-itself fn-x-signals-children
    fn-rename-across-dirs fn-x-git-commit fn-x-open-flags fn-ptrace-child""".split()


class Home:
    """A home and a project of an ordinary user."""

    def __init__(self):
        self.base = pathlib.Path("/home/user")
        self.project = self.base / "project"
        shutil.rmtree(self.base, ignore_errors=True)
        self.project.mkdir(parents=True)
        self.policy()

    def policy(self, network=None, **sandbox):  # pylint: disable=redefined-outer-name
        (self.base / ".config/ringfence").mkdir(parents=True, exist_ok=True)
        (self.base / ".config/ringfence/policy.json").write_text(
            json.dumps({"version": 1, "sandbox": sandbox, **({"network": network} if network else {})}))
        for path in (self.base, *self.base.rglob("*")):
            os.chown(path, USER, USER)

    def start(self, *command):
        return subprocess.run(
            [str(word) for word in command], cwd=self.project, capture_output=True, text=True,
            timeout=SECONDS, check=False, stdin=subprocess.DEVNULL, user=USER, group=USER,
            extra_groups=[], env={"HOME": str(self.base), "PATH": "/usr/bin"})

    def run(self, *command, layers=None, launcher=()):
        options = ["--layers", layers] if layers else []
        return self.start(*launcher, PROGRAMS / "ringfence", "run", *options, "--", *command)

    def plan(self):
        return self.start(PROGRAMS / "ringfence", "run", "--dry-run", "true").stdout

    def runs(self, layers="full", said=()):
        """A command runs with these layers, whatever is requested. Its messages contain `said`."""
        done = self.run("sh", "-c", "echo $RINGFENCE_SANDBOX; touch ran; test ! -e ../ran",
                        layers=None if said else layers)
        assert (done.returncode, done.stdout) == (0, layers + "\n"), done
        assert (self.project / "ran").exists(), done
        (self.project / "ran").unlink()
        for text in said:
            assert text in done.stderr, (text, done.stderr)
        assert said or not done.stderr, done.stderr

    def refuses(self, *said, layers="full"):
        """Nothing runs, and the messages contain `said`."""
        done = self.run("touch", "ran", layers=layers)
        assert done.returncode == 125, done
        assert not (self.project / "ran").exists()
        for text in said:
            assert text in done.stderr, (text, done.stderr)
        return done.stderr

    def carry_out(self, message):
        """Runs the command of a hint as root."""
        command = re.search(r"sysctl -w ([\w.]+)=(\d+)", message)
        assert command, message
        set_kernel(command[1], command[2])

    def doctor(self):
        """Doctor's rows about the sandbox: (health, text)."""
        done = self.start(PROGRAMS / "ringfence", "doctor", "--json", "--hook",
                          PROGRAMS / "ringfence-hook", "--home", self.base)
        return [(row["health"], row["text"]) for row in json.loads(done.stdout)["rows"]
                if row["about"] == "sandbox"]


def set_kernel(name, value):
    """Sets a value and returns the previous one."""
    path = pathlib.Path("/proc/sys") / name.replace(".", "/")
    before = path.read_text().strip()
    path.write_text(value)
    return before


def health_of(rows, text):
    found = [health for health, said in rows if text in said]
    assert len(found) == 1, (text, rows)
    return found[0]


# -- an ordinary host -----------------------------------------------------------------------------

def both_layers_work_and_doctor_agrees(home):
    for layers in ("full", "landlock"):
        home.runs(layers)
    rows = home.doctor()
    for text in ('layers "full": works', 'layers "landlock": works', "Landlock ABI"):
        assert health_of(rows, text) == "ok", rows
    assert health_of(rows, 'asks for mode "sandbox", layers "full"') == "ok", rows


def the_supervisor_cannot_be_killed_from_inside(home):
    """No process is left when the command ends, either."""
    for how in ("kill -9 $PPID", "kill -9 -- -$(cut -d' ' -f5 /proc/$PPID/stat)"):
        done = home.run("sh", "-c", f"{how} 2> /dev/null; echo still; sleep 0.1", layers="landlock")
        assert (done.returncode, done.stdout) == (0, "still\n"), (how, done)
    done = home.run("sh", "-c", "(trap '' TERM; sleep 77) & kill -TERM -1; echo still",
                    layers="landlock")
    assert done.stdout == "still\n", done
    left = [path for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")
            if path.read_bytes() == b"sleep\x0077\0"]
    assert not left, left


# -- obstacles to user namespaces -----------------------------------------------------------------

def an_exhausted_namespace_limit_is_named(home):
    """Following the hint lets the next start succeed."""
    for kind in ("user", "net"):
        before = set_kernel(f"user.max_{kind}_namespaces", "0")
        try:
            said = home.refuses("own namespaces: clone", f"user.max_{kind}_namespaces", "landlock")
            home.runs("landlock")
            home.carry_out(said)
            home.runs()
        finally:
            set_kernel(f"user.max_{kind}_namespaces", before)


def a_fallback_to_landlock_is_reported(home):
    """The start and doctor report it; doctor's report is consistent with and without it."""
    before = set_kernel("user.max_user_namespaces", "0")
    try:
        rows = home.doctor()
        assert health_of(rows, 'layers "full": cannot be set up') == "missing", rows
        assert health_of(rows, "no command runs without them") == "missing", rows
        home.policy(missing="warn")
        home.runs("landlock", said=("not enforced: ", "runs with layers landlock"))
        rows = home.doctor()
        assert health_of(rows, 'layers "full": not as a whole') == "weak", rows
        assert health_of(rows, "commands run with fewer") == "weak", rows
        assert health_of(rows, 'layers "landlock": works') == "ok", rows
    finally:
        set_kernel("user.max_user_namespaces", before)


def debians_namespace_switch_is_named(home):
    if not os.path.exists("/proc/sys/kernel/unprivileged_userns_clone"):
        return
    before = set_kernel("kernel.unprivileged_userns_clone", "0")
    try:
        home.carry_out(home.refuses("kernel.unprivileged_userns_clone"))
        home.runs()
    finally:
        set_kernel("kernel.unprivileged_userns_clone", before)


def a_restrictive_apparmor_profile_is_named(home):
    """A profile that permits namespaces but no capabilities in them, as on Ubuntu."""
    profile = pathlib.Path("/run/profile")
    profile.write_text("profile narrow /usr/bin/narrow {\n  /{,**} mrwlkix,\n  network,\n  signal,\n"
                       "  ptrace,\n  unix,\n}\n")
    subprocess.run(["apparmor_parser", "-r", "-K", profile], check=True, capture_output=True)
    shutil.copy("/usr/bin/dash", "/usr/bin/narrow")
    words = ("narrow", "-c", '"$@"', "narrow")
    done = home.run("touch", "ran", launcher=words)
    assert done.returncode == 125 and "AppArmor" in done.stderr and '"narrow"' in done.stderr, done
    assert not (home.project / "ran").exists()
    done = home.run("true", layers="landlock", launcher=words)
    assert (done.returncode, done.stderr) == (0, ""), done
    home.runs()


class Ubuntu:
    """A kernel that denies user namespaces to programs without a profile, as far as a program sees it."""

    SETTINGS = pathlib.Path("/proc/sys/kernel")

    def __enter__(self):
        shown = pathlib.Path("/run/settings")
        for folder in (".", "yama"):
            (shown / folder).mkdir(exist_ok=True)
            for path in (self.SETTINGS / folder).iterdir():
                if path.is_file() and os.access(path, os.R_OK):
                    with contextlib.suppress(OSError):
                        (shown / folder / path.name).write_bytes(path.read_bytes())
        (shown / "apparmor_restrict_unprivileged_userns").write_text("1\n")
        subprocess.run(["busybox", "mount", "--bind", shown, self.SETTINGS], check=True)
        self.before = set_kernel("user.max_user_namespaces", "0")

    def __exit__(self, *_):
        set_kernel("user.max_user_namespaces", self.before)
        subprocess.run(["busybox", "umount", self.SETTINGS], check=True)


def ubuntus_restriction_is_named(home):
    """The hint's command writes a profile for the program that gave the hint. The parser is a script,
    since this machine's can be too old for the profile."""
    prefix, parser = pathlib.Path("/opt/ringfence"), pathlib.Path("/run/parser/apparmor_parser")
    for folder in (prefix / "bin", prefix / "share/ringfence", parser.parent, pathlib.Path("/etc/apparmor.d")):
        folder.mkdir(parents=True, exist_ok=True)
    program = shutil.copy(PROGRAMS / "ringfence", prefix / "bin")
    parser.write_text("#!/bin/sh\necho parsed $1\n")
    parser.chmod(0o755)
    with Ubuntu():
        assert "Install ringfence" in home.start(program, "run", "--", "true").stderr
        shutil.copy(PROGRAMS / "apparmor.sh", prefix / "share/ringfence")
        said = home.start(program, "run", "--", "true").stderr
    command = re.search(r"run once: sudo (.*); or use --layers landlock", said)
    assert command, said
    done = subprocess.run(["sh", "-c", command[1]], capture_output=True, text=True, check=False,
                          env={"PATH": f"{parser.parent}:/usr/bin"})
    assert done.returncode == 0 and "parsed -r" in done.stdout, done
    profile = pathlib.Path("/etc/apparmor.d/ringfence").read_text()
    assert "\nprofile ringfence /opt/ringfence/bin/ringfence{,-cli} " in profile, profile


# -- inspecting processes -------------------------------------------------------------------------

def ptrace_scope_2_is_named(home):
    set_kernel("kernel.yama.ptrace_scope", "2")
    try:
        home.runs("full")
        said = home.refuses("kernel.yama.ptrace_scope is 2", layers="landlock")
        home.carry_out(said)
        home.runs("landlock")
    finally:
        set_kernel("kernel.yama.ptrace_scope", "1")


def ptrace_scope_3_is_named(home):
    """The last case: this setting cannot be changed back."""
    set_kernel("kernel.yama.ptrace_scope", "3")
    for layers in ("full", "landlock"):
        home.refuses("kernel.yama.ptrace_scope is 3", layers=layers)
    home.policy(missing="warn", layers="landlock")
    home.refuses("kernel.yama.ptrace_scope is 3", layers="landlock")


# -- limits ---------------------------------------------------------------------------------------------

class Slice:
    """Cgroups as systemd delegates them: user has all controllers, and app below it has some.
    Inside `with`, this process is in a cgroup below app."""

    def __init__(self):
        (CGROUPS / "cgroup.subtree_control").write_text("+cpu +io +memory +pids")
        self.user = CGROUPS / "user"
        self.own = self.user / "app/terminal"
        self.own.mkdir(parents=True, exist_ok=True)
        (self.user / "cgroup.subtree_control").write_text("+cpu +io +memory +pids")
        (self.user / "app/cgroup.subtree_control").write_text("+memory +pids")
        for folder in (self.user, self.user / "app", self.own):
            for path in (folder, folder / "cgroup.procs", folder / "cgroup.subtree_control"):
                os.chown(path, USER, USER)

    def __enter__(self):
        (self.own / "cgroup.procs").write_text("0")
        return self

    def __exit__(self, *_):
        (CGROUPS / "cgroup.procs").write_text("0")


BURN = "i=0; while [ $i -lt 1000000000 ]; do i=$((i + 1)); done"


def the_total_memory_of_all_processes_is_limited(home):
    home.policy(memory="24M")
    eat = "dd if=/dev/zero bs=16M count=1 2> /dev/null"
    with Slice() as inside:
        done = home.run("sh", "-c", f"{eat} > /dev/null && echo one")
        assert (done.stdout, done.stderr) == ("one\n", ""), done
        # Each keeps its buffer, since the pipe is not read.
        both = f"for i in 1 2; do {{ {eat}; echo $? >&3; }} | sleep 3 & done; wait"
        done = home.run("sh", "-c", f"exec 3>&1; {both}")
    assert "137" in done.stdout.split() and not done.stderr.startswith("ringfence"), done
    assert sorted(path.name for path in inside.user.iterdir() if path.is_dir()) == ["app"]


def the_number_of_processes_is_limited(home):
    home.policy(processes=20)
    script = "i=0; while sleep 5 & do i=$((i + 1)); echo $i; [ $i -lt 40 ] || break; done"
    with Slice():
        done = home.run("sh", "-c", script)
    started = len(done.stdout.split())
    assert 15 <= started <= 20, done


def processor_time_is_limited_by_a_parent_cgroup_with_the_controller(home):
    """The nearest cgroup has no `cpu`."""
    home.policy(cpus=0.25, memory="512M", processes=100)
    with Slice() as inside:
        process = subprocess.Popen(
            [str(PROGRAMS / "ringfence"), "run", "--", "sh", "-c", BURN], cwd=home.project,
            text=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, user=USER, group=USER,
            extra_groups=[], env={"HOME": str(home.base), "PATH": "/usr/bin"})
    group = None
    deadline = time.monotonic() + SECONDS
    while group is None and time.monotonic() < deadline:
        group = next(inside.user.glob("ringfence-*"), None)
        time.sleep(0.05)
    assert group, "there is no cgroup of the run's"
    before, began = used(group), time.monotonic()
    time.sleep(4)
    share = (used(group) - before) / (time.monotonic() - began)
    throttled = statistic(group, "nr_throttled")
    process.terminate()
    _, said = process.communicate(timeout=SECONDS)
    assert share < 0.4 and throttled > 5, (share, throttled)
    assert not said.startswith("ringfence"), said


def statistic(group, name):
    text = (group / "cpu.stat").read_text()
    return int(re.search(rf"^{name} (\d+)$", text, re.MULTILINE)[1])


def used(group):
    return statistic(group, "usage_usec") / 1e6


def disk_io_is_limited(home):
    home.policy(io="1M")
    began = time.monotonic()
    with Slice():
        done = home.run("dd", "if=/dev/zero", "of=file", "bs=256k", "count=12", "oflag=direct")
    seconds = time.monotonic() - began
    assert done.returncode == 0 and "ringfence" not in done.stderr, done
    assert seconds > 2, f"3 MiB at 1 MiB/s took {seconds} s"


# -- a kernel without Landlock, or one that is too old -------------------------------------------------

def without_landlock_nothing_starts(home):
    said = home.refuses("Landlock is missing", "Linux 5.13")
    assert "landlock" in said
    home.refuses("Landlock is missing", layers="landlock")
    rows = home.doctor()
    assert health_of(rows, "Landlock absent") == "missing", rows
    assert health_of(rows, 'layers "full": cannot be set up') == "missing", rows
    home.policy(missing="warn")
    home.refuses("Landlock is missing", layers="landlock")


def without_landlock_missing_warn_prints_a_warning(home):
    home.policy(missing="warn")
    home.runs("full", said=("not enforced: file rules: landlock_create_ruleset: EOPNOTSUPP",
                            "Landlock, is missing"))
    before = set_kernel("user.max_user_namespaces", "0")
    try:
        home.refuses("max_user_namespaces")
    finally:
        set_kernel("user.max_user_namespaces", before)


def an_old_kernel_is_refused_with_its_version(home):
    release = os.uname().release
    for missing in ("refuse", "warn"):
        home.policy(missing=missing)
        for layers in ("full", "landlock"):
            home.refuses("Linux 5.13 or later", f"this is Linux {release}", layers=layers)


# -- main -----------------------------------------------------------------------------------------

PARTS = {
    "host": (both_layers_work_and_doctor_agrees, the_supervisor_cannot_be_killed_from_inside),
    "namespaces": (an_exhausted_namespace_limit_is_named, a_fallback_to_landlock_is_reported,
                   debians_namespace_switch_is_named, a_restrictive_apparmor_profile_is_named,
                   ubuntus_restriction_is_named),
    "limits": (the_total_memory_of_all_processes_is_limited, the_number_of_processes_is_limited,
               processor_time_is_limited_by_a_parent_cgroup_with_the_controller,
               disk_io_is_limited),
    "spellings": spellings.CASES,
    "network": network.CASES,
    "stages": stages.CASES,
    "arm32": arm32.CASES,
    "without-landlock": (without_landlock_nothing_starts, without_landlock_missing_warn_prints_a_warning),
    "old": (an_old_kernel_is_refused_with_its_version,),
    "ptrace": (ptrace_scope_2_is_named, ptrace_scope_3_is_named),
}


def run_cases(cases):
    counts = [0, 0, 0]
    for case in cases:
        name = case.__name__.replace("_", " ")
        began = time.monotonic()
        try:
            skipped = case(Home()) or ()
            for reason in skipped:
                print(f"SKIPPED {name}: {reason}", flush=True)
            counts[0] += 1
            counts[2] += len(skipped)
        except Exception as problem:  # pylint: disable=broad-except
            print(f"FAILED {name}: {type(problem).__name__}: {problem}", flush=True)
            counts[1] += 1
        print(f"({time.monotonic() - began:.1f} s: {name})", flush=True)
    return counts


def run_escape(options):
    """The escape list; with "quick", only its kernel-dependent rows."""
    words = [word for word in options if word != "quick"]
    if "quick" in options:
        words += ["--together", *(word for row in QUICK_ROWS for word in ("--only", row))]
    began = time.monotonic()
    done = subprocess.run(
        ["/usr/bin/python3", PROGRAMS / "escape_inside.py", "--probe", PROGRAMS / "escape_probe",
         "--ringfence", PROGRAMS / "ringfence", *words], capture_output=True, text=True,
        check=False)
    *lines, last = done.stdout.splitlines() or [done.stderr[-2000:]]
    for line in lines:
        print(f"escape {' '.join(options)}: {line}")
    print(f"({time.monotonic() - began:.1f} s: escape {' '.join(options)})", flush=True)
    counts = [int(word) for word in re.findall(r"\d+", last)]
    if len(counts) != 3 or done.returncode != (counts[1] > 0):
        print(f"FAILED escape {options}: {done.returncode}: {last}")
        return [0, 1, 0]
    return counts


def main():
    counts = [0, 0, 0]
    for part in sys.argv[1:]:
        name, *options = part.split(",")
        more = run_escape(options) if name == "escape" else run_cases(PARTS[name])
        counts = [one + other for one, other in zip(counts, more)]
    print(f"{os.uname().release} {json.dumps(sys.argv[1:])}: "
          f"{counts[0]} passed, {counts[1]} failed, {counts[2]} skipped")
    print("the end", flush=True)


if __name__ == "__main__":
    main()
