"""Runs Catch2 test programs. Each case that uses the GPU gets its own process: after a GPU error, everything that
follows in a process fails, too."""

import re

from processes import OutOfTime


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


def failing(runner, binary, cases):
    """Returns {name: how it failed}. Raises OutOfTime with what was known by then."""
    bad = {}
    for number, name in enumerate(cases):
        try:
            said, code = runner([binary, specification(name)], min(60, runner.left()))
        except OutOfTime as late:
            if runner.left() <= 0:
                known = f"{number - len(bad)} of {len(cases)} passed; failed: {', '.join(bad) or 'none'}"
                raise OutOfTime(f"{binary.name}: {name}", known) from late
            bad[name] = "never ended"
            continue
        if code not in (0, 77) or "No tests ran" in said:
            bad[name] = f"ended with {code}"
    return bad
