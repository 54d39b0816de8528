"""Fails every system call that the hook makes, one at a time, and sends signals at each of them.

A clean run under strace lists the calls; then each is failed with suitable errors. Required:

* a call that must be denied is never permitted, whatever fails;
* a failed call after main() begins ends in exit 2 or in a printed denial, also for an event that is
  otherwise permitted; but a call that serves only the audit log changes no decision, unless the
  policy requires the log;
* the audit log keeps its lines and its chain;
* a signal whose handler is installed ends in exit 2 or comes too late to matter.

The calls of the C library before main() are outside the program's control; they are only listed.
"""

import pathlib
import shutil
import subprocess
import tempfile

import pytest

from hook_world import HookWorld
from syscall_trace import covered_from, mark_log_calls, parse_trace, startup_calls

FATAL_SIGNALS = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE",
                 "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT",
                 "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGIO", "SIGPWR", "SIGSYS")
SIGNALS_EVERYWHERE = ("SIGSEGV", "SIGTERM", "SIGALRM")


class Scenario:
    """The world of a run, and the hook's answer if nothing fails."""

    def __init__(self, name, event, answer, **world):
        self.name, self.event, self.answer, self.world = name, event, answer, world
        self.denies = answer == "denied"
        self.required = world.get("required", False)


SCENARIOS = (
    Scenario("denied", "denied_event", "denied"),
    Scenario("denied by a link in the policy", "denied_by_link_event", "denied"),
    Scenario("denied by a link that is listed", "runs_later_by_link_event", "denied"),
    Scenario("denied, log to rotate, layers", "denied_event", "denied", log="full", layers=True),
    Scenario("permitted, log present", "permitted_event", "permitted", log="present"),
    Scenario("permitted, layers", "permitted_event", "permitted", layers=True),
    Scenario("permitted, log to rotate", "permitted_event", "permitted", log="full"),
    Scenario("permitted, log required", "permitted_event", "permitted", log="present",
             required=True),
)


class Run:
    """The result of one run under strace. `problems` are those of the audit log."""

    def __init__(self, answer, lines, log_lines, problems):
        self.answer, self.lines, self.problems = answer, lines, problems
        self.has_logged = log_lines > 0


class Tracer:
    """Runs the hook under strace; `folder` is for programs that it compiles."""

    def __init__(self, hook, folder):
        self.hook, self.folder = hook, folder

    def run(self, scenario, options):
        with HookWorld(**scenario.world) as world:
            trace = world.base / "trace"
            prefix = ["strace", "-f", "-y", "-s", "300", "-o", str(trace), *options]
            event = getattr(world, scenario.event)()
            answer = world.run(self.hook, event, prefix=prefix)
            log, problems = world.log_lines()
            if len(log) < world.filled:
                problems.append(f"{world.filled - len(log)} lines are lost")
            if not trace.exists():
                return Run(answer, [], 0, [f"strace did not start: {answer}"])
            text = trace.read_text(errors="replace").replace(str(world.log_folder), "LOG")
            lines = text.replace(str(world.base), "").splitlines()
            return Run(answer, lines, len(log) - world.filled, problems)

    def calls(self, scenario):
        """The calls of a clean run, and its problems."""
        run = self.run(scenario, ())
        if run.answer.verdict != scenario.answer or run.problems:
            return None, f"{run.answer}, wanted {scenario.answer}; {run.problems}"
        calls = parse_trace(run.lines)
        mark_log_calls(calls)
        return calls, ""

    def startup(self):
        """The number of calls before main(), and the empty program that shows it."""
        lines = self.run(SCENARIOS[0], ()).lines
        return startup_calls([call.name for call in parse_trace(lines)], self.folder / "empty")


class Fault:
    """One run with one failed call or one signal, and the problem of its result."""

    def __init__(self, scenario, call, what, before_main):
        self.scenario, self.call, self.what, self.before_main = scenario, call, what, before_main
        self.answer = None

    @property
    def name(self):
        return f"{self.scenario.name}: {self.what} at {self.call}"

    def perform(self, tracer):
        inject = f"inject={self.call.name}:{self.what}:when={self.call.number}"
        run = tracer.run(self.scenario, ["-e", inject])
        self.answer = run.answer
        injected = any("(INJECTED)" in line for line in run.lines)
        if not injected and not self.is_signal():  # a blocked signal leaves no trace
            run.problems.append("strace injected nothing")
        return "; ".join(filter(None, [self.answer_problem(run.has_logged), *run.problems]))

    def answer_problem(self, has_logged):
        """Empty if the outcome meets the requirements."""
        is_usual = self.answer.verdict == self.scenario.answer
        if self.before_main:
            opened = self.scenario.denies and self.answer.status == 0 and not self.answer.blocks
            return str(self.answer) if opened else ""
        if self.answer.blocks and not self.must_permit():
            return ""
        may_permit = self.is_signal() or self.call.loses_nothing(self.what) or (
            has_logged if self.scenario.required else True) and self.call.serves_log
        return "" if is_usual and may_permit else f"{self.answer}, though a call failed"

    def must_permit(self):
        """A log that is not required blocks nothing."""
        return (self.call.serves_log and not self.scenario.required and not self.is_signal()
                and not self.scenario.denies)

    def is_signal(self):
        return self.what.startswith("signal=")


def error_faults(scenario, calls, startup):
    for call in calls:
        for error in call.errors():
            yield Fault(scenario, call, error, call.position < startup)


def signal_faults(scenario, calls, checks):
    """A signal at each call made after it is handled or blocked; rare signals at three calls."""
    last = next(call for call in reversed(calls) if call.name == "exit_group")
    for signal in FATAL_SIGNALS:
        begin = covered_from(signal, calls)
        checks.check(f"{signal} is handled or held back",
                     begin >= last.position and "it kills the program at any call")
        after = calls[begin + 1:last.position]
        if after and signal not in SIGNALS_EVERYWHERE:
            after = [after[0], after[len(after) // 2], after[-1]]
        for call in after:
            yield Fault(scenario, call, f"signal={signal}", False)


def list_before_main(faults, calls):
    print("before main(), in the C library:")
    for call in calls:
        ends = sorted({f"{fault.what} {fault.answer.verdict}" for fault in faults
                       if fault.before_main and fault.call is call})
        print(f"  {call.text[:60]:60} {', '.join(ends) or 'cannot fail'}")


@pytest.fixture(name="tracer", scope="module")
def fixture_tracer(pytestconfig):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    tried = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"], stderr=subprocess.PIPE,
                           check=False)
    if tried.returncode != 0:
        pytest.skip(tried.stderr.decode().strip()[:200])
    with tempfile.TemporaryDirectory(prefix="ringfence-trace.") as folder:
        yield Tracer(pytestconfig.option.hook, pathlib.Path(folder))


def clean_run(scenario, tracer):
    calls, problem = tracer.calls(scenario)
    assert not problem, f"undisturbed: {problem}"
    return calls


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_each_call_fails(scenario, tracer, checks):
    calls = clean_run(scenario, tracer)
    checks.check("undisturbed", "")
    startup, which = tracer.startup()
    print(f"{startup} calls come before main(), as in an empty program ({which})")
    faults = list(error_faults(scenario, calls, startup))
    for fault in faults:
        checks.check(fault.name, fault.perform(tracer))
    print(f"{len(calls)} system calls, {sum(call.serves_log for call in calls)} of them for the log")
    if scenario is SCENARIOS[0]:
        list_before_main(faults, calls[:startup])


@pytest.mark.parametrize("scenario", [one for one in SCENARIOS if one.world.get("log") != "full"],
                         ids=lambda scenario: scenario.name)
def test_a_signal_at_each_call(scenario, tracer, checks):
    for fault in signal_faults(scenario, clean_run(scenario, tracer), checks):
        checks.check(fault.name, fault.perform(tracer))
