"""Runs Catch2 test programs. Each case that uses the GPU gets its own process: after a GPU error, everything that
follows in a process fails, too. Several run at a time, because they mostly compute references on the host."""

import os
import re
from concurrent.futures import ThreadPoolExecutor

from processes import OutOfTime

AT_A_TIME = min(8, os.cpu_count() or 1)
SECONDS_PER_CASE = 120


def names(runner, binary):
    """Returns the names of the cases. Raises ValueError if the program does not start."""
    said, _ = runner([binary, "--list-test-names-only"], 60)
    found = [line for line in said.splitlines() if line and not line.startswith(" ")]
    if not found or "error while loading" in said:
        raise ValueError(f"{binary.name} does not start: {said.strip()[-300:]}")
    return found


def specification(name):
    """Returns the Catch2 test specification of this case alone. Commas and brackets have another meaning there."""
    return re.sub(r"([\\,\[])", r"\\\1", name)


def failing(runner, binary, cases, prefix=(), failure=None, environment=None):
    """Runs each case, as the last words of a command that begins with `prefix`. Returns {name: how it failed}. `failure`
    returns from the output and the exit code of a case how it failed, or "". Raises OutOfTime with what was known by
    then."""
    failure = failure or failure_of_test

    def run(name):
        try:
            return failure(*runner([*prefix, binary, specification(name)], min(SECONDS_PER_CASE, runner.left()), environment))
        except OutOfTime:
            return None
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        try:
            found = dict(zip(cases, pool.map(run, cases)))
        except BaseException:  # a signal: the pool would wait for its programs
            pool.shutdown(wait=False, cancel_futures=True)
            runner.end_all()
            raise
    bad = {name: how for name, how in found.items() if how}
    unended = [name for name, how in found.items() if how is None]
    if unended and runner.left() <= 0:
        known = f"{len(cases) - len(bad) - len(unended)} of {len(cases)} passed; failed: {', '.join(bad) or 'none'}"
        raise OutOfTime(f"{binary.name}: {unended[0]}", known)
    return bad | dict.fromkeys(unended, "never ended")


def failure_of_test(said, code):
    return f"ended with {code}" if code not in (0, 77) or "No tests ran" in said else ""
