"""Usage, errors, completion, and the commands that texts suggest, for all commands."""

import json
import os
import re
import shlex
import shutil
import subprocess

import pytest

from command_world import error_of
from repository import ROOT


# A command in a text, not the word in a sentence.
SUGGESTED = re.compile(r"(?:`|: |run:? |see |with |and |by |^  |\\n  )ringfence ([a-z]+)\b((?: --[a-z-]+)*)")


def completed(world, *words):
    """Bash's completions of the last word."""
    script = subprocess.run([world.programs.ringfence, "completion", "bash"], capture_output=True,
                            text=True, env={"HOME": str(world.home)}, timeout=60).stdout
    line = " ".join(f"'{word}'" for word in ("ringfence", *words))
    script += (f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; _ringfence;"
               " printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True,
                          cwd=world.project, env={"PATH": os.environ["PATH"]}, timeout=60)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout.split()


def test_commands_that_widen_access_refuse_an_unattended_agent(world):
    policy = world.write(world.project / ".ringfence/policy.json", '{"version": 1}')
    headless = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ATTENDED": "0"}
    older = {"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    attended = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ATTENDED": "1", "CLAUDE_CODE_ENTRYPOINT": "cli"}
    before = world.snapshot()
    for environment in (headless, older):
        for arguments in (("allow", "/srv/x"), ("revoke", "/srv/x"), ("init",), ("uninstall",),
                          ("trust",), ("trust", "--remove")):
            error_of(world.run(*arguments, env=environment), 1, "terminal of your own")
    # A user who types "! ringfence allow ..." looks the same as the model there.
    for arguments in (("uninstall",), ("trust",), ("trust", "--remove")):
        error_of(world.run(*arguments, env=attended), 1, "terminal of your own")
    assert world.snapshot() == before and policy.exists()
    assert world.run("allow", "/srv/x", env=attended).returncode == 0
    assert world.run("revoke", "/srv/x", env=attended).returncode == 0
    # Commands that change nothing answer any caller.
    assert world.run("explain", "Read", "notes.md", env=headless).returncode == 0
    assert world.run("trust", "--list", env=headless).returncode == 0


def test_every_suggested_command_exists(world):
    """Each `ringfence COMMAND --option` in a text of the sources exists."""
    root = ROOT
    options = {}
    found = 0
    for folder in ("agents", "audit_log", "policy", "hook", "run", "cli", "sandbox", "library"):
        for file in sorted((root / folder).rglob("*.cc")):
            text = re.sub(r'"\s*\n\s*R?"\(?', "", file.read_text())  # a text in several literals
            for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
                for command, rest in SUGGESTED.findall(literal):
                    if command == "run":
                        continue
                    if command not in options:
                        done = subprocess.run([world.programs.ringfence, command, "--help"],
                                              capture_output=True, text=True, timeout=60)
                        assert done.returncode == 0, f"{file}: ringfence {command}: {literal}"
                        options[command] = done.stdout
                    found += 1
                    for option in rest.split():
                        assert option in options[command], f"{file}: {option}: {literal}"
    assert found > 20, found


def test_a_missing_home_is_not_created(world):
    home = world.base / "nope"
    for words in (("allow", "/srv/x"), ("init", "--hook", world.programs.hook), ("check",)):
        done = subprocess.run([world.programs.ringfence, *words, "--home", str(home)], text=True,
                              capture_output=True, cwd=world.project, timeout=60, env={})
        error_of(done, 2, "--home: ", "is not an existing directory")
    assert not home.exists()


def test_an_unknown_word_is_named(world):
    error_of(world.run("exlain", hook=False), 2, '"exlain" is not a command', '"explain"')
    error_of(world.run("--nope", hook=False), 2, '"--nope" is not an option')
    error_of(world.run("surgeon", hook=False), 2, '"surgeon" is not a command')


def test_a_missing_policy_is_an_error(world):
    for command in (("replay", "."), ("explain", "Bash"), ("allow", "~/x"), ("run", "--", "true")):
        done = world.run(*command, "--policy", "new.json") if command[0] != "run" else \
            world.run("run", "--policy", "new.json", "--", "true")
        error_of(done, 2, 'new.json" does not exist', "name a policy file that exists")
        assert "ringfence init" not in done.stderr, done


def test_an_unreadable_policy_is_an_error(world):
    world.write(world.policy, '{"version": 1}')
    world.give_up_root()
    world.policy.chmod(0)
    home = {"HOME": str(world.home)}
    for command in (("explain", "Bash"), ("allow", "~/x"), ("run", "--", "true")):
        done = world.run(*command, env=home)
        error_of(done, 2, "policy.json: cannot be read: permission denied", "make it readable")
    world.policy.chmod(0o600)
    assert world.run("run", "--", "sh", "-c", ":", env=home).returncode == 0


def test_a_removed_working_directory_is_an_error(world):
    for command in (["explain", "Bash"], ["check"], ["doctor"], ["init"], ["prompt"], ["run", "--", "true"]):
        words = " ".join(map(shlex.quote, [world.programs.ringfence, *command]))
        done = subprocess.run(["sh", "-c", f'mkdir gone && cd gone && rmdir ../gone && exec {words}'],
                              cwd=world.project, capture_output=True, text=True, timeout=60,
                              env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"})
        error_of(done, 2, "the current directory: it was removed, or you may not enter it", "Hint: go to ")


def test_a_full_disk_error_names_the_file(world):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    script = ('mount -t tmpfs -o size=16k none "$1" && cd "$1" && mkdir -p .config/ringfence && shift && '
              '(cat /dev/zero > fill 2> /dev/null; exec "$@")')
    for words in (["allow", "~/x"], ["init"]):
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", world.home, world.programs.ringfence,
                               *words, "--home", world.home], cwd=world.project, capture_output=True, text=True,
                              timeout=60, env={"PATH": "/usr/bin:/bin"})
        error_of(done, 2, "policy.json: cannot be written: the disk is full", "nothing was changed")


def test_a_missing_write_directory_is_an_error(world):
    done = world.run("run", "--write", "/nonexistent", "--", "true")
    error_of(done, 2, '--write: "/nonexistent": does not exist', "name an existing directory")


def test_a_typo_gets_a_suggestion(world):
    for words, meant in ((("allow", "bash"), "Bash"), (("allow", "Bsah"), "Bash"),
                         (("completion", "fsh"), "fish"), (("audit", "--html"), "--format html")):
        done = subprocess.run([world.programs.ringfence, *words], capture_output=True, text=True,
                              cwd=world.project, env={"HOME": str(world.home)}, timeout=60)
        error_of(done, 2, f'did you mean "{meant}"?')


def test_usage(world):
    for arguments in ((), ("nonsense",), ("init", "--nonsense"), ("init", "--user", "--local"),
                      ("allow",), ("completion", "csh"), ("trust", "--list", "--remove"), ("nonsense", "--help")):
        done = subprocess.run([world.programs.ringfence, *arguments], capture_output=True, text=True,
                              env={"HOME": str(world.home)}, cwd=world.project, timeout=60)
        error_of(done, 2, "Hint: ")
        assert done.stdout == ""
    error_of(world.run("init", "--user", "--local"), 2, "--user and --local exclude each other")
    assert world.snapshot() == {}


def test_completion_scripts_parse(world):
    for shell, check in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])):
        done = subprocess.run([world.programs.ringfence, "completion", shell], capture_output=True,
                              text=True, env={"HOME": str(world.home)}, timeout=60)
        assert done.returncode == 0 and "init" in done.stdout
        script = world.write(world.base / shell, done.stdout)
        if shutil.which(check[0]):
            assert subprocess.run([*check, script], timeout=60).returncode == 0, shell


def test_bash_completes_option_values(world):
    world.write(world.project / "file", "")
    assert completed(world, "run", "--mode", "") == ["sandbox", "rx", "rwx"]
    assert completed(world, "run", "--layers", "l") == ["landlock"]
    assert completed(world, "run", "--root", "") == ["file"]
    assert completed(world, "run", "--lay") == ["--layers"]
    assert completed(world, "un") == ["uninstall"]
    assert completed(world, "help", "lo") == ["log"] and "allow" in completed(world, "help", "")
    assert completed(world, "help", "log", "") == ["verify", "send"]
    assert completed(world, "help", "log", "v") == ["verify"]
    assert completed(world, "help", "allow", "") == completed(world, "manual", "log", "") == []
    assert "python3" in completed(world, "run", "--", "python")
    assert completed(world, "run", "--", "cat", "f") == ["file"]


def test_install_rejects_a_build_directory_from_elsewhere(world):
    if not shutil.which("cmake"):
        pytest.skip("no cmake")
    root = ROOT
    for name in ("install.sh", "CMakePresets.json", "CMakeLists.txt"):
        shutil.copy(root / name, world.project / name)
    cache = world.write(world.project / "build/release/CMakeCache.txt",
                        "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n"
                        "CMAKE_CACHEFILE_DIR:INTERNAL=/elsewhere/build/release\n")
    done = subprocess.run(["./install.sh", "--no-deps", "--no-register"], cwd=world.project,
                          capture_output=True, text=True, timeout=60,
                          env={"HOME": str(world.home), "PATH": os.environ["PATH"]})
    assert done.returncode == 1 and f'rm -rf "{cache.parent}"' in done.stderr, done.stderr
    assert cache.exists()


def test_install_names_all_that_it_needs_where_it_knows_no_package_manager(world):
    tools = world.base / "tools"
    tools.mkdir()
    for name in ("sh", "dirname", "sed", "id", "cat"):
        (tools / name).symlink_to(shutil.which(name))
    done = subprocess.run(["/bin/sh", ROOT / "install.sh", "--only-deps"], cwd=world.project, capture_output=True,
                          text=True, timeout=60, env={"HOME": str(world.home), "PATH": str(tools)})
    assert done.returncode == 1, done
    for name in ("CMake", "nlohmann_json", "libseccomp", "Boost 1.81"):
        assert name in done.stderr, done.stderr


def test_install_does_not_try_a_boost_that_is_too_old(world):
    """The distribution has libboost-dev only, by programs in place of its package manager."""
    tools = world.base / "tools"
    tools.mkdir()
    ran = world.base / "ran"
    scripts = {"apt-get": f'echo "$@" >> {ran}', "dpkg-query": "exit 1",
               "apt-cache": 'case "$*" in "show libboost1"*) exit 1;; policy*) echo "  Candidate: 1.74.0.3";; esac',
               "sudo": '"$@"'}
    for name, script in scripts.items():
        world.write(tools / name, f"#!/bin/sh\n{script}\n").chmod(0o755)
    done = subprocess.run(["/bin/sh", ROOT / "install.sh", "--only-deps"], cwd=world.project, capture_output=True,
                          text=True, timeout=60, env={"HOME": str(world.home), "PATH": f"{tools}:{os.environ['PATH']}"})
    assert done.returncode == 1 and "Boost 1.74.0.3" in done.stderr and "1.81 or later" in done.stderr, done
    assert "install" not in ran.read_text()


def test_questions_are_not_shown_as_grants(world):
    world.init("--project", ".")
    world.write(world.project / ".ringfence/policy.json",
                '{"version": 1, "read": {"ask": ["@dotenv"], "deny": []}, '
                '"write": {"ask": ["@runs-later"]}}')
    grants = world.run("trust", ".", "--json").stdout
    said = world.run("trust", ".").stdout
    for text in (grants, said):
        assert "asked before these are written" in text, text
        assert "refused: \n" not in text.lower() and "after a question" not in text, text
    assert "It permits more" not in said, said
