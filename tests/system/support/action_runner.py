"""Runs the steps of action.yml as the runner of GitHub Actions does: evaluates their expressions,
passes their outputs on, and recognizes the commands in what they print. Anything that this runner
does not know is an error."""

import dataclasses
import pathlib
import re
import subprocess
import tempfile

EXPRESSION = re.compile(r"\$\{\{ *(inputs|github|steps)\.([a-z0-9_]+)(?:\.outputs\.([a-z0-9_]+))? *\}\}")
SHELLS = {"sh": ["sh", "-e"], "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"]}
# Both syntaxes of a command. The older one counts anywhere in a line.
COMMAND = re.compile(r"\s*::([a-z-]+)(?: ([^\n]*?))?::(.*)")
OLD_COMMAND = re.compile(r"##\[([a-z-]+)[^\]]*\]")
KNOWN = {"error", "warning", "notice", "debug", "group", "endgroup", "add-mask", "set-output", "save-state",
         "set-env", "add-path", "add-matcher", "remove-matcher", "echo", "stop-commands"}


class ActionError(Exception):
    """action.yml has something that this runner does not know."""


@dataclasses.dataclass
class Command:
    name: str
    properties: dict
    message: str


@dataclasses.dataclass
class Run:
    status: int  # of the last step that ran
    steps: dict  # id -> outputs
    outputs: dict
    log: str
    commands: list
    summary: str

    def errors(self):
        return [one.message for one in self.commands if one.name == "error"]


def unescaped(text, is_property=False):
    for code, character in (("%0D", "\r"), ("%0A", "\n"), *((("%3A", ":"), ("%2C", ",")) if is_property else ())):
        text = text.replace(code, character)
    return text.replace("%25", "%")


def commands_of(log):
    """The commands that the runner recognizes in the output of a step."""
    found, token = [], None
    for line in re.split(r"\r\n|\r|\n", log):
        match = COMMAND.fullmatch(line)
        if token is not None:
            if match and match[1] == token or line.strip() == f"::{token}::":
                token = None
            continue
        if match and match[1] in KNOWN:
            if match[1] == "stop-commands":
                token = match[3]
                continue
            properties = dict(one.split("=", 1) for one in (match[2] or "").split(",") if one)
            found.append(Command(match[1], {name: unescaped(value, True) for name, value in properties.items()},
                                 unescaped(match[3])))
        elif old := OLD_COMMAND.search(line):
            found.append(Command(old[1], {}, line))
    if token is not None:
        raise ActionError("the commands stay stopped")
    return found


def file_outputs(text):
    """What a step wrote to GITHUB_OUTPUT."""
    outputs, lines = {}, iter(text.splitlines())
    for line in lines:
        name, separator, value = line.partition("=")
        if "<<" in name or not separator or not re.fullmatch("[a-z]+", name) or name in outputs:
            raise ActionError(f"not an output: {line!r}")
        outputs[name] = value
    return outputs


class Action:
    """The Action of a directory."""

    def __init__(self, folder, document):
        self.folder = pathlib.Path(folder)
        self.document = document
        self.inputs = document["inputs"]
        for name, given in self.inputs.items():
            if set(given) != {"description", "default"} or not isinstance(given["default"], str):
                raise ActionError(f"the input {name}: {given}")
        if document["runs"]["using"] != "composite" or set(document["runs"]) != {"using", "steps"}:
            raise ActionError("not a composite Action")

    def evaluate(self, text, inputs, repository, steps):
        if "${{" not in text:
            return text
        match = EXPRESSION.fullmatch(text)
        if not match:
            raise ActionError(f"an unknown expression: {text}")
        kind, name, output = match.groups()
        if (kind == "steps") != (output is not None):
            raise ActionError(f"an unknown expression: {text}")
        if kind == "inputs":
            return inputs[name]
        if kind == "github":
            return {"action_repository": repository}[name]
        return steps[name].get(output, "")

    def run(self, workspace, *, inputs=None, repository="example/ringfence", env=None):
        unknown = set(inputs or {}) - set(self.inputs)
        if unknown:
            raise ActionError(f"unknown inputs: {unknown}")
        values = {name: given["default"] for name, given in self.inputs.items()} | (inputs or {})
        workspace = pathlib.Path(workspace)
        temporary = workspace.parent / "temp"
        temporary.mkdir(exist_ok=True)
        run = Run(0, {step["id"]: {} for step in self.document["runs"]["steps"]}, {}, "", [], "")
        for step in self.document["runs"]["steps"]:
            if set(step) - {"id", "shell", "run", "env"} or "${{" in step["run"]:
                raise ActionError(f"the step {step['id']}: unknown keys, or an expression in its script")
            own = {name: self.evaluate(text, values, repository, run.steps) for name, text in step["env"].items()}
            self._run_step(step, own | (env or {}), workspace, run)
            if run.status:
                break
        for name, given in self.document["outputs"].items():
            run.outputs[name] = self.evaluate(given["value"], values, repository, run.steps)
        return run

    def _run_step(self, step, own, workspace, run):
        temporary = workspace.parent / "temp"
        with tempfile.TemporaryDirectory() as commands:
            script, output, summary = (pathlib.Path(commands) / name for name in ("script", "output", "summary"))
            script.write_text(step["run"])
            output.touch()
            summary.touch()
            done = subprocess.run(
                [*SHELLS[step["shell"]], script], cwd=workspace, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=120,
                env={"PATH": "/usr/bin:/bin", "HOME": str(workspace.parent / "home"),
                     "RUNNER_TEMP": str(temporary), "GITHUB_WORKSPACE": str(workspace),
                     "GITHUB_ACTION_PATH": str(self.folder), "GITHUB_OUTPUT": str(output),
                     "GITHUB_STEP_SUMMARY": str(summary), **own})
            log = done.stdout.decode(errors="replace")
            run.status = done.returncode
            run.log += log
            run.commands += commands_of(log)
            run.summary += summary.read_text(errors="replace")
            run.steps[step["id"]] = file_outputs(output.read_text(errors="replace"))
