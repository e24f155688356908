"""The results of checks and the files that keep them, one for each slot: slot-N.json has {"version": 1, "checks": {id:
{state, figure, reason, details, …}}}."""

import json

VERSION = 1
RUN, FAILED, NOT_RUN = "run", "failed", "not run"


def run(figure, **details):
    return {"state": RUN, "figure": figure, "reason": "", "details": details}


def failed(reason, **details):
    return {"state": FAILED, "figure": "", "reason": reason, "details": details}


def not_run(reason):
    return {"state": NOT_RUN, "figure": "", "reason": reason, "details": {}}


def words(result):
    """Returns a result in one line, for people."""
    return f"{result['state']}: {result['figure'] or result['reason']}"


def file_of(folder, slot):
    return folder / f"slot-{slot}.json"


def read(path):
    """Returns the checks of a file by id; none if there is no file. Raises ValueError for an unknown version or
    state."""
    if not path.exists():
        return {}
    whole = json.loads(path.read_text(encoding="utf-8"))
    if whole.get("version") != VERSION:
        raise ValueError(f"{path}: version is {whole.get('version')}, but only version {VERSION} can be read")
    for name, result in whole["checks"].items():
        if result["state"] not in (RUN, FAILED, NOT_RUN):
            raise ValueError(f"{path}: {name} has the unknown state {result['state']!r}")
    return whole["checks"]


def read_all(folder):
    """Returns the checks in the files of all slots."""
    found = {}
    for path in sorted(folder.glob("slot-*.json")):
        found.update(read(path))
    return found


def updated(checks, name, result, about):
    """Returns the checks with one more result. A check that cannot run now keeps the result of an earlier run."""
    if result["state"] == NOT_RUN and checks.get(name, {}).get("state", NOT_RUN) != NOT_RUN:
        return checks
    return {**checks, name: {**result, **about}}


def write(path, checks):
    path.write_text(json.dumps({"version": VERSION, "checks": checks}, indent=2) + "\n", encoding="utf-8")
