"""Repositories that a confined command creates: git works in them, and they run no program when
a user runs git outside.
"""

import os
import subprocess

import pytest

from sandbox import Sandbox

pytestmark = pytest.mark.users("ordinary", "root")

GIT = "git -c user.name=n -c user.email=a@b -c commit.gpgsign=false -c protocol.file.allow=always"
WORKS = f"""
set -e
export HOME=/tmp
git init -q new && cd new
git config user.name me && git config user.email me@here && git config core.autocrlf input
echo one > file && git add file && {GIT} commit -qm first
git config --unset core.autocrlf
git branch other && {GIT} worktree add -q ../tree other && cat .git/worktrees/tree/commondir
git -C ../tree status --short && git -C ../tree log --format=%s
cd .. && git clone -q new copy && git -C copy log --format=%s
cd new && {GIT} submodule --quiet add "$PWD/../copy" sub && {GIT} commit -qm sub && cd ..
{GIT} clone -q --recurse-submodules new whole && git -C whole/sub log --format=%s
git -C whole remote add second https://example.org/x && git -C whole config --get core.bare
rm -rf copy
"""

# Each attack starts in an empty directory below the project, after "git init -q r", with a config
# that runs a program in "evil".
EVIL = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = touch RAN; false\n"
ATTACKS = {
    "written in place": "cat ../evil > r/.git/config",
    "appended": "cat ../evil >> r/.git/config",
    "renamed": "cp ../evil c; mv c r/.git/config",
    "renamed, by git's own name": "cp ../evil r/.git/config.lock; mv r/.git/config.lock r/.git/config",
    "linked": "rm r/.git/config; cp ../evil c; ln c r/.git/config",
    "a link": "rm r/.git/config; ln -s ../../../evil r/.git/config",
    "config.worktree": "git -C r config extensions.worktreeConfig true;"
                       "cp ../evil c; mv c r/.git/config.worktree",
    "held open": "python3 -c \"import os; f = open('c', 'w+'); f.write('[user]'); f.flush();"
                 "os.rename('c', 'r/.git/config'); f.seek(0); f.write(open('../evil').read())\"",
    "another name of it": "ln r/.git/config x; cat ../evil > x",
    "exchanged": "cp ../evil c; python3 -c \"import ctypes; ctypes.CDLL(None).renameat2("
                 "-100, b'c', -100, b'r/.git/config', 2)\"",
    "by /proc": "exec 3< r/.git/config; cat ../evil > /proc/self/fd/3",
    "the name in between": "cat ../evil > r/.git/ringfence-unsaved",
    "made elsewhere": "mv r/.git x; rm x/config; cp ../evil x/config; mv x r/.git",
    "made while it is no .git": "rm r/.git/config; mv r/.git x; cp ../evil x/config; mv x r/.git",
    "a folder in .git": "mkdir -p r/.git/x/objects r/.git/x/refs; cp r/.git/HEAD r/.git/x/HEAD;"
                        "cp ../evil r/.git/x/config; rm -rf w; mkdir w;"
                        "echo 'gitdir: ../r/.git/x' > w/.git",
    "commondir": "mkdir -p e/objects e/refs g; cp ../evil e/config; cp r/.git/HEAD g/HEAD;"
                 "echo ../e > g/commondir; mkdir w; echo 'gitdir: ../g' > w/.git",
    "commondir in .git": "mkdir -p e/objects e/refs; cp ../evil e/config; echo ../../e > r/.git/commondir",
    "a worktree's commondir": "mkdir -p e/objects e/refs r/.git/worktrees/w w; cp ../evil e/config;"
                              "cp r/.git/HEAD r/.git/worktrees/w/HEAD;"
                              "echo ../../../../e > r/.git/worktrees/w/commondir;"
                              "echo 'gitdir: ../r/.git/worktrees/w' > w/.git",
    "a worktree's folder moved": "mkdir -p e/a/b e/objects e/refs r/.git/worktrees/w w;"
                                 "cp ../evil e/a/config; mkdir e/a/objects e/a/refs;"
                                 "cp r/.git/HEAD r/.git/worktrees/w/HEAD;"
                                 "echo ../.. > r/.git/worktrees/w/commondir;"
                                 "mv r/.git/worktrees/w e/a/b/w; echo 'gitdir: ../e/a/b/w' > w/.git",
    "config exchanged": "cat r/.git/config ../evil > x; python3 ../exchange.py r/.git/config x",
    "config exchanged, the other way": "cat r/.git/config ../evil > x;"
                                       "python3 ../exchange.py x r/.git/config",
    "config of a worktree exchanged":
        "mkdir -p r/.git/worktrees/w; echo ../.. > r/.git/worktrees/w/commondir;"
        "echo ../../../../e > x; python3 ../exchange.py r/.git/worktrees/w/commondir x;"
        "mkdir -p e/objects e/refs w; cp r/.git/HEAD e/HEAD; cp ../evil e/config;"
        "cp r/.git/HEAD r/.git/worktrees/w/HEAD; echo 'gitdir: ../r/.git/worktrees/w' > w/.git",
    "another config included": "cp ../evil e; git -C r config include.path ../../e",
    "config.worktree of a submodule":
        "mkdir -p r/.git/modules/s/objects r/.git/modules/s/refs; cp r/.git/HEAD r/.git/modules/s/HEAD;"
        "printf '[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tworktree = ../../../s\n"
        "[extensions]\n\tworktreeConfig = true\n' > c; mv c r/.git/modules/s/config;"
        "cp ../evil r/.git/modules/s/config.worktree;"
        "mkdir w r/s; echo 'gitdir: ../r/.git/modules/s' > w/.git",
    "a worktree of a repository with another name moved":
        "mkdir -p e/b/c e/b/objects e/b/refs; cp ../evil e/b/config; mv bare/worktrees/main e/b/c/main;"
        "mkdir w; echo 'gitdir: ../e/b/c/main' > w/.git",
    "all its worktrees moved":
        "mkdir -p e/b/objects e/b/refs; cp ../evil e/b/config; mv bare/worktrees e/b/c;"
        "mkdir w; echo 'gitdir: ../e/b/c/main' > w/.git",
    "config.worktree of a worktree of such a repository":
        "cp ../evil bare/worktrees/main/config.worktree",
    "a bare repository, seen through a changing mode":
        "mkdir x x/refs; cp ../evil x/config; cp r/.git/HEAD x/HEAD; python3 ../toggle.py x x/objects;"
        "mkdir w; echo 'gitdir: ../x' > w/.git",
    "git config": "git -C r config core.fsmonitor 'touch RAN; false'",
}
# renameat2(2) with RENAME_EXCHANGE.
EXCHANGE = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
sys.exit(libc.renameat2(-100, os.fsencode(sys.argv[1]), -100, os.fsencode(sys.argv[2]), 2) != 0)
"""
# Changes the mode of a directory by an access control list while a directory is created in it.
TOGGLE = """
import os, struct, sys, time
def acl(mode):
    entries = ((1, mode), (4, 0), (0x20, 0))
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", t, p, 0xffffffff) for t, p in entries)
child = os.fork()
if child == 0:
    while True:
        for mode in (6, 7):
            try:
                os.setxattr(sys.argv[1], "system.posix_acl_access", acl(mode))
            except OSError:
                pass
end = time.monotonic() + 2
while time.monotonic() < end and not os.path.isdir(sys.argv[2]):
    try:
        os.mkdir(sys.argv[2])
    except OSError:
        pass
os.kill(child, 9)
os.waitpid(child, 0)
os.chmod(sys.argv[1], 0o700)
"""
# The user's files: a bare repository of another name with a worktree that has its own config.
BEFORE = """
git init -q --bare bare && cd bare
git -c user.name=n -c user.email=a@b commit-tree -m x $(git hash-object -t tree -w /dev/null) > c
git branch main $(cat c) && git worktree add -q ../main main && git config extensions.worktreeConfig true
git config core.repositoryformatversion 1
"""
# Every directory that git may treat as a work tree or a repository.
OUTSIDE = """
for folder in r w g e x main r/.git/x r/.git/worktrees/w; do
  [ -d "$folder" ] || continue
  git -C "$folder" status; git -C "$folder" config --list; git --git-dir="$folder" config --list
done > seen 2>&1
"""


def test_new_repositories_work(world):
    done = Sandbox(world).run(["sh", "-c", WORKS])
    assert done.returncode == 0 and not done.stderr, f"{done.returncode} {done.stderr}"
    assert done.stdout.split() == ["../..", "first", "first", "first", "false"], done.stdout
    config = (world.project / "new/.git/config").read_text()
    assert "\tname = me\n" in config and "autocrlf" not in config, config
    assert not (world.project / "new/.git/ringfence-unsaved").exists()


def prepare(world, folder):
    subprocess.run(["sh", "-c", BEFORE], cwd=folder, timeout=60, check=True, capture_output=True,
                   env={"PATH": os.environ["PATH"], "HOME": str(world.home)})


def test_a_new_repository_runs_no_code_outside(world):
    sandbox = Sandbox(world)
    world.write(world.project / "evil", EVIL)
    world.write(world.project / "toggle.py", TOGGLE)
    world.write(world.project / "exchange.py", EXCHANGE)
    ran = []
    for number, (name, attack) in enumerate(ATTACKS.items()):
        folder = world.project / f"attack-{number}"
        folder.mkdir()
        prepare(world, folder)
        begin = f"cd {folder.name} && git init -q r && {{ {attack}; }} 2>/dev/null; :"
        done = sandbox.run(["sh", "-c", begin])
        assert done.returncode == 0, done
        environment = {"PATH": os.environ["PATH"], "HOME": str(world.home),
                       "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory",
                       "GIT_CONFIG_VALUE_0": "*"}
        subprocess.run(["sh", "-c", OUTSIDE], cwd=folder, timeout=60, check=False, env=environment)
        found = [path for path in folder.rglob("RAN")]
        if found or "fsmonitor" in (folder / "seen").read_text():
            ran.append(name)
    assert not ran, ran


def test_the_attacks_work_without_the_sandbox(world):
    """Without the sandbox, the attacks above succeed."""
    world.write(world.project / "evil", EVIL)
    world.write(world.project / "toggle.py", TOGGLE)
    world.write(world.project / "exchange.py", EXCHANGE)
    dead = []
    for number, (name, attack) in enumerate(ATTACKS.items()):
        folder = world.project / f"attack-{number}"
        folder.mkdir()
        prepare(world, folder)
        begin = f"git init -q r && {{ {attack}; }} 2>/dev/null; :"
        environment = {"PATH": os.environ["PATH"], "HOME": str(world.home)}
        for script in (begin, OUTSIDE):
            subprocess.run(["sh", "-c", script], cwd=folder, timeout=60, check=False,
                           env=environment)
        if "fsmonitor" not in (folder / "seen").read_text():
            dead.append(name)
    # git does not read this one.
    assert dead == ["the name in between"], dead


# Files that editors, hosts and shells run, and files of the client.
OF_PROJECTS = (".github/workflows/ci.yml", ".vscode/settings.json", ".husky/pre-commit", ".envrc")
OF_CLIENT = (".mcp.json", ".claude/settings.json", ".claude/commands/x.md")


def upstream(world, names):
    for name in names:
        world.write(world.home / "up" / name, "upstream\n")
    git = ["git", "-C", world.home / "up", "-c", "user.name=n", "-c", "user.email=a@b"]
    for step in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "first"),
                 ("checkout", "-qb", "other")):
        subprocess.run([*git, *step], check=True)
    world.write(world.home / "up/.envrc", "changed\n")
    subprocess.run([*git, "commit", "-qam", "second"], check=True)


def test_a_clone_has_all_of_its_files(world):
    sandbox = Sandbox(world)
    upstream(world, ("file", *OF_PROJECTS))
    script = (f"set -e; {GIT} clone -qb main {world.home}/up lib/up; cd lib/up; {GIT} checkout -q other;"
              f" {GIT} checkout -q main; {GIT} worktree add -q ../tree other; cat ../tree/.envrc;"
              " rm -r .vscode; git checkout .; mv ../up ../down; cd ../down; git status --short;"
              f" {GIT} rm -qr .husky; {GIT} stash -q; cat .husky/pre-commit")
    done = sandbox.run(["sh", "-c", script])
    assert done.returncode == 0 and done.stdout == "changed\nupstream\n", done
    # In the next run the clone is a repository like any other.
    done = sandbox.run(["sh", "-c", "cd lib/down; echo x > .envrc; rm .vscode/settings.json"])
    assert done.returncode != 0 and "@runs-later" in done.stderr, done
    for name in OF_PROJECTS:
        assert (world.project / "lib/down" / name).read_text() == "upstream\n", name


def test_a_clone_with_client_files_is_refused(world):
    sandbox = Sandbox(world)
    upstream(world, ("file", ".envrc", *OF_CLIENT))
    done = sandbox.run(["sh", "-c", f"{GIT} clone -qb main {world.home}/up up"])
    assert done.returncode != 0 and "ringfence: write to" in done.stderr, done
    for name in OF_CLIENT:
        assert not (world.project / "up" / name).exists(), name


def test_existing_directories_do_not_become_new_worktrees(world):
    """A directory inside it is not a new repository either, nor one that is a repository only
    for a while."""
    sandbox = Sandbox(world)
    world.write(world.project / "app/main.c", "x")
    world.write(world.project / "old/.vscode/settings.json", "as it was\n")
    world.write(world.project / "old/.envrc", "as it was\n")
    # No pause: these directories can have the same time as the run in the kernel's coarse clock.
    script = ("mkdir -p app/.git app/x; for d in app app/x; do mkdir $d/.vscode; echo > $d/.envrc; done;"
              "git init -q new; mv new/.git n; mkdir new/.idea; mv n new/.git; mkdir new/sub;"
              "git init -q new/sub; mv new/sub/.git gone; echo x > app/.vscode; echo x > app/.envrc;"
              "mkdir -p new/.idea; mv new/.idea . ; mv new/.idea app; ln -s ../app new/link;"
              "echo x > new/link/.envrc; mkdir e && mkdir e/.git && rmdir e/.git && echo x > e/.envrc;"
              "mv old new/old; echo x > new/old/.vscode/settings.json; echo x > new/old/.envrc;"
              "mv new/old old; git init -q; mkdir h; mv app new * h; mkdir .git; mkdir .vscode;"
              "echo x > .envrc; mv h/* .")
    sandbox.run(["sh", "-c", script])
    for name in (".vscode/settings.json", ".envrc"):
        assert (world.project / "old" / name).read_text() == "as it was\n", name
    for name in (".vscode", ".envrc", ".idea", "app/.vscode", "app/.envrc", "app/x/.vscode",
                 "app/x/.envrc", "app/.idea", "e/.envrc"):
        assert not os.path.lexists(world.project / name), name


def test_a_refused_git_config_explains_why(world):
    done = Sandbox(world).run(["sh", "-c", "git init -q r; git -C r config alias.x '!true'"])
    assert done.returncode != 0, done
    assert "a command may not set alias.x" in done.stderr, done.stderr
    assert "alias" not in (world.project / "r/.git/config").read_text()
