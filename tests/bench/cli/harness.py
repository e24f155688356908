"""Shared code of the end-to-end tests: the real binary, small experiments, and the processes of a run.

Each script is started with the binary as its first argument.
"""

import contextlib
import copy
import csv
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
# Records of a run with three epochs and without rounds.
WITHOUT_ROUNDS = pathlib.Path(__file__).resolve().parents[3] / "results" / "reference" / "cpu" / "amd-avx512" / "quickstart"
WAIT_TIMEOUT_SECONDS = int(os.environ.get("DDLBENCH_TEST_WAIT_SECONDS", "60"))

# What the cells of a column look like, by its type.
NUMBER = r"-?\d+(\.\d+)?(e[+-]?\d+)?"
CELLS = {"boolean": "^(true|false)$", "integer": r"^-?\d+$", "number": f"^({NUMBER}|-?inf|nan)$", "string": "(?s)."}

TINY = {
    "name": "tiny",
    "workload": {
        "model": {"kind": "mlp", "hidden": [16]},
        "dataset": {"kind": "synthetic", "shape": "1x4x4", "classes": 4,
                    "train_samples": 256, "validation_samples": 64},
        "global_batch": 16,
    },
    "training": {"epochs": 1, "optimizer": {"kind": "sgd", "learning_rate": 0.05}},
    "devices": {"ranks": [1, 2]},
    "strategies": ["single", "ddp", "tensor", "gpipe"],
    "measure": {"warmup_steps": 1, "steps": 5, "repetitions": 2, "verify_steps": 2, "interleave": False,
                "predict": False},
}


def tiny():
    return copy.deepcopy(TINY)


def lasting():
    """Returns an experiment with three cases, of which the second runs long enough to be disturbed. The third has as
    many ranks, because cases run in the order of their ranks. They last long because messages are late, not because
    there are many: on a busy machine, each message may cost a time slice."""
    config = tiny()
    config["training"]["epochs"] = 24
    config["workload"]["dataset"]["train_samples"] = 320
    config["devices"]["throttle"] = {"latency_seconds": 1e-3}
    config["strategies"] = [{"kind": "ddp", "ranks": 1}, {"kind": "gpipe", "ranks": 2, "microbatches": 2},
                            {"kind": "1f1b", "ranks": 2, "microbatches": 2}]
    return config


def wait_until(condition, what, seconds=WAIT_TIMEOUT_SECONDS, pause=0.005):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(pause)
    raise AssertionError(f"waited {seconds} s for {what}")


def group_lives(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def data_limit(limit_bytes):
    """Returns a preexec_fn that limits a process's private data (RLIMIT_DATA)."""
    return lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit_bytes, limit_bytes))


class Run:
    """A running experiment."""

    def __init__(self, process, output):
        self.process = process
        self.output = output
        self.groups = set()

    def worker(self):
        """Returns the process of the running case, which leads a process group; 0 between two cases."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the latter if a child has just ended
            path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
            for child in pathlib.Path(path).read_text().split():
                if os.getpgid(int(child)) == int(child):
                    self.groups.add(int(child))
                    return int(child)
        return 0

    def in_case(self, number):
        """Returns the worker of the number-th case, some time after its start."""
        logs = self.output / "log"
        wait_until(lambda: logs.is_dir() and len(list(logs.iterdir())) == number, f"case {number}")
        worker = wait_until(self.worker, "a worker")
        time.sleep(0.2)
        return worker

    def end(self):
        out, err = self.process.communicate(timeout=WAIT_TIMEOUT_SECONDS)
        return subprocess.CompletedProcess([], self.process.returncode, out, err)


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ddlbench-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, config, name="experiment.json"):
        (self.folder / name).write_text(config if isinstance(config, str) else json.dumps(config, indent=2))
        return name

    def command(self, *words, **how):
        how = {"capture_output": True, "text": True, "timeout": WAIT_TIMEOUT_SECONDS, "cwd": self.folder} | how
        return subprocess.run([BINARY, *words], **how)

    def sanitized(self):
        lines = [line.split() for line in self.command("env").stdout.splitlines()]
        return any(words[1:] for words in lines if words[:1] == ["build.sanitizers"])

    def start(self, config, *words, **how):
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": self.folder} | how
        process = subprocess.Popen([BINARY, "--config", self.write(config), "--output", "out", *words], **how)
        run = Run(process, self.folder / "out")
        self.addCleanup(process.wait)
        self.addCleanup(process.send_signal, signal.SIGKILL)
        return run

    def rows(self, table="cases.csv", output="out"):
        return rows_of(self.folder / output / table)

    def statuses(self):
        return [row["status"] for row in self.rows()]

    def assert_described(self, output="out"):
        """The columns of every table of a run must be those that the build describes, and its cells of their types."""
        described = json.loads(self.command("schema", "--results").stdout)["tables"]
        files = {path.name for path in (self.folder / output).glob("*.csv")}
        self.assertEqual({table["file"] for table in described}, files)
        for table in described:
            with open(self.folder / output / table["file"], newline="") as file:
                header, *rows = csv.reader(file, strict=True)
            left = list(header)
            columns = []
            for column in table["columns"]:
                if "name" in column:
                    self.assertEqual(left.pop(0), column["name"], table["file"])
                    columns.append(column)
                    continue
                pattern = re.escape(column["name_pattern"]).replace(r"\*", "[a-z0-9_]+")
                while left and re.fullmatch(pattern, left[0]):
                    left.pop(0)
                    columns.append(column)
            self.assertEqual(left, [], table["file"])
            for row in rows:
                for cell, column in zip(row, columns, strict=True):
                    if cell or not column["nullable"]:
                        self.assertRegex(cell, CELLS[column["type"]], column)

    def row_of_stalled_link(self, transport):
        """Returns the row of a case of three ranks, in which the link of rank 1 stalls. It must end in time."""
        config = tiny()
        config["strategies"] = [{"kind": "ddp", "ranks": 3}]
        config["workload"]["global_batch"] = 18
        config["devices"] |= {"transport": transport, "throttle": {"stall": {"rank": 1, "after_bytes": 1000}}}
        config["measure"]["timeout_seconds"] = 8
        began = time.monotonic()
        ended = self.command("--config", self.write(config), "--output", "out")
        self.assertLess(time.monotonic() - began, 8 + 10)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        row = self.rows()[0]
        self.assertEqual(row["status"], "timed_out")
        return row

    def assert_no_orphan(self, run):
        for group in run.groups:
            wait_until(lambda group=group: not group_lives(group), f"the end of process group {group}")


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, strict=True))
