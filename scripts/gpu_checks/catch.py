"""Test programs of Catch2. Each case that uses the GPU is a process of its own: after an error of the GPU all that follows
in a process fails, too."""

import re

from processes import OutOfTime


def names(runner, binary):
    """Of its cases; raises ValueError where it does not start."""
    said, _ = runner([binary, "--list-test-names-only"], 60)
    found = [line for line in said.splitlines() if line and not line.startswith(" ")]
    if not found or "error while loading" in said:
        raise ValueError(f"{binary.name} does not start: {said.strip()[-300:]}")
    return found


def specification(name):
    """That means this case alone: commas and brackets mean something else there."""
    return re.sub(r"([\\,\[])", r"\\\1", name)


def failing(runner, binary, cases):
    """{name: how it failed}. Raises OutOfTime with what was known by then."""
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
