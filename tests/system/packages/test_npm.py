"""npm's packages, from the tarballs of `npm pack`, without a network and without install scripts."""

import json
import os
import pty
import shutil
import signal
import subprocess
import tarfile
import time

import pytest

from first_denial import Place, first_denial, is_blocked
from program_tree import LIST, ProgramTree, content, digest
from repository import ROOT, VERSION

PATIENCE = 120
PACKAGES = f"ringfence-{VERSION}.tgz", f"ringfence-linux-x64-{VERSION}.tgz"
JS = ROOT / "packaging/npm/ringfence.js"
PATH = "/usr/bin:/bin"
QUIET = {"npm_config_update_notifier": "false", "npm_config_audit": "false", "npm_config_fund": "false"}

pytestmark = [
    pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed"),
    pytest.mark.xdist_group("npm"),  # so that one process packs for all tests
]


def run(*words, **more):
    return subprocess.run(list(map(str, words)), text=True, capture_output=True, timeout=PATIENCE, check=False, **more)


def own(place):
    """Gives all files there to the user."""
    if place.user is not None:
        for path in (place.base, *place.base.rglob("*")):
            os.chown(path, place.user, place.user, follow_symlinks=False)


@pytest.fixture(name="tarballs", scope="module")
def fixture_tarballs(packages):
    """The packages of the preset release."""
    return packages.npm


@pytest.fixture(name="place")
def fixture_place(home, owner):
    return Place(home, PATH, user=owner, environment=QUIET)


@pytest.fixture(name="npx")
def fixture_npx(place, tarballs):
    """npx with the tarballs instead of the registry."""
    files = [shutil.copy(tarballs / name, place.base / name) for name in PACKAGES]
    return ("npx", "--yes", "--offline", "--ignore-scripts", *(f"--package={file}" for file in files), "--", "ringfence")


def manifest(tarball):
    with tarfile.open(tarball) as archive:
        return json.load(archive.extractfile("package/package.json"))


# -- the tarballs -----------------------------------------------------------------------------------

def test_the_tarballs_lose_nothing(tarballs, packages, tmp_path):
    tree, packed = tmp_path / "tree", tmp_path / "packed"
    with tarfile.open(packages.tarball) as archive:
        archive.extractall(tree)
    (tree,) = tree.iterdir()
    with tarfile.open(tarballs / PACKAGES[1]) as archive:
        archive.extractall(packed)
    packed /= "package"
    assert (packed / LIST).read_bytes() == (tree / LIST).read_bytes()
    for line in (tree / LIST).read_text().splitlines():
        path = line[66:]
        assert digest(packed / path) == line[:64], path
        is_program = path.startswith("bin/") or path.endswith(".sh")
        assert (packed / path).stat().st_mode & 0o777 == (0o755 if is_program else 0o644), path
    with tarfile.open(tarballs / PACKAGES[0]) as archive:
        names = {member.name: member.mode & 0o777 for member in archive}
    assert names == {f"package/{name}": 0o755 if name == "ringfence.js" else 0o644
                     for name in ("LICENSE", "README.md", "package.json", "ringfence.js")}


def test_the_packages_have_no_scripts(tarballs):
    main, other = map(manifest, (tarballs / name for name in PACKAGES))
    assert "scripts" not in main and "scripts" not in other and "dependencies" not in main
    assert main["version"] == other["version"] == VERSION
    assert main["optionalDependencies"] == {f"@ringfence/linux-{arch}": VERSION for arch in ("x64", "arm64")}
    assert (other["os"], other["cpu"], other["libc"]) == (["linux"], ["x64"], ["glibc"])


# -- installed ---------------------------------------------------------------------------------------

def test_from_npx_to_the_first_denied_call_and_back(place, npx, record_property):
    first_denial("npm", place, time.monotonic(), record_property, (*npx, "init"))
    settings = (place.home / ".claude/settings.json").read_text()
    prefix = place.home / ".local"
    assert f"{prefix}/bin/ringfence-hook" in settings and "_npx" not in settings
    # Another command runs the installed programs.
    done = place.run(*npx, "explain", "Write", "/etc/hosts")
    assert done.returncode == 1 and "outside the project" in done.stdout and not done.stderr, done
    # npm's cache is emptied: the registration does not name it.
    shutil.rmtree(place.home / ".npm")
    done = place.run(prefix / "bin/ringfence", "doctor", "--json")
    assert json.loads(done.stdout)["well"] is True, done
    # Without its program, the registration refuses every call.
    hook, away = prefix / "bin/ringfence-hook", place.home / "away"
    hook.rename(away)
    is_blocked(place, str(hook), "blocking because onFailure")
    away.rename(hook)
    done = place.run(prefix / "bin/ringfence", "uninstall", "--all", "--programs")
    assert done.returncode == 0, done
    kept = (place.home / ".config/ringfence", place.home / ".local/state/ringfence", place.home / "dev")
    left = [path for path in place.home.rglob("*") if path.is_file() and not any(
        path.is_relative_to(folder) for folder in kept)]
    assert not [path for path in left if "ringfence" in str(path.relative_to(place.home))], left
    assert not (prefix / "bin").exists() and not (prefix / "share").exists()
    assert not [path for path in left if path.is_relative_to(place.home / ".local")], left


def test_an_upgrade_keeps_policies_and_logs(place, npx, programs):
    old = ProgramTree(place.base / "old", programs, {"bin/ringfence-hook": "", "share/doc/ringfence/old page": "x"})
    shutil.copy(programs.hook, old.prefix / "bin/ringfence-hook")
    old.list.write_text(old.list.read_text().replace(
        old.list.read_text().splitlines()[2][:64], digest(old.prefix / "bin/ringfence-hook")))
    own(place)
    installed = place.home / ".local/bin/ringfence"
    for words in ((old.program, "install"), (installed, "init"), (installed, "allow", "/srv/data", "--yes")):
        assert place.run(*words).returncode == 0, words
    (place.home / ".local/state/ringfence/audit.jsonl").write_text("a line\n")
    own(place)
    before = content(place.home / ".config")
    done = place.run(*npx, "init")
    assert done.returncode == 0 and f"were copied to {place.home}/.local" in done.stderr, done
    assert not (place.home / ".local/share/doc/ringfence/old page").exists()
    assert content(place.home / ".config") == before
    assert (place.home / ".local/state/ringfence/audit.jsonl").read_text().startswith("a line\n")


# -- the wrapper, with a stub for the programs -----------------------------------------------------------

REPORT = '{"prefix": "%s", "version": "9.9.9", "changed": true, "notes": ["a note"]}'
STUB = """#!/bin/sh
case $1 in
  install) if [ "$2" = --json ]; then echo '%s'; else echo "own $*"; fi ;;
  *) echo "own $*"; exit 3 ;;
esac
"""


class Wrapper:
    """The package as npm unpacks it, in which the programs are shell scripts."""

    def __init__(self, base):
        self.home = base / "home"
        self.home.mkdir()
        self.modules = base / "node_modules"
        self.script = self.file("ringfence/ringfence.js", JS.read_text())
        self.file("ringfence/package.json", '{"version": "9.9.9"}')
        self.platform = self.file("@ringfence/linux-x64/package.json", '{"version": "9.9.9"}')
        self.prefix = self.home / ".local"
        self.stub(STUB % (REPORT % self.prefix))

    def file(self, name, text):
        path = self.modules / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def stub(self, text):
        self.file("@ringfence/linux-x64/bin/ringfence", text).chmod(0o755)
        self.file("@ringfence/linux-x64/" + LIST, "list")

    def install(self, text="#!/bin/sh\necho \"installed $*\"\n", listed="list"):
        for name, what in (("bin/ringfence", text), (LIST, listed)):
            path = self.prefix / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(what)
            path.chmod(0o755)

    def words(self, *words, changes=""):
        preload = self.file("preload.js", "Object.defineProperty(process, 'arch', { value: 'x64' });\n" + changes)
        return ["node", "--require", preload, self.script, *words]

    def run(self, *words, changes="", env=None):
        return run(*self.words(*words, changes=changes),
                   env={"PATH": PATH, "HOME": str(self.home), **(env or {})})

    def refused(self, *parts, changes="", words=("init",)):
        done = self.run(*words, changes=changes)
        assert done.returncode == 2 and not done.stdout, done
        for part in (*parts, "Nothing was changed", "\nHint: "):
            assert part in done.stderr, done.stderr


@pytest.fixture(name="wrapper")
def fixture_wrapper(tmp_path):
    return Wrapper(tmp_path)


def test_init_copies_first(wrapper):
    wrapper.install()
    done = wrapper.run("init", "--local", "a b")
    assert done.stdout == "installed init --local a b\n" and done.returncode == 0, done
    assert done.stderr == (f"ringfence: the programs of version 9.9.9 were copied to {wrapper.prefix}\n"
                           "ringfence: note: a note\n"), done
    assert wrapper.run("init", "--help").stdout == "own init --help\n"
    assert wrapper.run("install", "--prefix", "x").stdout == "own install --prefix x\n"
    wrapper.stub("#!/bin/sh\nexit 7\n")  # the copy fails
    assert wrapper.run("init").returncode == 7


def test_other_commands_prefer_the_installed_programs(wrapper):
    done = wrapper.run("explain", "$HOME", "*")
    assert (done.returncode, done.stdout, done.stderr) == (3, "own explain $HOME *\n", ""), done
    wrapper.install()
    done = wrapper.run("explain")
    assert (done.returncode, done.stdout, done.stderr) == (0, "installed explain\n", ""), done
    wrapper.install(listed="another")
    done = wrapper.run("explain")
    assert done.stdout == "installed explain\n" and "npx ringfence@9.9.9 install" in done.stderr, done
    assert wrapper.run("explain", env={"HOME": "relative"}).stdout == "own explain\n"


def test_npm_installs_to_the_same_prefix(wrapper):
    """That name is npm's link to the wrapper, so the programs have a directory of their own."""
    (wrapper.prefix / "bin").mkdir(parents=True)
    (wrapper.prefix / "bin/ringfence").symlink_to(wrapper.script)
    assert wrapper.run("explain").stdout == "own explain\n"
    wrapper.prefix /= "lib/ringfence"
    assert wrapper.run("install").stdout == f"own install --prefix {wrapper.prefix}\n"
    assert wrapper.run("install", "--prefix=x").stdout == "own install --prefix=x\n"
    wrapper.stub(f"""#!/bin/sh
[ "$*" = "install --json --prefix {wrapper.prefix}" ] && echo '{REPORT % wrapper.prefix}'""")
    wrapper.install()
    assert wrapper.run("init").stdout == "installed init\n"
    assert wrapper.run("explain").stdout == "installed explain\n"


def test_without_a_home_directory_the_programs_say_what_to_do(wrapper):
    none = "require('node:os').homedir = () => { throw new Error('no home') };\n"
    wrapper.stub('#!/bin/sh\necho "own $*"\nexit 2\n')
    for words in (("init",), ("install",), ("doctor",)):
        done = wrapper.run(*words, changes=none)
        assert done.returncode == 2 and "no home" not in done.stderr, done


def on(platform):
    return f"Object.defineProperty(process, 'platform', {{ value: '{platform}' }});\n"


def test_platforms_without_programs(wrapper):
    wrapper.refused('no programs for "darwin"', "virtual machine with Linux", changes=on("darwin"))
    wrapper.refused('no programs for "win32"', "WSL 2", changes=on("win32"), words=("explain", "x"))
    wrapper.refused('Linux on "s390x"', "./install.sh",
                    changes="Object.defineProperty(process, 'arch', { value: 's390x' });\n")


def test_programs_that_do_not_fit(wrapper):
    wrapper.platform.write_text('{"version": "9.9.8"}')
    wrapper.refused("ringfence is version 9.9.9, but @ringfence/linux-x64 is version 9.9.8",
                    "npm install ringfence@9.9.9")
    shutil.rmtree(wrapper.platform.parent)
    wrapper.refused("--omit=optional", "npm install --include=optional ringfence@9.9.9")
    wrapper.refused("no glibc", '"ringfence run" are static programs: install them from ringfence\'s tarball',
                    changes="process.report.getReport = () => ({ header: {} });\n")


def test_the_end_is_passed_on(wrapper):
    wrapper.stub("#!/bin/sh\nkill -KILL $$\n")
    assert wrapper.run("run").returncode == -signal.SIGKILL
    (wrapper.modules / "@ringfence/linux-x64/bin/ringfence").unlink()
    done = wrapper.run("run")
    assert done.returncode == 2 and "could not be started" in done.stderr, done


WAITS = """#!/bin/sh
trap 'echo got INT; exit 5' INT
trap 'echo got TERM; exit 6' TERM
echo ready
while :; do read -r line < "{pipe}" || exit 9; done
"""


def waiting(wrapper, base):
    pipe = base / "pipe"
    os.mkfifo(pipe)
    wrapper.stub(WAITS.format(pipe=pipe))


@pytest.mark.parametrize("number, status", ((signal.SIGINT, 5), (signal.SIGTERM, 6)))
def test_signals_are_passed_on(wrapper, tmp_path, number, status):
    waiting(wrapper, tmp_path)
    with subprocess.Popen(list(map(str, wrapper.words("run"))), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, start_new_session=True, env={"PATH": PATH, "HOME": str(wrapper.home)}) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(number)
            assert process.wait(PATIENCE) == status
            assert process.stdout.read() == f"got {number.name[3:]}\n"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def test_ctrl_c_reaches_the_program_once(wrapper, tmp_path):
    waiting(wrapper, tmp_path)
    child, terminal = pty.fork()
    if child == 0:
        words = list(map(str, wrapper.words("run")))
        os.execvpe(words[0], words, {"PATH": PATH, "HOME": str(wrapper.home)})
    said = b""
    try:
        while b"ready" not in said:
            said += os.read(terminal, 1024)
        os.write(terminal, b"\x03")
        try:
            while chunk := os.read(terminal, 1024):
                said += chunk
        except OSError:  # the program has ended
            pass
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
        assert said.count(b"got INT") == 1, said
    finally:
        os.close(terminal)
