"""The cases of one or several folders of results, with their rows in all tables, and the states that distinguish
cases."""

from pathlib import Path

from tables import InputError, check_version, read_table

RANKED = "ranked"
OVERSUBSCRIBED = "oversubscribed"
SHARED = "ranks share a GPU"
APPROXIMATE = "approximate"
NO_CERTIFICATE = "no certificate"
FAILED_CERTIFICATE = "certificate failed"
NOT_OK = "status not ok"
STATES = [RANKED, OVERSUBSCRIBED, SHARED, APPROXIMATE, NO_CERTIFICATE, FAILED_CERTIFICATE, NOT_OK]

REQUIRED = "experiment case_id contract_id scaling_id status strategy promise ranks oversubscribed certified".split()
PARTS = {"epochs.csv": ["case_id", "epoch"], "ranks.csv": ["case_id", "rank"],
         "utilisation.csv": ["case_id", "elapsed_seconds"]}


class NoData(Exception):
    """A figure has nothing to show; the message says why."""


class Case:
    def __init__(self, row, experiment):
        self.row, self.experiment = row, experiment
        self.text, self.number, self.positive = row.text, row.number, row.positive
        self.id, self.strategy, self.status = row.text("case_id"), row.text("strategy"), row.text("status")
        self.rows = {name: [] for name in PARTS}
        ranks = row.number("ranks")
        if ranks is None or ranks < 1 or ranks != int(ranks):
            raise row.error(f"ranks is '{row.text('ranks')}', but a case has one rank or more")
        self.ranks = int(ranks)
        self.state = state_of(row)


def state_of(row):
    if row.text("status") != "ok":
        return NOT_OK
    if row.text("promise") == "exact" and row.text("certified") != "true":
        return FAILED_CERTIFICATE if row.text("certificate_update_max_rel_error") else NO_CERTIFICATE
    if row.text("promise") not in ("", "exact"):
        return APPROXIMATE
    if row.text("devices_shared") == "true":
        return SHARED
    return OVERSUBSCRIBED if row.text("oversubscribed") == "true" else RANKED


class Sweep:
    """All cases, in the order of the folders and of their rows. `columns` are those that every cases.csv has."""

    def __init__(self, folders):
        self.cases, self.columns, self.missing = [], None, {}
        names = experiment_names(folders)
        for folder in folders:
            self.read(Path(folder), names[folder])
        self.experiments = list(dict.fromkeys(case.experiment for case in self.cases))

    def read(self, folder, experiment):
        table = read_table(folder / "cases.csv")
        cases = {}
        for row in table.rows:
            case = cases.setdefault(row.text("case_id"), Case(row, experiment))
            if case.row is not row:
                raise row.error(f"the case {case.id} is already in line {case.row.line}")
        for name, columns in PARTS.items():
            self.read_part(folder / name, columns, cases)
        self.cases += cases.values()
        self.columns = [c for c in table.columns if self.columns is None or c in self.columns]

    def read_part(self, path, columns, cases):
        if not path.exists():
            self.missing.setdefault(path.name, []).append(path)
            return
        table = read_table(path)
        table.require(*columns)
        for row in table.rows:
            if row.text("case_id") not in cases:
                raise row.error(f"there is no case '{row.text('case_id')}' in {path.parent / 'cases.csv'}")
            cases[row.text("case_id")].rows[path.name].append(row)

    def require_columns(self, *columns):
        if missing := [name for name in columns if name not in self.columns]:
            raise NoData(f"cases.csv has no column {', '.join(missing)} (an older schema)")

    def require_part(self, name):
        if not any(case.rows[name] for case in self.cases):
            paths = self.missing.get(name)
            raise NoData(f"there is no {paths[0]}" if paths else f"{name} has no rows")


def experiment_names(folders):
    """Returns names that distinguish the folders: the experiment's name, with the folder's if several have the same."""
    names = {}
    for folder in folders:
        path = Path(folder)
        if not path.is_dir():
            raise InputError(f"{folder}: no such folder")
        if not (path / "cases.csv").is_file():
            raise InputError(f"{folder}: has no cases.csv, so it is not a folder of results")
        table = read_table(path / "cases.csv")
        table.require(*REQUIRED)
        check_version(table)
        if not table.rows:
            raise InputError(f"{table.path}: has no cases: nothing to draw")
        names[folder] = table.rows[0].text("experiment")
    resolved = [Path(folder).resolve() for folder in folders]
    if len(set(resolved)) < len(resolved):
        raise InputError("the same folder is named more than once")
    given = list(names.values())
    last = [path.name for path in resolved]
    for folder, path in zip(folders, resolved):
        if given.count(names[folder]) > 1:
            names[folder] += f" ({path.name if last.count(path.name) == 1 else folder})"
    return names
