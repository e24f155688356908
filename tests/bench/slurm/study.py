"""A small experiment over MPI as a study on a cluster of this machine (cluster.py)."""

import contextlib
import csv
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))

import harness
from cluster import SKIPPED, Cluster, Unavailable

ROOT = pathlib.Path(__file__).resolve().parents[3]


def over_mpi(**devices):
    config = harness.tiny()
    config["devices"] = {"transport": "mpi", "ranks": [1, 2, 4], "threads_per_rank": 1, **devices}
    config["strategies"] = ["ddp"]
    return config


def lasting(ranks):
    """Returns an experiment of two cases, each of which takes minutes, however fast the machine is."""
    config = over_mpi(ranks=ranks)
    config["strategies"] = ["tensor", "ddp"]
    config["training"]["epochs"] = 20_000
    config["workload"]["dataset"]["train_samples"] = 20_000
    return config


class StudyTest(unittest.TestCase):
    """Tests that share a cluster; each has a folder of its own."""

    cluster = None

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.stop)

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="study-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.study = self.folder / "study"

    def slurm(self, *words, check=True):
        return self.cluster.run(harness.BINARY, "slurm", *words, check=check)

    def write(self, config):
        path = self.folder / "experiment.json"
        path.write_text(json.dumps(config))
        return path

    def submit(self, config, *options):
        """Writes and submits a study; returns its jobs as jobs.json lists them."""
        self.slurm("--config", self.write(config), "--output", self.study, "--time", "10", *options, "--submit")
        return self.jobs()

    def jobs(self):
        return json.loads((self.study / "slurm/jobs.json").read_text())["jobs"]

    def status(self):
        """Returns the tables of the status: {results: line of the job}, {case: line of the case}."""
        jobs, cases = self.slurm("status", self.study).split("\n\n")
        lines = [line.split() for line in jobs.splitlines()[1:]]
        return {line[1]: " ".join(line) for line in lines}, {
            line.split()[0]: " ".join(line.split()[1:]) for line in cases.splitlines()[1:]}

    def rows(self, job):
        with open(self.study / job / "cases.csv", newline="") as file:
            return list(csv.DictReader(file))

    def journal(self, job):
        """Returns the entries of a journal's complete lines."""
        with contextlib.suppress(FileNotFoundError):
            text = (self.study / job / "journal.jsonl").read_text()
            return [json.loads(line) for line in text.split("\n")[:-1]]
        return []

    def log(self, name):
        return (self.study / f"slurm/{name}.log").read_text()


def main():
    try:
        with Cluster():
            pass
    except Unavailable as why:
        print(f"skipped: {why}")
        sys.exit(SKIPPED)
    os.environ.setdefault("UCX_LOG_LEVEL", "error")
    unittest.main()
