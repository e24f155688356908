"""A call to the file system that fails, at whatever point of a run, leaves valid files and a nonzero exit code.

    failing_calls.py BINARY PRELOAD [POINTS]

PRELOAD is the library that makes calls fail (failing_calls.cpp). POINTS: how many points of the run are tried, spread over all of
its calls; 0: all.
"""

import csv
import json
import os
import shutil
import sys
import unittest

PRELOAD = os.path.abspath(sys.argv.pop(2)) if len(sys.argv) > 2 else ""
POINTS = int(sys.argv.pop(2)) if len(sys.argv) > 2 else 25

from harness import CommandTest, tiny  # noqa: E402 (the import takes the binary from the arguments)


def two_cases():
    config = tiny()
    config["strategies"] = ["single", {"kind": "ddp", "ranks": 2}]
    config["devices"]["ranks"] = [1]
    config["training"]["epochs"] = 2
    config["measure"] |= {"verify_steps": 0, "steps": 1, "repetitions": 1}
    return config


class FailingCalls(CommandTest):
    def run_with(self, **variables):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        environment = os.environ | {"LD_PRELOAD": PRELOAD, "FAILING_PARENT": str(os.getpid()),
                                    "FAILING_FOLDER": str(self.folder / "out")} | variables
        return self.command("--config", self.write(two_cases()), "--output", "out", env=environment)

    def calls(self):
        count = self.folder / "count"
        ended = self.run_with(FAILING_COUNT=str(count))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return int(count.read_text())

    def assert_reported(self, ended):
        """A lost result ends the run. A log is no result: its case says that it is not complete."""
        if "its log could not be written" in ended.stderr and ended.returncode == 0:
            return
        self.assertIn(ended.returncode, (2, 4), ended.stderr)
        self.assertIn("No space left on device", ended.stderr)

    def assert_valid(self):
        """Tables have whole rows, descriptions are whole, and the journal is one that `report` accepts."""
        out = self.folder / "out"
        for path in out.glob("*.csv"):
            with open(path, newline="") as file:
                header, *rows = csv.reader(file, strict=True)
            self.assertEqual({len(row) for row in rows} | {len(header)}, {len(header)}, path.name)
        for path in out.glob("*.json"):
            json.loads(path.read_text())
        self.assertEqual([path.name for path in out.glob("*.tmp*")], [])
        self.assertFalse((out / "lock").exists())
        if (out / "journal.jsonl").exists():
            reported = self.command("report", "out")
            self.assertEqual(reported.returncode, 0, reported.stderr)

    def assert_continues(self):
        """What is left runs once there is space again."""
        journal = self.folder / "out/journal.jsonl"
        planned = journal.exists() and any(json.loads(line)["kind"] == "plan"
                                           for line in journal.read_text().splitlines(keepends=True)
                                           if line.endswith("\n"))
        if not planned:
            return
        resumed = self.command("--resume", "out")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertEqual(self.statuses(), ["ok", "ok"])

    def test_each_call(self):
        calls = self.calls()
        self.assertGreater(calls, 50)
        calls -= calls // 10  # the number differs from run to run, with the samples of utilisation
        step = 1 if POINTS == 0 else max(1, calls // POINTS)
        for number in range(1, calls + 1, step):
            for ever in ({}, {"FAILING_EVER": "1"}):
                with self.subTest(call=number, ever=bool(ever)):
                    ended = self.run_with(FAILING_CALL=str(number), **ever)
                    self.assert_reported(ended)
                    self.assert_valid()
                    self.assert_continues()


if __name__ == "__main__":
    unittest.main()
