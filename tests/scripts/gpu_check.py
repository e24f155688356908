"""Tests scripts/gpu_check: what it concludes from records, its slots, and the table that it makes of the results."""

import contextlib
import csv
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import threading
import types
import unittest
from unittest import mock

from gpu_fixtures import CATCH, ROOT, InAFolder, plant

import checks
import experiments
import figures
import libraries
import machine
import page

spec = importlib.util.spec_from_file_location("gpu_check_command", ROOT / "scripts" / "gpu_checks" / "__main__.py")
command = importlib.util.module_from_spec(spec)
spec.loader.exec_module(command)

ABOUT = {"gpu": "Made-up 9000", "driver": "1.2.3", "commit": "0123456789ab", "date": "2030-01-31"}
MISSING = libraries.Found(libraries.Library("cuDNN", "libcudnn.so.9", (), "a remedy", "cudnnGetVersion"))


def case(**cells):
    return {"case_id": "001-ddp-r2", "strategy": "ddp", "ranks": "2", "status": "ok", "status_reason": "", "device": "cuda",
            "device_name": "Made-up 9000", "certified": "true", "certificate_reason": "", "step_seconds": "0.002",
            "launch_mode": "graph", "launches_per_rank_per_step": "31.5", **cells}


class Judging(unittest.TestCase):
    def test_cases_that_pass(self):
        result = experiments.result_of([case(), case(step_seconds="0.001", strategy="tensor")])
        self.assertEqual(result["state"], figures.RUN)
        self.assertEqual(result["figure"], "2 of 2 cases certified; best step 1 ms: tensor on 2, graph")

    def test_cases_that_fail(self):
        for cells, word in [({"status": "crashed", "status_reason": "signal 9"}, "signal 9"), ({"device": "cpu"}, "cpu"),
                            ({"device_name": ""}, "cuda ''"), ({"launches_per_rank_per_step": "0"}, "launched nothing"),
                            ({"certified": "false"}, "not certified"), ({"certified": ""}, "not certified")]:
            result = experiments.result_of([case(), case(**cells)])
            self.assertEqual(result["state"], figures.FAILED, cells)
            self.assertIn(word, result["reason"])
        self.assertEqual(experiments.result_of([])["state"], figures.FAILED)

    def test_records_have_the_columns(self):
        with open(ROOT / "results/reference/quickstart/cases.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        # The reference results are older than that column.
        result = experiments.result_of([{"launches_per_rank_per_step": "1", **row, "device": "cuda"} for row in rows])
        self.assertEqual(result["state"], figures.RUN, result)

    def test_strategies_are_read_from_the_list(self):
        listing = "strategies\n  single: one\n      ranks  how many\n  ddp: parts\n\nmodels\n  lenet: five\n"
        self.assertEqual(experiments.strategies_of(listing), ["single", "ddp"])
        golden = (ROOT / "tests/bench/cli/golden/list.txt").read_text(encoding="utf-8")
        for ranks in (2, 4, 8):
            covered = {one if isinstance(one, str) else one["kind"]
                       for whole in experiments.every_strategy(ranks) for one in whole["strategies"]}
            self.assertEqual(set(experiments.strategies_of(golden)) - covered, set(), ranks)


class Table(unittest.TestCase):
    def test_nothing_has_run(self):
        rows = page.table({}).splitlines()[2:]
        self.assertEqual(len(rows), len(checks.CHECKS))
        self.assertTrue(all("| not yet run |" in row for row in rows))

    def test_each_state(self):
        found = figures.updated({}, "plans", figures.run("57 passed"), ABOUT)
        found = figures.updated(found, "tests", figures.failed("3 errors | in one"), ABOUT)
        found = figures.updated(found, "bus", figures.not_run("needs 2 GPUs"), ABOUT)
        rows = page.table(found).splitlines()
        self.assertIn("| run | 57 passed | Made-up 9000, driver 1.2.3 | 0123456789ab | 2030-01-31 |", rows[2])
        self.assertTrue(rows[2].startswith("| 1 | "))
        self.assertIn("| failed | failed: 3 errors \\| in one |", rows[3])
        self.assertIn("| not yet run (needs 2 GPUs) |", rows[-1])

    def test_a_check_that_cannot_run_keeps_its_result(self):
        found = figures.updated({}, "bus", figures.run("400 GB/s"), ABOUT)
        self.assertEqual(figures.updated(found, "bus", figures.not_run("one GPU"), {}), found)

    def test_the_files_come_back_as_they_went(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            first, second = figures.file_of(folder, 1), figures.file_of(folder, 2)
            self.assertEqual(figures.read(first), {})
            found = figures.updated({}, "tests", figures.run("57 passed", tests=57), ABOUT)
            figures.write(first, found)
            self.assertEqual(figures.read(first), found)
            figures.write(second, figures.updated({}, "bus", figures.run("400 GB/s"), ABOUT))
            self.assertEqual(list(figures.read_all(folder)), ["tests", "bus"])
            second.write_text('{"version": 2, "checks": {}}', encoding="utf-8")
            self.assertRaises(ValueError, figures.read_all, folder)

    def test_the_page_says_what_the_figures_say(self):
        text = (ROOT / "docs" / "gpu.md").read_text(encoding="utf-8")
        found = figures.read_all(ROOT / "results" / "reference" / "gpu")
        self.assertEqual(page.with_table(text, found), text, "run scripts/gpu_check --write-page")
        self.assertNotIn("| run |", page.with_table(text, {}))
        self.assertRaises(ValueError, page.with_table, "no marks", found)


class Slots(InAFolder):
    def run_slot(self, *works, rehearse=False, timed=True, seconds=1):
        plant(self.folder / "ddlbench", "#!/bin/sh\necho 'build.git_commit  0123456789abcdef'\n")
        made_up = [checks.Check(1, seconds, f"check-{number}", "made up", work, timed=timed) for number, work in enumerate(works)]
        given = types.SimpleNamespace(output=self.folder, rehearse=rehearse)
        with mock.patch.object(command, "torch_python", return_value=(None, "")):
            well = command.run_slot(1, made_up, given, self.folder, dict(os.environ), [MISSING], [("Made-up 9000", "1.2.3")])
        return well, figures.read(figures.file_of(self.folder, 1))

    def test_each_fits_into_its_minutes(self):
        for slot in checks.SLOTS:
            seconds = [check.seconds for check in checks.CHECKS if check.slot == slot]
            self.assertGreater(len(seconds), 0)
            self.assertLessEqual(sum(seconds), checks.SLOT_SECONDS)
        self.assertEqual([check.slot for check in checks.CHECKS], sorted(check.slot for check in checks.CHECKS))

    def test_a_check_that_times_out_is_killed_and_the_others_run(self):
        def work(script):
            return types.SimpleNamespace(run=lambda context: figures.run(context.runner(["sh", "-c", script])[0].strip()))
        well, found = self.run_slot(work(f"sleep 60 & echo $! >{self.folder}/pid; wait"), types.SimpleNamespace(), work("echo 7"))
        self.assertFalse(well)
        self.assertEqual(figures.words(found["check-0"]), "failed: ended after 1 s, in sh")
        self.assertIn("AttributeError", found["check-1"]["reason"])
        self.assertEqual((found["check-2"]["figure"], found["check-2"]["gpu"], found["check-2"]["commit"]),
                         ("7", "Made-up 9000", "0123456789ab"))
        started = pathlib.Path("/proc") / (self.folder / "pid").read_text(encoding="utf-8").strip() / "stat"
        with contextlib.suppress(FileNotFoundError):  # not found: ended and reaped
            self.assertIn(") Z ", started.read_text(encoding="utf-8"))
        self.assertIn("$ sh -c echo 7\n7\n", (self.folder / "slot-1.log").read_text(encoding="utf-8"))

    def test_each_result_is_there_before_the_next_check_begins(self):
        seen = []

        def look(context):
            seen.append(list(figures.read(figures.file_of(self.folder, 1))))
            return figures.run("seen")
        self.run_slot(types.SimpleNamespace(run=look), types.SimpleNamespace(run=look))
        self.assertEqual(seen, [[], ["check-0"]])
        environment = json.loads((self.folder / "environment.json").read_text(encoding="utf-8"))
        self.assertEqual((environment["libraries"], environment["ddlbench"]["build.git_commit"]),
                         (["cuDNN: missing"], "0123456789abcdef"))

    def test_checks_that_time_nothing_run_side_by_side_and_share_their_seconds(self):
        def work(own, other):
            script = f"touch {self.folder}/{own}; until [ -e {self.folder}/{other} ]; do sleep 0.02; done; echo {own} saw {other}"
            return types.SimpleNamespace(run=lambda context: figures.run(context.runner(["sh", "-c", script])[0].strip()))
        late = types.SimpleNamespace(run=lambda context: context.runner(["sleep", "60"]))
        well, found = self.run_slot(work("a", "b"), work("b", "a"), late, timed=False)
        self.assertFalse(well)
        self.assertEqual([figures.words(found[f"check-{number}"]) for number in range(3)],
                         ["run: a saw b", "run: b saw a", "failed: ended after 3 s, in sleep"])

    def test_a_signal_leaves_earlier_results(self):
        begun = self.folder / "begun"
        figures.write(figures.file_of(self.folder, 1), figures.updated({}, "check-0", figures.run("57 passed"), ABOUT))
        script = f"touch {begun}; sleep 60"
        careless = types.SimpleNamespace(run=lambda context: figures.run(f"ended with {context.runner(['sh', '-c', script])[1]}"))

        def stop(number, frame):
            raise SystemExit(128 + number)

        def send():
            while not begun.exists():
                time.sleep(0.02)
            os.kill(os.getpid(), signal.SIGTERM)
        before = signal.signal(signal.SIGTERM, stop)
        self.addCleanup(signal.signal, signal.SIGTERM, before)
        sender = threading.Thread(target=send)
        sender.start()
        self.assertRaises(SystemExit, self.run_slot, careless, timed=False, seconds=30)
        sender.join()
        self.assertEqual(figures.words(figures.read(figures.file_of(self.folder, 1))["check-0"]), "run: 57 passed")

    def test_a_rehearsal_says_what_would_run_and_leaves_figures_alone(self):
        works = [types.SimpleNamespace(rehearse=lambda context: "7 cases"), types.SimpleNamespace(rehearse=lambda context: 1 / 0)]
        well, found = self.run_slot(*works, rehearse=True)
        self.assertFalse(well)
        self.assertEqual(figures.words(found["check-0"]), "not run: rehearsed: would run 7 cases, at most 1 s")
        self.assertIn("ZeroDivisionError", found["check-1"]["reason"])

    def test_nothing_is_built_from_an_unpacked_archive(self):
        (self.folder / "packed.json").write_text('{"cuda": "13.0", "glibc": "2.34"}', encoding="utf-8")
        with mock.patch.object(command, "ROOT", self.folder), \
                mock.patch.object(command.subprocess, "run", side_effect=AssertionError("it builds")):
            self.assertEqual(command.built(None), self.folder / "build")


class Command(unittest.TestCase):
    def started(self, *words, **environment):
        return subprocess.run([ROOT / "scripts" / "gpu_check", *words], capture_output=True, text=True, check=False,
                              env={**os.environ, **environment})

    def test_without_a_gpu(self):
        if machine.gpus():
            self.skipTest("there is a GPU")
        ended = self.started()
        self.assertEqual(ended.returncode, 77)
        self.assertIn("there is no GPU here", ended.stderr)

    def test_a_run_on_a_made_up_machine(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            plant(folder / "bin" / "nvidia-smi", "#!/bin/sh\necho 'Made-up 9000, 1.2.3'\n")
            targets = "".join(f"add_custom_target({pathlib.Path(one).name})\n" for one in checks.PROGRAMS)
            (folder / "CMakeLists.txt").write_text(
                f"cmake_minimum_required(VERSION 3.22)\nproject(made_up NONE)\n{targets}", encoding="utf-8")
            subprocess.run(["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build"], check=True, capture_output=True)
            plant(folder / "build" / "ddlbench", "#!/bin/sh\necho 'build.git_commit  0123456789abcdef'\n")
            plant(folder / "build" / "tests" / "test_kernels_gpu", CATCH.format(last="exit 0"))
            ended = self.started("--build", folder / "build", "--output", folder / "out", "--only", "tests,precisions,nccl-8",
                                 PATH=f"{folder}/bin:{os.environ['PATH']}")
            self.assertEqual(ended.returncode, 1, ended.stderr)
            found = figures.read_all(folder / "out")
            self.assertEqual(sorted(path.name for path in (folder / "out").iterdir()),
                             ["environment.json", *(f"slot-{n}.{kind}" for n in (1, 5) for kind in ("json", "log"))])
        self.assertEqual(set(found), {"tests", "precisions", "nccl-8"})
        self.assertEqual((found["tests"]["state"], found["tests"]["figure"], found["tests"]["gpu"], found["tests"]["commit"]),
                         (figures.RUN, "3 cases passed", "Made-up 9000", "0123456789ab"))
        self.assertIn("ddlbench ended with 0", found["precisions"]["reason"])
        self.assertEqual(figures.words(found["nccl-8"]), "not run: needs 8 GPUs, but there is one")

    def test_gpus_are_read_from_nvidia_smi(self):
        with tempfile.TemporaryDirectory() as folder:
            plant(pathlib.Path(folder) / "nvidia-smi", "#!/bin/sh\necho 'Made-up 9000, 1.2.3'\necho 'Made-up 9000, 1.2.3'\n")
            with mock.patch.dict(os.environ, {"PATH": f"{folder}:{os.environ['PATH']}"}):
                about = machine.about(machine.gpus(), {"build.git_commit": "0" * 40, "build.git_dirty": "true"})
        self.assertEqual((about["gpu"], about["driver"], about["commit"]), ("2 × Made-up 9000", "1.2.3", "000000000000+"))

    def test_unknown_checks_and_slots_are_named(self):
        ended = self.started("--only", "tests,pie")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("no such check: pie", ended.stderr)
        self.assertEqual(self.started("--slot", "9").returncode, 2)

    def test_the_list_has_each_check_with_its_seconds(self):
        said = self.started("--list").stdout
        for check in checks.CHECKS:
            self.assertRegex(said, rf"(?m)^  {check.id} +{check.seconds} s  ")

    def test_git_ignores_an_archive(self):
        ignored = subprocess.run(["git", "check-ignore", "--quiet", "ddlbench-gpu.tar.xz"], cwd=ROOT, check=False).returncode
        if ignored == 128:
            self.skipTest("this is no checkout")
        self.assertEqual(ignored, 0)


if __name__ == "__main__":
    unittest.main()
