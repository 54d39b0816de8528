"""Counts of the last line, "N passed, N failed, N skipped": of tests, and of the checks in tests
that have many of them."""

import sys

import pytest

CHECKS = pytest.StashKey()
PROPERTY = "checks"
TIME = "time"  # record_property(TIME, "what: 3.1 s"); printed at the end of the run


class Checks:
    """The checks of one test. The test continues after a failure and fails at its end."""

    def __init__(self):
        self.passed, self.problems, self.skipped = 0, [], []

    def check(self, name, problem):
        """`problem` is empty if the check passed."""
        if problem:
            self.problems.append(f"{name}: {problem}")
        self.passed += not problem

    def skip(self, name, reason):
        self.skipped.append(f"{name}: {reason}")

    def verify(self, report):
        """Turns the report of a completed test into a failure if a check failed, or if there was
        none."""
        if report.passed and not (self.passed or self.skipped or self.problems):
            self.problems.append("nothing was checked")
        if report.passed and self.problems:
            report.outcome, report.longrepr = "failed", "\n".join(self.problems)
            failed = len(self.problems)
        else:
            report.sections += [("Failed checks", "\n".join(self.problems))] * bool(self.problems)
            failed = len(self.problems) + report.failed
        if not report.skipped:
            report.user_properties.append((PROPERTY, [self.passed, failed, self.skipped]))


class CountingReporter:
    def __init__(self):
        self.passed = self.failed = 0
        self.skipped_checks, self.skipped = [], 0
        self.times = []

    def pytest_collectreport(self, report):
        self.failed += report.failed
        self.skipped += report.skipped

    def pytest_runtest_logreport(self, report):
        self.times += [text for name, text in report.user_properties if name == TIME and report.when == "call"]
        for name, counts in report.user_properties:
            if name == PROPERTY and report.when == "call":
                self.passed += counts[0]
                self.failed += counts[1]
                self.skipped_checks += counts[2]
                return
        self.failed += report.failed
        self.skipped += report.skipped
        self.passed += report.passed and report.when == "call"

    def pytest_terminal_summary(self, terminalreporter):
        for text in self.skipped_checks:
            terminalreporter.write_line(f"SKIPPED {text}")
        for text in self.times:
            terminalreporter.write_line(f"TIME {text}")

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self):
        skipped = self.skipped + len(self.skipped_checks)
        print(f"{self.passed} passed, {self.failed} failed, {skipped} skipped", file=sys.__stdout__)
