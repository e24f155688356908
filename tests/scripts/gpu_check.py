"""scripts/gpu_check: what it concludes from records and outputs, and the table that it makes of them.

usage: gpu_check.py DDLBENCH
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "gpu_checks"))

import checks  # noqa: E402
import experiments  # noqa: E402
import figures  # noqa: E402
import machine  # noqa: E402
import page  # noqa: E402
import programs  # noqa: E402

ABOUT = {"gpu": "Made-up 9000", "driver": "1.2.3", "commit": "0123456789ab", "date": "2030-01-31"}


def case(**cells):
    return {"case_id": "001-ddp-r2", "strategy": "ddp", "ranks": "2", "status": "ok", "status_reason": "", "device": "cuda",
            "device_name": "Made-up 9000", "certified": "true", "certificate_reason": "", "step_seconds": "0.002",
            "launch_mode": "graph", "launches_per_rank_per_step": "31.5", **cells}


def plant(path, program):
    path.parent.mkdir(exist_ok=True)
    path.write_text(program, encoding="utf-8")
    path.chmod(0o755)


class Judging(unittest.TestCase):
    def test_all_well(self):
        result = experiments.judge([case(), case(step_seconds="0.001", strategy="tensor")])
        self.assertEqual(result["state"], figures.RUN)
        self.assertEqual(result["figure"], "2 of 2 cases certified; best step 1 ms: tensor on 2, graph")

    def test_what_is_not_well(self):
        for cells, word in [({"status": "crashed", "status_reason": "signal 9"}, "signal 9"), ({"device": "cpu"}, "cpu"),
                            ({"device_name": ""}, "cuda ''"), ({"launches_per_rank_per_step": "0"}, "launched nothing"),
                            ({"certified": "false"}, "not certified"), ({"certified": ""}, "not certified")]:
            result = experiments.judge([case(), case(**cells)])
            self.assertEqual(result["state"], figures.FAILED, cells)
            self.assertIn(word, result["reason"])
        self.assertEqual(experiments.judge([])["state"], figures.FAILED)

    def test_records_have_the_columns(self):
        with open(ROOT / "results/reference/quickstart/cases.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        # The reference is older than that column.
        result = experiments.judge([{"launches_per_rank_per_step": "1", **row, "device": "cuda"} for row in rows])
        self.assertEqual(result["state"], figures.RUN, result)

    def test_strategies_are_read_from_the_list(self):
        listing = "strategies\n  single: one\n      ranks  how many\n  ddp: parts\n\nmodels\n  lenet: five\n"
        self.assertEqual(experiments.strategies_of(listing), ["single", "ddp"])
        golden = (ROOT / "tests/bench/cli/golden/list.txt").read_text(encoding="utf-8")
        for ranks in (2, 4, 8):
            covered = {one if isinstance(one, str) else one["kind"]
                       for whole in experiments.every_strategy(ranks) for one in whole["strategies"]}
            self.assertEqual(set(experiments.strategies_of(golden)) - covered, set(), ranks)


    def test_the_experiments_can_be_run(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "experiment.json"
            for experiment in [one for ranks in (2, 4, 8) for one in experiments.every_strategy(ranks)]:
                experiment["devices"]["kind"] = "cpu"
                path.write_text(json.dumps(experiment), encoding="utf-8")
                ended = subprocess.run([DDLBENCH, "--config", path, "--dry-run"], cwd=ROOT, capture_output=True, text=True,
                                       check=False)
                self.assertEqual(ended.returncode, 0, ended.stderr)


class Outputs(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.context = checks.Context(root=ROOT, build=self.folder, output=self.folder, gpus=1)

    def said(self, text, code=0):
        return mock.patch.object(programs, "logged", return_value=(text, code))

    def test_ctest(self):
        for text, code, state in [("100% tests passed, 0 tests failed out of 57", 0, figures.RUN),
                                  ("98% tests passed, 1 tests failed out of 57", 8, figures.FAILED),
                                  ("No tests were found!!!", 8, figures.FAILED)]:
            with self.said(text, code):
                self.assertEqual(programs.tests(self.context)["state"], state, text)

    def test_sanitizers(self):
        (self.folder / "tests").mkdir()
        (self.folder / "tests" / "test_kernels_gpu").touch()
        with mock.patch.object(programs.shutil, "which", return_value="/there"):
            with self.said("========= ERROR SUMMARY: 0 errors"):
                self.assertEqual(programs.sanitizer("memcheck")(self.context)["state"], figures.RUN)
            with self.said("========= ERROR SUMMARY: 3 errors", 9):
                self.assertIn("3 errors", programs.sanitizer("memcheck")(self.context)["reason"])
            with self.said("it never came up", 0):
                self.assertEqual(programs.sanitizer("memcheck")(self.context)["state"], figures.FAILED)
        with mock.patch.object(programs.shutil, "which", return_value=None):
            self.assertEqual(programs.sanitizer("memcheck")(self.context)["state"], figures.NOT_RUN)

    def test_shares_of_the_memory(self):
        found = {"cuda/add/real_time": {"GB/s": 3800.0}, "cuda/slice (copy)/real_time": {"GB/s": 2000.0}}
        with mock.patch.object(programs, "benchmarks", return_value=found), \
                mock.patch.object(machine, "memory_bytes_per_second", return_value=4e12):
            result = programs.bandwidth(self.context)
        self.assertEqual(result["figure"], "1 of 2 kernels reach 0.85 of 4 TB/s; least 0.50: slice (copy)")

    def test_launch_overhead(self):
        found = {"steady_step/cuda/graph/real_time": {"real_time": 1500.0, "time_unit": "us"},
                 "steady_step/cuda/ops/real_time": {"real_time": 3.0, "time_unit": "ms"}}
        with mock.patch.object(programs, "benchmarks", return_value=found):
            self.assertEqual(programs.launch(self.context)["figure"], "1.5e+03 µs with, 3e+03 µs without")


class Table(unittest.TestCase):
    def test_nothing_has_run(self):
        rows = page.table({}).splitlines()[2:]
        self.assertEqual(len(rows), len(checks.CHECKS))
        self.assertTrue(all("| not yet run |" in row for row in rows))

    def test_each_state(self):
        found = figures.updated({}, "tests", figures.run("57 passed"), ABOUT)
        found = figures.updated(found, "memcheck", figures.failed("3 errors | in one"), ABOUT)
        found = figures.updated(found, "bus", figures.not_run("needs 2 GPUs"), ABOUT)
        rows = page.table(found).splitlines()
        self.assertIn("| run | 57 passed | Made-up 9000, driver 1.2.3 | 0123456789ab | 2030-01-31 |", rows[2])
        self.assertIn("| failed | failed: 3 errors \\| in one |", rows[3])
        self.assertIn("| not yet run (needs 2 GPUs) |", rows[-1])

    def test_what_cannot_run_now_keeps_what_ran(self):
        found = figures.updated({}, "bus", figures.run("400 GB/s"), ABOUT)
        self.assertEqual(figures.updated(found, "bus", figures.not_run("one GPU"), {}), found)

    def test_the_file_comes_back_as_it_went(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "figures.json"
            self.assertEqual(figures.read(path), {})
            found = figures.updated({}, "tests", figures.run("57 passed", tests=57), ABOUT)
            figures.write(path, found)
            self.assertEqual(figures.read(path), found)
            path.write_text('{"version": 2, "checks": {}}', encoding="utf-8")
            self.assertRaises(ValueError, figures.read, path)

    def test_the_page_says_what_the_figures_say(self):
        text = (ROOT / "docs" / "gpu.md").read_text(encoding="utf-8")
        found = figures.read(ROOT / "results" / "reference" / "gpu" / "figures.json")
        self.assertEqual(page.with_table(text, found), text, "run scripts/gpu_check --write-page")
        self.assertNotIn("| run |", page.with_table(text, {}))
        self.assertRaises(ValueError, page.with_table, "no marks", found)


class Command(unittest.TestCase):
    def test_without_a_gpu(self):
        if machine.gpus():
            self.skipTest("there is a GPU")
        ended = subprocess.run([ROOT / "scripts" / "gpu_check"], capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 77)
        self.assertIn("there is no GPU here", ended.stderr)

    def test_a_run_on_a_made_up_machine(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            plant(folder / "bin" / "nvidia-smi", "#!/bin/sh\necho 'Made-up 9000, 1.2.3'\n")
            (folder / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.22)\nproject(made_up NONE)\nenable_testing()\n"
                "add_test(NAME on_a_gpu COMMAND true)\nset_tests_properties(on_a_gpu PROPERTIES LABELS gpu)\n",
                encoding="utf-8")
            subprocess.run(["cmake", "-S", folder, "-B", folder / "build"], check=True, capture_output=True)
            ended = subprocess.run(
                [ROOT / "scripts" / "gpu_check", "--build", folder / "build", "--output", folder / "out", "--only",
                 "tests,text,nccl-8"], capture_output=True, text=True, check=False,
                env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"})
            self.assertEqual(ended.returncode, 1, ended.stderr)
            found = figures.read(folder / "out" / "figures.json")
        self.assertEqual(list(found), ["tests", "text", "nccl-8"])
        self.assertEqual((found["tests"]["state"], found["tests"]["figure"], found["tests"]["gpu"]),
                         (figures.RUN, "1 passed", "Made-up 9000"))
        self.assertIn("ddlbench", found["text"]["reason"])
        self.assertEqual(figures.words(found["nccl-8"]), "not run: needs 8 GPUs, but there is one")

    def test_gpus_are_read_from_nvidia_smi(self):
        with tempfile.TemporaryDirectory() as folder:
            plant(pathlib.Path(folder) / "nvidia-smi", "#!/bin/sh\necho 'Made-up 9000, 1.2.3'\necho 'Made-up 9000, 1.2.3'\n")
            with mock.patch.dict(os.environ, {"PATH": f"{folder}:{os.environ['PATH']}"}):
                about = machine.about(ROOT, machine.gpus())
        self.assertEqual((about["gpu"], about["driver"]), ("2 × Made-up 9000", "1.2.3"))

    def test_unknown_checks_are_named(self):
        ended = subprocess.run([ROOT / "scripts" / "gpu_check", "--only", "tests,pie"], capture_output=True, text=True,
                               check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("no such check: pie", ended.stderr)


if __name__ == "__main__":
    DDLBENCH = sys.argv.pop(1)
    unittest.main()
