"""Runs the hooks of .pre-commit-hooks.yaml with the pre-commit framework and the installed programs."""

import json
import shutil
import subprocess

import pytest

from built_packages import run
from repository import ROOT

SOUND = '{"version": 1, "write": {"allow": ["."], "deny": ["docs"]}}\n'
FIXTURE = {"files": {}, "event": {"tool_name": "Write", "tool_input": {"file_path": "docs/a.md"}},
           "expect": {"decision": "deny", "rule": "/write/deny"}}


class Repository:
    """A scratch repository whose hooks come from this tree's .pre-commit-hooks.yaml. Its PATH has the
    installed programs and the system's."""

    def __init__(self, base, programs):
        self.base, self.programs = base, programs
        self.hooks = self._make("hooks", {".pre-commit-hooks.yaml": (ROOT / ".pre-commit-hooks.yaml").read_text()})
        self.project = base / "project"
        self._make("project", {".pre-commit-config.yaml": json.dumps({"repos": [{
            "repo": str(base / "hooks"), "rev": self.hooks,
            "hooks": [{"id": "ringfence-check"}, {"id": "ringfence-audit"}]}]})})
        done = self.call("pre-commit", "install", cwd=self.project)
        assert done.returncode == 0, done

    def call(self, *words, cwd):
        (self.base / "home").mkdir(exist_ok=True)
        path = ":".join([*([f"{self.programs}/bin"] if self.programs else []), "/usr/bin:/bin"])
        return subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                              env={"PATH": path, "HOME": str(self.base / "home"), "GIT_CONFIG_NOSYSTEM": "1",
                                   **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
                                      for what, value in (("NAME", "a"), ("EMAIL", "a@example.org"))}})

    def _make(self, name, files):
        folder = self.base / name
        folder.mkdir()
        assert self.call("git", "init", "-q", cwd=folder).returncode == 0
        self.project = folder
        done = self.commit(files)
        assert done.returncode == 0, done
        return self.call("git", "rev-parse", "HEAD", cwd=folder).stdout.strip()

    def commit(self, files):
        for name, text in files.items():
            (self.project / name).parent.mkdir(parents=True, exist_ok=True)
            (self.project / name).write_text(text)
        assert self.call("git", "add", "-A", cwd=self.project).returncode == 0
        return self.call("git", "commit", "-qm", "files", cwd=self.project)

    def commits(self):
        return int(self.call("git", "rev-list", "--count", "HEAD", cwd=self.project).stdout)


@pytest.fixture(name="installed", scope="module")
def fixture_installed(tmp_path_factory, packages):
    prefix = tmp_path_factory.mktemp("prefix")
    run("tar", "-xzf", packages.tarball, "-C", prefix, "--strip-components=1")
    return prefix


@pytest.fixture(name="repository")
def fixture_repository(tmp_path, installed):
    if shutil.which("pre-commit") is None:
        pytest.skip("pre-commit is not installed")
    return Repository(tmp_path, installed)


def files(policy=SOUND):
    return {".ringfence/policy.json": policy, ".ringfence/fixtures/docs.json": json.dumps(FIXTURE)}


def test_a_sound_policy_is_committed(repository):
    done = repository.commit(files())
    assert done.returncode == 0 and done.stdout.count("Passed") == 2 and repository.commits() == 2, done


def test_an_unsound_policy_is_not_committed(repository):
    done = repository.commit(files('{"version": 1, "wirte": {}}\n'))
    assert done.returncode == 1 and "/wirte is not a known key" in done.stdout, done
    assert repository.commits() == 1


def test_a_policy_that_fails_a_fixture_is_not_committed(repository):
    done = repository.commit(files(SOUND.replace('"docs"', '"doc"')))
    assert done.returncode == 1 and done.stdout.count("Passed") == 1, done
    assert 'it should be "deny" and is "permit"' in done.stdout and repository.commits() == 1, done


def test_other_files_need_no_check(repository):
    done = repository.commit({"README.md": "x\n"})
    assert done.returncode == 0 and done.stdout.count("Skipped") == 2, done


def test_a_missing_program_stops_the_commit(repository):
    repository.programs = None
    done = repository.commit(files())
    assert done.returncode == 1 and "Executable `ringfence` not found" in done.stdout, done
    assert repository.commits() == 1
