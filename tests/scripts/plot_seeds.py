"""Tests that scripts/plot draws the numbers of the table over seeds. usage: plot_seeds.py DDLBENCH"""

import json
import os
import re
import subprocess
import sys

from plot_harness import InFolder, main, marks

DDLBENCH = os.path.abspath(sys.argv.pop(1))
CONFIG = {
    "name": "seeds",
    "workload": {"model": {"kind": "mlp", "hidden": [16]}, "global_batch": 16,
                 "dataset": {"kind": "synthetic", "shape": "1x4x4", "classes": 4, "train_samples": 256,
                             "validation_samples": 64}},
    "training": {"epochs": 2, "seed": [3, 1, 20, 7, 5], "optimizer": {"kind": "sgd", "learning_rate": 0.05}},
    "devices": {"ranks": [2]},
    "strategies": ["single", "ddp"],
    "measure": {"warmup_steps": 1, "steps": 5, "repetitions": 1, "verify_steps": 2, "interleave": False},
}
NUMBER = r"[-+]?\d+(?:\.\d+)?"
CELL = re.compile(rf"({NUMBER})(?: \[({NUMBER}), ({NUMBER})\])?")


class Seeds(InFolder):
    def table(self):
        """Returns {strategy: {heading: cells of estimate and interval}} of the table over seeds."""
        report = subprocess.run([DDLBENCH, "report", self.run_folder], capture_output=True, text=True, check=True).stdout
        heading, *lines = re.search(r"over the seeds [\d, ]+\n((?:  .*\n)+)", report).group(1).splitlines()
        headings = re.split(r"  +", heading.strip())
        return {line.split()[0]: dict(zip(headings, re.split(r"  +", line.strip()))) for line in lines}

    def check(self, cell, estimate, factor=1):
        """Compares numbers with a cell of the table, to the digits that it has."""
        shown = [text for text in CELL.fullmatch(cell).groups() if text]
        found = [float(text) * factor for text in estimate.split()]
        self.assertEqual([f"{value:.{len(text.partition('.')[2])}f}" for value, text in zip(found, shown)], shown)
        self.assertEqual(len(found), len(shown))

    def estimates(self, name, column):
        """Returns {strategy: estimate} of the marks of a column."""
        found = [data for data, _ in marks(self.out / f"{name}.svg") if data["column"] == column and "estimate" in data]
        return {re.match(r"\d+-([a-z]+)", data["case"]).group(1): data["estimate"] for data in found}

    def test_the_estimates_are_those_of_the_table(self):
        config = self.folder / "config.json"
        config.write_text(json.dumps(CONFIG), encoding="utf-8")
        subprocess.run([DDLBENCH, "--config", config, "--output", self.run_folder], capture_output=True, check=False)
        table = self.table()
        self.drawn("--only", "budget,speedup,learning")
        steps, speedups, accuracies = (self.estimates(*which) for which in (
            ("budget", "step_seconds"), ("speedup", "speedup_ratio"), ("learning", "accuracy_ratio")))
        heading = next(heading for heading in table["ddp"] if heading.startswith("step, "))
        factor = {"s": 1, "ms": 1e3, "us": 1e6}[heading.split()[1]]
        for strategy, cells in table.items():
            self.check(cells[heading], steps[strategy], factor)
            self.check(cells["speedup [95 %]"], speedups[strategy])
            last = " ".join(accuracies[strategy].split()[3:])
            self.check(cells["accuracy [95 %]"], last)
        self.assertEqual(set(table), {"single", "ddp"})


if __name__ == "__main__":
    main()
