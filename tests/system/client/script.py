"""A scripted model, step by step, with the expected results.

A script is a list of steps: `Call` (one tool call), `Together` (several in one message) and `Do`
(a change of the world while the model is silent). A subagent has its own script.
"""

import dataclasses
import re

import fake_api


@dataclasses.dataclass(frozen=True)
class Told:
    """The text that the model must get about a call."""

    ran: bool
    fragments: tuple = ()
    never: tuple = ()


def runs(*fragments):
    return Told(True, fragments, never=("ringfence: ",))


def refused(*fragments, never=()):
    """Denied by the policy, in a self-contained sentence."""
    return Told(False, ("ringfence: ", "refused") + fragments, never)


def asked(*fragments):
    """The policy asks; a headless client cannot ask, so the call does not run and the model gets
    the reason."""
    return Told(False, ("ringfence: ",) + fragments)


def blocked(*fragments):
    """Stopped because the hook failed or could not decide."""
    return Told(False, fragments)


def left_to_the_client(*fragments):
    """The hook prints nothing; a headless client's own prompt is a refusal."""
    return Told(False, fragments, never=("ringfence: ",))


class Call:
    """`use` is (tool, input); `disk` are checks: functions of the world that return a problem."""

    def __init__(self, name, use, told, *disk):
        self.name, self.use, self.told, self.disk = name, use, told, disk
        self.calls = (self,)

    def problems(self, world, result):
        """The problems of the call. `result` is the block that the model got."""
        text, ran = fake_api.text_of(result.get("content")), not result.get("is_error")
        problems = []
        if self.told.ran != ran:
            problems.append("it was not run" if self.told.ran else "IT RAN")
        problems += [f"not told {fragment!r}" for fragment in world.expand(self.told.fragments)
                     if fragment not in text]
        problems += [f"told {fragment!r}" for fragment in self.told.never if fragment in text]
        problems += [wrong for wrong in (check(world) for check in self.disk) if wrong]
        if problems:
            problems.append(f"the model was told: {text[:600]!r}")
        return problems


class Together:
    """Calls that the model makes in one message; the client runs their hooks in parallel."""

    def __init__(self, *calls):
        self.calls = calls


@dataclasses.dataclass(frozen=True)
class Do:
    what: str
    action: object  # a function of the stage (see session.Stage)


@dataclasses.dataclass(frozen=True)
class Heard:
    """A text that the model must get outside any call's result."""

    name: str
    conversation: str
    fragments: tuple


@dataclasses.dataclass(frozen=True)
class Offered:
    """Tools that the model must be offered in the main conversation, and tools that it must not."""

    name: str
    tools: tuple
    others: tuple = ()


@dataclasses.dataclass(frozen=True)
class Found:
    """A part of a call's input: the match of `pattern` in the latest text that the model got."""

    pattern: str

    def within(self, said):
        found = re.search(self.pattern, said)
        if not found:
            raise LookupError(f"nothing like {self.pattern!r} in {said!r}")
        return found.group(0)


# Checks of the disk: functions of the world that return a problem, or None.

def absent(path):
    return lambda world: f"{path} exists" if world.path(path).exists() else None


def present(path):
    return lambda world: None if world.path(path).exists() else f"{path} does not exist"


def holds(path, text):
    return lambda world: None if text in _content(world, path) else _found(world, path)


def lacks(path, text):
    return lambda world: _found(world, path) if text in _content(world, path) else None


def _content(world, path):
    return world.read(path) or ""


def _found(world, path):
    return f"{path} holds {world.read(path)!r}"


def play_prompt(conversation):
    """The prompt that makes a client, or a subagent, follow a script."""
    return f"<<play {conversation}>>"


def played_by(prompt):
    """The name of the script in a prompt, or None."""
    named = re.search(r"<<play ([a-z-]+)>>", prompt)
    return named.group(1) if named else None
