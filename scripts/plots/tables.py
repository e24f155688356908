"""Reads the tables of a run's folder. Damage is an error that names file, line and column."""

import csv
import math
import re
from pathlib import Path

KNOWN_VERSIONS = {"1", "2"}

NUMBERS = re.compile(
    r"(_(seconds|bytes|ratio|low|high|second|step|loss|perplexity)"
    r"|^(ranks|rank|epoch|perplexity|global_batch|microbatches|threads_per_rank|threads|processes))$"
)


class InputError(Exception):
    """Something that the user can correct; the message says what and where."""


class Row:
    """One line of a table. `text` returns the cell as written, empty if the table lacks the column."""

    def __init__(self, path, line, cells):
        self.path, self.line, self.cells = path, line, cells

    def text(self, column):
        return self.cells.get(column, "")

    def number(self, column):
        """Returns None if the cell is empty or not finite: neither can be drawn."""
        text = self.text(column)
        value = float(text) if text else None
        return value if value is not None and math.isfinite(value) else None

    def positive(self, column):
        """Returns the number if a logarithmic axis can show it, otherwise None."""
        value = self.number(column)
        return value if value is not None and value > 0 else None

    def error(self, what):
        return InputError(f"{self.path}:{self.line}: {what}")


class Table:
    def __init__(self, path, columns, rows):
        self.path, self.columns, self.rows = path, columns, rows

    def lacks(self, *columns):
        return [name for name in columns if name not in self.columns]

    def require(self, *columns):
        if missing := self.lacks(*columns):
            names = ", ".join(missing)
            raise InputError(f"{self.path}:1: has no column {names}: not a table of ddlbench, or of an older schema")


def check_numbers(row):
    for name, cell in row.cells.items():
        if cell and NUMBERS.search(name):
            try:
                float(cell)
            except ValueError:
                raise row.error(f"{name} is '{cell}', which is not a number") from None


def read_table(path):
    """Returns the table at `path`. Raises InputError if it cannot be read or is damaged."""
    path = Path(path)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return read_rows(path, csv.reader(file, strict=True))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def read_rows(path, reader):
    columns, rows, line = None, [], 1
    try:
        for cells in reader:
            if columns is None:
                columns = header(path, cells)
            elif len(cells) != len(columns):
                raise InputError(f"{path}:{line}: {len(cells)} cells, but the header has {len(columns)}")
            else:
                rows.append(Row(path, line, dict(zip(columns, cells))))
                check_numbers(rows[-1])
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}:{line}: {error}") from None
    if columns is None:
        raise InputError(f"{path}: is empty, without even a header")
    return Table(path, columns, rows)


def header(path, columns):
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise InputError(f"{path}:1: has the column {twice[0]} more than once")
    return columns


def check_version(table):
    table.require("schema_version")
    for row in table.rows:
        version = row.text("schema_version")
        if version not in KNOWN_VERSIONS:
            known = ", ".join(sorted(KNOWN_VERSIONS))
            raise row.error(f"schema_version is '{version}', but only {known} is known here")
