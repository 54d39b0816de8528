"""Code that the user's git would run after a confined command has ended: files that the
configuration names inside the project, other remotes, and the rest of a stopped rebase or
cherry-pick.
"""

import os
import subprocess

import pytest

from sandbox import Sandbox

pytestmark = pytest.mark.users("ordinary", "root")

LANDLOCK = ("--layers", "landlock")
RUNS = "#!/bin/sh\ntouch \"$OLDHOME/RAN\"\n"
# Swaps two names.
EXCHANGE = ("python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).renameat2(-100, sys.argv[1].encode(), -100,"
            " sys.argv[2].encode(), 2) != 0)'")
# For each: the user's configuration, what a command inside writes, and what the user runs later.
# "RAN" in the home shows that git ran the file.
TARGETS = {
    "hooks": ("git config core.hooksPath .config-hooks",
              "mkdir -p .config-hooks; cp evil .config-hooks/pre-commit",
              "git commit -q --allow-empty -m x"),
    "hooks that were there": ("git config core.hooksPath hooks; mkdir hooks; echo '#!/bin/sh' > hooks/pre-commit;"
                              "chmod +x hooks/pre-commit",
                              "cp evil hooks/pre-commit; mv hooks h; mkdir hooks; cp evil hooks/pre-commit",
                              "git commit -q --allow-empty -m x"),
    "an included file": ("git config include.path ../git-extra",
                         "printf '[alias]\\n\\tx = !../evil\\n[core]\\n\\tfsmonitor = ../evil\\n' > git-extra;"
                         "printf '[core]\\n\\tfsmonitor = %s/evil\\n' \"$PWD\" > git-extra",
                         "git status"),
    "an included file that is there": (
        "echo > git-extra; git config include.path ../git-extra",
        "printf '[core]\\n\\tfsmonitor = %s/evil\\n' \"$PWD\" > new; mv new git-extra", "git status"),
    "an included file on a condition": (
        "git config 'includeIf.onbranch:main.path' ../git-extra",
        "printf '[core]\\n\\tfsmonitor = %s/evil\\n' \"$PWD\" > git-extra", "git status"),
    "what an included file includes": (
        "git config include.path ../conf/git; mkdir conf; git config -f conf/git include.path more",
        "printf '[core]\\n\\tfsmonitor = %s/evil\\n' \"$PWD\" > conf/more", "git status"),
    "a filter": ("mkdir tools; echo 'cat' > tools/clean; chmod +x tools/clean; echo '*.c filter=f' > .gitattributes;"
                 "git config filter.f.clean tools/clean",
                 "cp evil tools/clean", "echo x > a.c; git add a.c"),
    "an editor": ("git config core.editor 'sh edit.sh'; echo true > edit.sh", "cp evil edit.sh",
                  "git commit --allow-empty"),
    "the user's configuration": ("git config --global core.hooksPath .team-hooks",
                                 "mkdir -p .team-hooks; cp evil .team-hooks/pre-commit",
                                 "git commit -q --allow-empty -m x"),
    "an alias that goes elsewhere first": (
        "mkdir tools; echo true > tools/d.sh; chmod +x tools/d.sh; git config alias.d '!cd tools && ./d.sh'",
        "cp evil tools/d.sh", "git d"),
    "an alias of a script that is not there": ("git config alias.b '!sh build.sh'", "cp evil build.sh", "git b"),
    "a repository below": ("git init -q sub; git -C sub config core.hooksPath .h",
                           "mkdir -p sub/.h; cp evil sub/.h/pre-commit",
                           "git -C sub commit -q --allow-empty -m x"),
    "a template": ("git config --global init.templateDir \"$PWD/template\"; mkdir template",
                   "mkdir -p template/hooks; cp evil template/hooks/pre-commit",
                   "git init -q n; git -C n commit -q --allow-empty -m x"),
    "a program in a new work tree": (
        "git config core.fsmonitor ./scripts/fsmon; mkdir pkg",
        "mkdir pkg/scripts; echo 'gitdir: ../.git' > pkg/.git; cp evil pkg/scripts/fsmon", "cd pkg && git status"),
    "hooks in a new work tree": (
        "git config core.hooksPath tools/hooks; mkdir pkg",
        "mkdir -p pkg/tools/hooks; echo 'gitdir: ../.git' > pkg/.git; cp evil pkg/tools/hooks/pre-commit",
        "cd pkg && git commit -q --allow-empty -m x"),
    "hooks that are moved to a new work tree": (
        "git config --global core.hooksPath tools/hooks; mkdir pkg",
        "mkdir -p x/hooks; echo 'gitdir: ../.git' > pkg/.git; cp evil x/hooks/pre-commit; mv x pkg/tools",
        "cd pkg && git commit -q --allow-empty -m x"),
    "hooks in a work tree that is forged": (
        "git config core.hooksPath tools/hooks; mkdir pkg",
        "mkdir -p pkg/tools/hooks .git/worktrees/pkg; cd .git/worktrees/pkg; cp ../../HEAD .; echo ../.. > commondir;"
        "echo \"$PWD/../../../pkg/.git\" > gitdir; cd ../../..; echo 'gitdir: ../.git/worktrees/pkg' > pkg/.git;"
        "cp evil pkg/tools/hooks/pre-commit", "cd pkg && git commit -q --allow-empty -m x"),
    "an alias of a command in quotes": (
        "git config alias.w \"!sh -c './w.sh \\$1' -\"; echo true > w.sh; chmod +x w.sh", "cp evil w.sh", "git w"),
    "a rebase's list": (
        ":", "git rebase other || :; echo 'exec ./evil' >> .git/rebase-merge/git-rebase-todo;"
             "cp .git/rebase-merge/git-rebase-todo t; echo 'exec ./evil' >> t;"
             "mv t .git/rebase-merge/git-rebase-todo",
        "git add -A; GIT_EDITOR=true git rebase --continue"),
    "a rebase's strategy": (
        ":", "git rebase other || :; mkdir git-merge-x; echo x/../evil > .git/rebase-merge/strategy;"
             "echo x/../evil > s; mv s .git/rebase-merge/strategy",
        "git add -A; GIT_EDITOR=true git rebase --continue"),
    "a cherry-pick's options": (
        "git checkout -q -b third; git checkout -q main",
        "git cherry-pick other~1 other || :; mkdir git-merge-x;"
        "git config -f .git/sequencer/opts options.strategy x/../evil",
        "git add -A; GIT_EDITOR=true git cherry-pick --continue"),
}
# The user's repository under another name than ".git".
MOVED = "mv .git store; echo 'gitdir: ./store' > .git"
TARGETS["a cherry-pick's options by another name"] = (
    "git checkout -q -b third; git checkout -q main;" + MOVED,
    TARGETS["a cherry-pick's options"][1].replace(".git/", "store/"), TARGETS["a cherry-pick's options"][2])
# Where "git push" and "git fetch" would go; "REACHED" is in git's output if they went there.
REMOTES = {
    "remotes": ("mkdir -p .git/remotes; echo URL: /REACHED > .git/remotes/team", "git fetch team"),
    "branches": ("mkdir -p .git/branches; echo /REACHED > .git/branches/team", "git fetch team"),
    "alternates": ("mkdir -p .git/objects/info; echo /REACHED > .git/objects/info/alternates",
                   "git count-objects -v"),
    "grafts": ("echo REACHED > .git/info/grafts", "git log"),
}
# Links in a repository through which the user's git would write: the attack, and what the user runs
# later. HOME has a file "rc" and a directory "docs" with a file.
LINKS = {
    "a message": ("git commit -q --allow-empty -m TAKEN; ln -sfn $OLDHOME/rc .git/COMMIT_EDITMSG",
                  "git commit -q --amend --no-edit --allow-empty"),
    "a link that is moved": ("ln -s $OLDHOME/rc x; mv x .git/FETCH_HEAD", "git fetch -q . main"),
    "a second name of a link": ("ln -s $OLDHOME/rc x; ln -P x .git/FETCH_HEAD", "git fetch -q . main"),
    "a directory that is moved": ("mkdir d; ln -s $OLDHOME/rc d/HEAD; mv .git/logs old; mv d .git/logs",
                                  "git commit -q --allow-empty -m TAKEN"),
    "a directory that takes the place of another": (
        "mkdir d; ln -s $OLDHOME/rc d/HEAD; " + EXCHANGE + " d .git/logs", "git commit -q --allow-empty -m TAKEN"),
    "a link of the directory": ("mv .git/logs old; ln -s $OLDHOME .git/logs; :",
                                "mv $OLDHOME/rc $OLDHOME/HEAD; git commit -q --allow-empty -m x; mv $OLDHOME/HEAD $OLDHOME/rc"),
    "a state that is cleaned up": ("ln -s $OLDHOME/docs .git/rebase-apply", "git am --quit"),
    "a new repository": ("git init -q n; git -C n commit -q --allow-empty -m TAKEN;"
                         "ln -sfn $OLDHOME/rc n/.git/COMMIT_EDITMSG",
                         "git -C n commit -q --amend --no-edit --allow-empty"),
    "a repository in the making": ("git init -q n; git -C n commit -q --allow-empty -m TAKEN; mv n/.git n/git;"
                                   "ln -sfn $OLDHOME/rc n/git/COMMIT_EDITMSG; mv n/git n/.git",
                                   "git -C n commit -q --amend --no-edit --allow-empty"),
}
# The user's environment, what a command inside writes, and what the user runs later.
ENVIRONMENTS = {
    "a counted variable": ({"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": "hk"},
                           "mkdir -p hk; cp evil hk/pre-commit", "git commit -q --allow-empty -m x"),
    "the file of the user's configuration": (
        {"GIT_CONFIG_GLOBAL": "PROJECT/conf/gc"},
        "mkdir -p conf; printf '[core]\n\tfsmonitor = %s/evil\n' \"$PWD\" > conf/gc", "git status"),
    "the directory of the user's configuration": (
        {"XDG_CONFIG_HOME": "PROJECT/conf"},
        "mkdir -p conf/git; printf '[core]\n\tfsmonitor = %s/evil\n' \"$PWD\" > conf/git/config", "git status"),
    "an editor": ({"GIT_EDITOR": "./edit"}, "cp evil edit", "git commit --allow-empty"),
}
PREPARE = """
git init -q -b main && git config --global user.name me && git config --global user.email me@here
echo 1 > a && git add a && git commit -q -m one && git checkout -q -b other
echo 2 > a && git commit -q -a -m two && echo 3 > a && git commit -q -a -m three
git checkout -q main && echo 4 > a && git commit -q -a -m four && echo b > b && git add b
git commit -q -m five
"""


def outside(world, script, more=()):
    """The output of the user's own shell."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(world.home), "OLDHOME": str(world.home),
                   "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory",
                   "GIT_CONFIG_VALUE_0": "*", "GIT_TERMINAL_PROMPT": "0", **dict(more)}
    done = subprocess.run(["sh", "-c", script], cwd=world.project, env=environment, timeout=60,
                          check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.stdout


def begin(world, configuration):
    subprocess.run(["sh", "-c", "rm -rf * .[!.]*"], cwd=world.project, check=True)
    for name in ("RAN", ".gitconfig"):
        (world.home / name).unlink(missing_ok=True)
    outside(world, PREPARE)
    world.write(world.project / "evil", RUNS)
    (world.project / "evil").chmod(0o755)
    outside(world, configuration)


def ran(world, configuration, attack, later):
    begin(world, configuration)
    attack()
    outside(world, later)
    return (world.home / "RAN").exists()


def nothing_runs(world, options):
    sandbox = Sandbox(world)
    escaped = []
    for name, (configuration, attack, later) in TARGETS.items():
        attack = f"{{ {attack}; }} > /dev/null 2>&1"
        assert ran(world, configuration, lambda: outside(world, attack), later), f"{name}: not without"
        if ran(world, configuration, lambda: sandbox.run(["sh", "-c", attack], *options), later):
            escaped.append(name)
    assert not escaped, escaped


def test_git_runs_no_program_chosen_by_a_command(world):
    nothing_runs(world, ())


def test_git_runs_no_program_chosen_by_a_command_with_landlock_alone(world):
    nothing_runs(world, LANDLOCK)


def test_git_uses_no_remote_chosen_by_a_command(world):
    sandbox = Sandbox(world)
    for options in ((), LANDLOCK):
        for name, (attack, later) in REMOTES.items():
            for move, folder in ((":", ".git/"), (MOVED, "store/")):
                attack_there = attack.replace(".git/", folder)
                begin(world, "rmdir .git/branches 2>/dev/null;" + move)
                outside(world, attack_there)
                assert "REACHED" in outside(world, later), f"{name}: not without"
                begin(world, move)
                sandbox.run(["sh", "-c", attack_there], *options)
                assert "REACHED" not in outside(world, later), (name, folder)
                if name not in ("remotes", "branches"):
                    continue
                begin(world, "rmdir .git/branches 2>/dev/null;" + move)
                moved = attack.replace(".git/", "parts/") + f"; mv parts/{name} {folder}"
                sandbox.run(["sh", "-c", moved], *options)
                assert "REACHED" not in outside(world, later), (name, folder, "moved")


def begin_links(world):
    begin(world, ":")
    world.write(world.home / "rc", "mine\n")
    world.write(world.home / "docs/file", "mine\n")


def test_git_does_not_write_through_links_of_a_command(world):
    sandbox = Sandbox(world)
    for options in ((), LANDLOCK):
        for name, (attack, later) in LINKS.items():
            attack = f"{{ {attack.replace('$OLDHOME', str(world.home))}; }} > /dev/null 2>&1"
            state = lambda: [world.home.joinpath(path).read_text() if world.home.joinpath(path).exists() else ""
                             for path in ("rc", "docs/file")]
            begin_links(world)
            before = state()
            outside(world, attack)
            outside(world, later)
            assert state() != before, f"{name}: not without"
            begin_links(world)
            sandbox.run(["sh", "-c", attack], *options)
            outside(world, later)
            assert state() == before, name


def test_other_links_can_be_created(world):
    sandbox = Sandbox(world)
    for options in ((), LANDLOCK):
        begin(world, ":")
        script = ("set -e; ln -s /etc a1; mkdir d; ln -s ../a d/l; mv d e; mv e/l m; mkdir -p .hg/store;"
                  "ln -s host:1 .hg/wlock; ln -s host:1 .hg/store/lock; git branch new;"
                  "git stash -q || :; git worktree add -q w; git worktree move w v; git gc -q")
        done = sandbox.run(["sh", "-c", script], *options)
        assert done.returncode == 0, done
        outside(world, "cp -r .git bare.git; git -C bare.git config core.bare true; git -C bare.git worktree add -q -b n2 tree")
        tree = str(world.project / "bare.git/tree")
        done = sandbox.run(["sh", "-c", "ln -s x l"], "--root", tree, "--chdir", tree, *options)
        assert done.returncode == 0, done
        done = sandbox.run(["sh", "-c", "ln -s x .git/x"], *options)
        assert done.returncode != 0 and "git would write through the link" in done.stderr, done


def test_git_runs_no_program_named_by_the_environment(world):
    sandbox = Sandbox(world)
    for options in ((), LANDLOCK):
        for name, (variables, attack, later) in ENVIRONMENTS.items():
            attack = f"{{ {attack}; }} > /dev/null 2>&1"
            more = {key: value.replace("PROJECT", str(world.project)) for key, value in variables.items()}
            begin(world, ":")
            trust = "git config --global safe.directory '*'; " if "GIT_CONFIG_COUNT" in more else ""
            outside(world, trust + attack)
            outside(world, later, more)
            assert (world.home / "RAN").exists(), f"{name}: not without"
            begin(world, trust or ":")
            sandbox.run(["sh", "-c", attack], *options, env=more)
            outside(world, later, more)
            assert not (world.home / "RAN").exists(), name


def test_recursive_or_huge_git_configurations_do_not_hang_the_start(world):
    sandbox = Sandbox(world)
    begin(world, "mkdir -p sub x/objects x/refs; echo 'gitdir: ../x' > sub/.git; echo 'ref: refs/heads/m' > x/HEAD;"
                 "for i in $(seq 40); do printf '[include]\npath=config\n'; done > x/config")
    done = sandbox.run(["echo", "started"])
    assert done.stdout == "started\n", done
    words = " ".join(f"./{n}" for n in range(120_000))
    world.write(world.project / "x/config", f"[alias]\n\tz = \"!{words}\"\n")
    done = sandbox.run(["echo", "started"])
    assert done.returncode == 2 and "x/config: this git configuration names too many files" in done.stderr, done
    (world.project / "x/config").unlink()  # as the hint says
    assert sandbox.run(["echo", "started"]).stdout == "started\n"


def test_a_refusal_names_the_variable(world):
    sandbox = Sandbox(world)
    begin(world, "git config core.hooksPath .h")
    done = sandbox.run(["sh", "-c", "mkdir -p .h; echo > .h/pre-commit"])
    assert done.returncode != 0 and "core.hookspath in" in done.stderr, done
    assert not (world.project / ".h").exists()


def test_rebases_and_cherry_picks_work(world):
    sandbox = Sandbox(world)
    in_bare = ("mv .git .bare; git -C .bare config core.bare true; git -C .bare worktree add -q ../main main;"
               "git -C .bare worktree add -q ../other other")
    for options in ((), LANDLOCK):
        begin(world, in_bare)
        done = sandbox.run(["sh", "-c", "cd main; git cherry-pick -X theirs other~1 other"], *options)
        assert done.returncode == 0, done
        begin(world, ":")
        script = ("set -e; export GIT_EDITOR=true;"
                  "git rebase other && exit 1; git status > /dev/null; echo 5 > a; git add a;"
                  "git rebase --continue;"
                  "GIT_SEQUENCE_EDITOR='sed -i s/^pick/reword/' git rebase -i HEAD~1;"
                  "git checkout -q other; git rebase -X theirs HEAD~1; git checkout -q main;"
                  "git reset -q --hard HEAD~1; git cherry-pick -X theirs other~1 other || git cherry-pick --abort;"
                  "git log --format=%s")
        done = sandbox.run(["sh", "-c", script], *options)
        assert done.returncode == 0, done


def test_a_rebase_that_runs_a_command_is_refused_with_the_reason(world):
    begin(world, ":")
    done = Sandbox(world).run(["sh", "-c", "git rebase -x true HEAD~1"])
    assert done.returncode != 0 and "may run a program" in done.stderr, done
