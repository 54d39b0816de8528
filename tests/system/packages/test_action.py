"""Runs the steps of action.yml, with a package that is given as a file or served as a release."""

import functools
import hashlib
import http.server
import json
import pathlib
import re
import shutil
import ssl
import subprocess
import threading
import types

import pytest

import npm_package
from action_runner import Action
from repository import ROOT, VERSION

yaml = pytest.importorskip("yaml", reason="python3-yaml is not installed")

NAME = f"ringfence-{VERSION}-linux-x64.tar.gz"
SOUND = '{"version": 1, "write": {"allow": ["."], "deny": ["docs"]}}\n'
DENIED = {"files": {}, "event": {"tool_name": "Write", "tool_input": {"file_path": "docs/a.md"}},
          "expect": {"decision": "deny"}}
PERMITTED = {**DENIED, "expect": {"decision": "permit"}}
# A command in both syntaxes, a substitution, quotes, markup and a pattern, in one line.
HOSTILE = """a'b"c`touch pwned`$(touch pwned);touch pwned ##[set-output name=program;]x ::error::y %0A, * </pre>"""


# -- the package, the release and the Action ------------------------------------------------------

@pytest.fixture(name="package", scope="module")
def fixture_package(packages):
    """The tarball of a release."""
    return packages.tarball


def digest_of(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


class Releases(http.server.SimpleHTTPRequestHandler):
    """Serves the releases, and keeps the names that were asked for."""

    def __init__(self, asked, *arguments, **more):
        self.asked = asked
        super().__init__(*arguments, **more)

    def do_GET(self):  # pylint: disable=invalid-name
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


@pytest.fixture(name="releases", scope="module")
def fixture_releases(package, tmp_path_factory):
    """An HTTPS server with the files of the release. `env` makes it the GitHub of a run, and `plain_env` a
    server without TLS."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("releases")
    place = folder / f"example/ringfence/releases/download/v{VERSION}"
    place.mkdir(parents=True)
    shutil.copy(package, place)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", "key", "-out", "certificate", "-days", "30", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1"], cwd=folder, check=True, capture_output=True)
    asked, servers = [], []
    for _ in range(2):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Releases, asked, directory=folder))
        servers.append(server)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate", folder / "key")
    servers[0].socket = context.wrap_socket(servers[0].socket, server_side=True)
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield types.SimpleNamespace(
        asked=asked, plain_env={"GITHUB_SERVER_URL": f"http://127.0.0.1:{servers[1].server_port}"},
        env={"GITHUB_SERVER_URL": f"https://127.0.0.1:{servers[0].server_port}",
             "CURL_CA_BUNDLE": str(folder / "certificate")})
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(name="repository")
def fixture_repository(tmp_path):
    """The checkout of a workflow; beside it a copy of the Action, which knows no release."""
    workspace = tmp_path / "workspace"
    (workspace / ".ringfence/fixtures").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    (workspace / ".ringfence/policy.json").write_text(SOUND)
    (workspace / ".ringfence/fixtures/docs.json").write_text(json.dumps(DENIED))
    shutil.copytree(ROOT / "packaging/action", tmp_path / "action/packaging/action")
    return workspace


def know(repository, *lines):
    """Adds lines to the releases that the Action knows."""
    with open(repository.parent / "action/packaging/action/releases.sha256", "a", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))


def run(repository, *, inputs=None, env=None):
    action = Action(repository.parent / "action", yaml.safe_load((ROOT / "action.yml").read_text()))
    return action.run(repository, inputs=inputs, env=env)


def refused(repository, *parts, **given):
    """The Action fails in its first step, with one message that has the parts, and leaves nothing."""
    done = run(repository, **given)
    assert done.status == 2 and len(done.commands) == 1, done
    for part in parts:
        assert part in done.errors()[0], done.errors()
    assert not list((repository.parent / "temp").iterdir()) and not done.outputs["program"], done


def results(done, name):
    """The results of a SARIF file, which must be valid."""
    document = json.loads((pathlib.Path(done.outputs["sarif"]) / f"ringfence-{name}.sarif").read_text())
    try:
        import jsonschema
        schema = npm_package.folder("@microsoft/jest-sarif", "1.0.0-beta.0") / "lib/schemas/sarif-2.1.0-rtm.5.json"
    except (ImportError, npm_package.Unavailable) as reason:
        pytest.skip(f"no SARIF schema: {reason}")
    validator = jsonschema.Draft7Validator(json.loads(schema.read_text()))
    mistakes = [error.message for error in validator.iter_errors(document)]
    assert not mistakes, mistakes[:3]
    only, = document["runs"]
    assert only["automationDetails"] == {"id": f"ringfence-{name}/"}, "each command is a category of its own"
    return only["results"]


# -- the programs ----------------------------------------------------------------------------------

def test_a_known_release_is_downloaded(repository, package, releases):
    older = "0" * 64 + "  ringfence-0.0.1-linux-x64.tar.gz"
    know(repository, older, f"{digest_of(package)}  {NAME}", "1" * 64 + "  ringfence-0.2.0-linux-other.tar.gz")
    releases.asked.clear()
    done = run(repository, env=releases.env)
    assert done.status == 0 and not done.commands, done
    assert releases.asked == [f"/example/ringfence/releases/download/v{VERSION}/{NAME}"], releases.asked
    version = subprocess.run([done.outputs["program"], "--version"], capture_output=True, text=True, timeout=60)
    assert version.returncode == 0 and VERSION in version.stdout, version


def test_a_release_with_another_digest_is_refused(repository, package, releases):
    know(repository, "0" * 64 + f"  {NAME}")
    refused(repository, digest_of(package), "0" * 64, "not unpacked", env=releases.env)
    refused(repository, digest_of(package), "1" * 64, "not unpacked", env=releases.env,
            inputs={"sha256": "1" * 64})


def test_a_release_needs_a_digest(repository, package, releases):
    releases.asked.clear()
    refused(repository, "knows no release", env=releases.env)
    refused(repository, f"does not know the release {VERSION}", env=releases.env, inputs={"version": VERSION})
    assert not releases.asked, releases.asked
    done = run(repository, env=releases.env, inputs={"version": VERSION, "sha256": digest_of(package)})
    assert done.status == 0, done


def test_a_missing_release_is_an_error(repository, releases):
    refused(repository, "v9.9.9", "could not be downloaded", env=releases.env,
            inputs={"version": "9.9.9", "sha256": "0" * 64})


def test_a_release_needs_tls(repository, package, releases):
    releases.asked.clear()
    known = {"version": VERSION, "sha256": digest_of(package)}
    refused(repository, "could not be downloaded", env=releases.plain_env, inputs=known)
    refused(repository, "could not be downloaded", env={**releases.env, "CURL_CA_BUNDLE": "/dev/null"}, inputs=known)
    assert not releases.asked, releases.asked


def test_a_local_package_needs_no_network(repository, package, releases):
    releases.asked.clear()
    shutil.copy(package, repository / "package with 'quotes'.tar.gz")
    for file in (str(package), "package with 'quotes'.tar.gz"):
        done = run(repository, env=releases.env, inputs={"file": file, "sha256": digest_of(package)})
        assert done.status == 0, done
    assert not releases.asked, releases.asked


def test_an_unusable_local_package_is_refused(repository, package, tmp_path):
    refused(repository, "is not a file", inputs={"file": "nothing.tar.gz"})
    refused(repository, digest_of(package), inputs={"file": str(package), "sha256": "0" * 64})
    (repository / "text").write_text("text")
    refused(repository, "could not be unpacked", inputs={"file": "text"})
    other = tmp_path / "other.tar.gz"
    subprocess.run(["tar", "-czf", other, "-C", repository, "text"], check=True, timeout=60)
    refused(repository, "does not contain bin/ringfence", inputs={"file": str(other)})


def test_an_unsupported_runner_is_named(repository, tmp_path):
    (tmp_path / "bin").mkdir()
    uname = tmp_path / "bin/uname"
    uname.write_text('#!/bin/sh\ncase $1 in -s) echo Darwin ;; *) echo arm64 ;; esac\n')
    uname.chmod(0o755)
    done = run(repository, env={"PATH": f"{uname.parent}:/usr/bin:/bin"})
    assert done.status == 2 and "this runner is Darwin on arm64" in done.errors()[0], done


# -- the reports -----------------------------------------------------------------------------------

def test_a_sound_repository_passes(repository, package):
    done = run(repository, inputs={"file": str(package), "command": "both"})
    assert done.status == 0 and not done.commands, done
    assert done.outputs["errors"] == done.outputs["warnings"] == "0", done.outputs
    assert results(done, "check") == results(done, "audit") == []
    assert "### ringfence check\n\n    checked .ringfence/policy.json: sound\n" in done.summary, done.summary
    assert "### ringfence audit\n\n    1 fixture, 1 decision: all as expected\n" in done.summary, done.summary
    assert not [path for path in repository.rglob("*") if path.suffix == ".sarif"], "written beside the sources"


def test_a_registration_for_other_machines_passes(repository, package, tmp_path):
    """The runner has neither the programs that a project registers nor a registration of its own."""
    prefix = tmp_path / "prefix"
    subprocess.run(["tar", "-xzf", package, "-C", tmp_path], check=True, timeout=60)
    (tmp_path / f"ringfence-{VERSION}-linux-x64").rename(prefix)
    done = subprocess.run([prefix / "bin/ringfence", "init", "--project", "--no-client-sandbox", repository],
                          env={"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0 and (repository / ".claude/settings.json").exists(), done
    shutil.rmtree(prefix)
    done = run(repository, inputs={"file": str(package), "command": "both"})
    assert done.status == 0 and not done.commands, done


def write_findings(repository):
    (repository / ".ringfence/fixtures/docs.json").write_text(json.dumps(PERMITTED))
    (repository / ".ringfence/policy.json").write_text(
        '{"version": 1,\n "write": {"allow": ["."], "deny": ["docs", "docs/a"]}}\n')
    (repository / ".claude").mkdir()
    (repository / ".claude/settings.json").write_text('{\n  "disableAllHooks": true}\n')


def test_findings_fail_the_job(repository, package):
    write_findings(repository)
    inputs = {"file": str(package), "command": "both", "arguments": "--coverage\n"}
    done = run(repository, inputs=inputs)
    assert done.status == 1 and (done.outputs["errors"], done.outputs["warnings"]) == ("2", "1"), done
    warning, error, mismatch, *never = done.commands
    assert warning.properties["file"] == ".ringfence/policy.json" and warning.properties["line"] == "2", warning
    assert warning.name == "warning" and warning.properties["title"] == "ringfence check: shadowed-rule", warning
    assert error.properties["file"] == ".claude/settings.json" and error.properties["line"] == "2", error
    assert mismatch.properties["file"] == ".ringfence/fixtures/docs.json", mismatch
    assert mismatch.message.endswith('it should be "permit" and is "deny"'), mismatch
    assert never and all(one.name == "notice" for one in never), never
    assert [(one["ruleId"], one["level"]) for one in results(done, "check")] == [
        ("shadowed-rule", "warning"), ("hooks-disabled", "error")]
    places = [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
              for name in ("check", "audit") for one in results(done, name)]
    assert places[:3] == [".ringfence/policy.json", ".claude/settings.json", ".ringfence/fixtures/docs.json"], places
    assert "    .claude/settings.json:2:" in done.summary and "    FAIL" in done.summary, done.summary
    lenient = run(repository, inputs={**inputs, "fail": "false", "sarif": "reports/sarif"})
    assert lenient.status == 0 and lenient.outputs["errors"] == "2", lenient
    assert lenient.outputs["sarif"] == str(repository / "reports/sarif"), lenient.outputs


def test_strict_fails_on_warnings(repository, package):
    (repository / ".ringfence/policy.json").write_text('{"version": 1, "read": {"deny": ["a", "a/b"]}}\n')
    for strict, status in (("false", 0), ("true", 1)):
        done = run(repository, inputs={"file": str(package), "strict": strict})
        assert done.status == status and done.outputs["warnings"] == "1", done


def test_only_the_chosen_command_runs(repository, package):
    (repository / ".ringfence/fixtures/docs.json").write_text(json.dumps(PERMITTED))
    for command, status in (("check", 0), ("audit", 1)):
        done = run(repository, inputs={"file": str(package), "command": command})
        assert done.status == status, done
        assert [file.name for file in pathlib.Path(done.outputs["sarif"]).iterdir()] == [f"ringfence-{command}.sarif"]


def test_what_cannot_be_checked_always_fails(repository, package):
    """Also without `fail`; the findings in the other files are shown."""
    write_findings(repository)
    done = run(repository, inputs={"file": str(package), "fail": "false",
                                   "policy": ".ringfence/policy.json\nnothing.json"})
    assert done.status == 2 and done.errors()[-1].startswith("not everything could be checked"), done
    assert '"nothing.json": does not exist' in done.log and done.outputs["errors"] == "1", done
    assert not list(pathlib.Path(done.outputs["sarif"]).iterdir()), "half a report would close alerts"
    shutil.rmtree(repository / ".ringfence/fixtures")
    done = run(repository, inputs={"file": str(package), "fail": "false", "command": "audit"})
    assert done.status == 2 and "fixtures" in done.log, done


def test_half_a_report_is_not_written(repository, tmp_path):
    program = tmp_path / "half/bin/ringfence"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\ncase $* in *"--format sarif"*) echo half; exit 2 ;; esac\n')
    program.chmod(0o755)
    subprocess.run(["tar", "-czf", "half.tar.gz", "half"], cwd=tmp_path, check=True, timeout=60)
    done = run(repository, inputs={"file": str(tmp_path / "half.tar.gz")})
    assert done.status == 2 and done.errors()[-1].startswith("not everything could be checked"), done
    assert not list(pathlib.Path(done.outputs["sarif"]).iterdir()), "it would close alerts"


def test_wrong_inputs_are_named(repository, package):
    for name, value in (("version", "../x"), ("sha256", "A" * 64), ("sha256", "0" * 63)):
        refused(repository, f'"{name}"', inputs={name: value})
    for name, value in (("command", "chekc"), ("strict", "yes"), ("fail", ""), ("policy", "\n")):
        done = run(repository, inputs={"file": str(package), name: value})
        assert done.status == 2 and f'"{name}"' in done.errors()[0], (name, done)


# -- hostile text ----------------------------------------------------------------------------------

@pytest.mark.parametrize("name", yaml.safe_load((ROOT / "action.yml").read_text())["inputs"])
def test_a_hostile_input_is_only_text(name, repository, package):
    for text in (HOSTILE, HOSTILE + "\n::error::z\nprogram=/bin/sh\n-x"):
        done = run(repository, inputs={"file": str(package), "command": "both", name: text})
        titles = [(one.name, one.properties.get("title")) for one in done.commands]
        # A directory may have any name without control characters.
        assert titles == ([] if (name, text) == ("sarif", HOSTILE) else [("error", "ringfence")]), done
        assert done.status == (2 if titles else 0), done
        assert done.outputs["program"] in ("", done.steps["install"].get("program")) != "/bin/sh", done
        assert not list(repository.parent.rglob("pwned")), done


def test_hostile_files_are_only_text(repository, package):
    policy = repository / (HOSTILE.replace("/", "") + ".json")
    policy.write_text('{"version": 1, "::error::\\n##[add-mask]": 1}\n')
    (repository / "-x*.json").write_text(SOUND)
    (repository / "-xy.json").write_text("{")  # is not checked: a name is not a pattern
    calls = repository / ".ringfence/fixtures/::error::\n::add-mask::x\r##[add-mask]y.jsonl"
    calls.write_text(json.dumps({**PERMITTED, "name": "\n::add-mask::x\r\n##[add-mask]" + HOSTILE}) + "\n")
    done = run(repository, inputs={"file": str(package), "policy": f"-x*.json\n{policy.name}"})
    assert done.status == 1 and [one.properties["file"] for one in done.commands] == [policy.name], done
    assert results(done, "check")[0]["ruleId"] == "unusable"
    done = run(repository, inputs={"file": str(package), "policy": "-x*.json", "command": "audit"})
    assert done.status == 1, done
    only, = done.commands
    assert only.name == "error" and only.properties["file"] == str(calls.relative_to(repository)), only
    assert len(results(done, "audit")) == 1
    # In the summary, no line of a report is outside its indented block.
    assert all(re.fullmatch(r"### ringfence audit||    .*", line) for line in done.summary.split("\n")), done.summary
    assert not list(repository.parent.rglob("pwned")), done


# -- the files -------------------------------------------------------------------------------------

def test_the_scripts_are_sound():
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is not installed")
    done = subprocess.run(["shellcheck", "-x", *sorted((ROOT / "packaging/action").glob("*.sh"))], cwd=ROOT,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def test_the_known_releases_are_digests():
    for line in (ROOT / "packaging/action/releases.sha256").read_text().splitlines():
        assert re.fullmatch(r"#.*|[0-9a-f]{64}  ringfence-[0-9][0-9A-Za-z.-]*-linux-(x64|arm64)\.tar\.gz", line), line


def test_the_documented_workflow_uses_inputs_that_exist():
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    text = (ROOT / "docs/check.md").read_text()
    block, = [one for one in re.findall(r"```yaml\n(.*?)```", text, re.S) if "runs-on" in one]
    job, = yaml.safe_load(block)["jobs"].values()
    ours = [step for step in job["steps"] if step.get("uses", "").startswith("ringfence/ringfence@")]
    assert ours and all(set(step.get("with", {})) <= set(action["inputs"]) for step in ours), ours
    used = re.findall(rf"steps\.{ours[0]['id']}\.outputs\.([a-z]+)", block)
    assert used and set(used) <= set(action["outputs"]), used
