"""Runs Catch2 test programs. Each case that uses the GPU gets its own process: after a GPU error, everything that
follows in a process fails, too. Several run at a time, because they mostly compute references on the host."""

import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from processes import OutOfTime

AT_A_TIME = min(12, os.cpu_count() or 1)
TURNS = threading.BoundedSemaphore(AT_A_TIME)  # also of several checks that run side by side
SECONDS_PER_CASE = 120


# The cases with this tag process every op, which can take longer than SECONDS_PER_CASE. So each runs in parts, by a
# regular expression for the kinds of ops.
OPS_TAG = "[ops]"
OPS_VARIABLE = "DDLBENCH_TEST_OPS"
PARTS = {"conv2d": "conv2d.*", "linear": "linear.*", "other ops": "(?!conv2d|linear).*"}


@dataclass(frozen=True)
class Case:
    name: str
    ops: str = ""   # a regular expression; empty: all
    part: str = ""  # the part's name, if the case is divided

    def __str__(self):
        return f"{self.name} ({self.part})" if self.part else self.name


def names(runner, binary, tag=""):
    """Returns the names of the cases, of all or of those with a tag. Raises ValueError if the program does not start, or
    has no case at all."""
    said, _ = runner([binary, "--list-test-names-only", *([tag] if tag else [])], 60)
    found = [line for line in said.splitlines() if line and not line.startswith(" ")]
    if (not found and not tag) or "error while loading" in said:
        raise ValueError(f"{binary.name} does not start: {said.strip()[-300:]}")
    return found


def specification(name):
    """Returns the Catch2 test specification of this case alone. Commas and brackets have another meaning there."""
    return re.sub(r"([\\,\[])", r"\\\1", name)


def divided(runner, binary):
    """Returns the cases of a program, those with parts first, because they take longest."""
    by_op = names(runner, binary, OPS_TAG)
    parts = [Case(name, ops, part) for name in by_op for part, ops in PARTS.items()]
    return parts + [Case(name) for name in names(runner, binary) if name not in by_op]


def names_of(cases):
    return {case.name for case in cases}


def failing(runner, binary, cases, prefix=(), failure=None):
    """Runs each case, as the last words of a command that begins with `prefix`. Returns {case: how it failed}. `failure`
    returns from the output and the exit code of a case how it failed, or "". Raises OutOfTime with what was known by
    then."""
    failure = failure or failure_of_test

    def run(case):
        with TURNS:
            try:
                return failure(*runner([*prefix, binary, specification(case.name)], min(SECONDS_PER_CASE, runner.left()),
                                       {OPS_VARIABLE: case.ops} if case.ops else None))
            except OutOfTime:
                return None
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        try:
            found = dict(zip(cases, pool.map(run, cases)))
        except BaseException:  # a signal: the pool would wait for its programs
            pool.shutdown(wait=False, cancel_futures=True)
            runner.end_all()
            raise
    bad = {case: how for case, how in found.items() if how}
    unended = [case for case, how in found.items() if how is None]
    if unended and runner.left() <= 0:
        named = names_of(cases)
        passed = named - names_of([*bad, *unended])
        known = f"{len(passed)} of {len(named)} passed; failed: {', '.join(map(str, bad)) or 'none'}"
        raise OutOfTime(f"{binary.name}: {unended[0]}", known)
    return bad | dict.fromkeys(unended, "never ended")


def failure_of_test(said, code):
    return f"ended with {code}" if code not in (0, 77) or "No tests ran" in said else ""
