"""A child process in which a test continues as an ordinary user."""

import multiprocessing
import os
import sys
import traceback

import pytest

from ordinary_user import become_ordinary


class Child:
    """A child process that creates an object and calls its methods, since a process that gave up
    root cannot become root again. A call fails or is skipped here as it does there."""

    def __init__(self, make, base, as_root=False):
        """`make` gets no arguments and runs in the child, as the ordinary user who then owns
        `base`."""
        self.here, there = multiprocessing.Pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                if os.geteuid() == 0 and not as_root:
                    become_ordinary(base)
                _serve(make, there)
            finally:
                sys.stdout.flush()
                os._exit(0)
        there.close()
        try:
            self._answer()
        except BaseException:
            self.__exit__()
            raise

    def call(self, name, *arguments):
        self.here.send((name, *arguments))
        return self._answer()

    def _answer(self):
        try:
            kind, value = self.here.recv()
        except EOFError:
            pytest.fail("the child process has ended", pytrace=False)
        if kind == "failed":
            pytest.fail(value, pytrace=False)
        if kind == "skipped":
            pytest.skip(value)
        return value

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.here.send(None)
        except BrokenPipeError:
            pass
        self.here.close()
        os.waitpid(self.pid, 0)


def _serve(make, there):
    made = []
    there.send(_outcome(lambda: made.append(make())))
    while made and (asked := there.recv()):
        name, *arguments = asked
        there.send(_outcome(lambda: getattr(made[0], name)(*arguments)))
    if made and hasattr(made[0], "close"):
        made[0].close()


def _outcome(function):
    """The outcome of a call, and its value, the reason or the trace."""
    try:
        return "done", function()
    except pytest.skip.Exception as reason:
        return "skipped", str(reason)
    except BaseException:  # pylint: disable=broad-except
        return "failed", traceback.format_exc()
