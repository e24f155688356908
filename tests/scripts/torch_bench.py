"""Tests scripts/peers: estimates and tables of the comparisons with PyTorch, with fake programs."""

import contextlib
import csv
import io
import json
import math
import os
import pathlib
import platform
import random
import stat
import subprocess
import sys
import tempfile
import time
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "peers"))

from versus import comparison, estimates, launch, machine, rounds, sides, tables, tournament, workloads  # noqa: E402

# Answers as torch_step.py does, at a speed that depends on its argument.
TORCH = """#!{python}
import json, os, sys
if sys.argv[1] == "-c":
    print("9.0 0.9")
    sys.exit(0)
told = json.loads(sys.argv[3])
if told["compiled"]:
    sys.exit("no compiler here")
seconds = 0.4 if told["stock"] else 0.2 if told["layout"] == "channels_last" else 0.3
if not told["stock"] and "MALLOC_TRIM_THRESHOLD_" not in os.environ:
    sys.exit("thresholds are not raised")
print("some warning")
print(json.dumps({{"step_seconds": seconds, "steps": 3, "torch": "9.0", "loss": 1.0}}))
"""

# Writes the records that ddlbench writes, for a step of 0.1 s and 10 GFLOP on each rank.
DDLBENCH = """#!{python}
import csv, json, os, sys
if sys.argv[1] == "env":
    print("build.version  9\\nbuild.git_commit 0123456789abcdef\\nbuild.git_dirty false\\nbuild.compiler GNU 1")
    print("cpu  A CPU\\nlibraries.oneDNN  2.6.3")
    sys.exit(0)
if sys.argv[1] == "layers":
    with open(sys.argv[sys.argv.index("--csv") + 1], "w") as file:
        file.write("layer,forward_seconds,backward_input_seconds,backward_weight_seconds\\n"
                   "fc,0.03,,0.02\\nrelu,0.01,0.016,\\ntotal,0.04,0.016,0.02\\n")
    sys.exit(0)
config = json.load(open(sys.argv[sys.argv.index("--config") + 1]))
folder = sys.argv[sys.argv.index("--output") + 1]
os.makedirs(folder)
devices = config["devices"]
ranks = devices["ranks"][0]
def write(name, rows):
    with open(os.path.join(folder, name), "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
write("cases.csv", [dict(status="{status}", status_reason="why not", step_seconds=0.1, transport=devices["transport"],
                         ranks=ranks, peak_memory_bytes=int(3e9), case_resident_peak_bytes=int(4e9),
                         budget_forward_seconds=0.03,
                         budget_backward_seconds=0.05, budget_communication_seconds=0.01,
                         budget_bubble_seconds=0.001, budget_optimizer_seconds=0.009, predicted_step_seconds=0.2,
                         predicted_budget_bubble_seconds=0.003)])
write("ranks.csv", [dict(role="every rank", flops_per_step=10e9) for rank in range(ranks)])
write("utilisation.csv", [dict(resident_bytes=5), dict(resident_bytes=7)])
"""

PROBE = """#!{python}
print('{{"matmul_flops_per_second": 200e9, "memory_bytes_per_second": 10e9}}')
"""


class Estimates(unittest.TestCase):
    def test_a_median_is_in_the_middle(self):
        self.assertEqual(estimates.median([3, 1, 2]), 2)
        self.assertEqual(estimates.median([4, 1, 3, 2]), 2.5)

    def test_an_interquartile_mean_drops_a_quarter_at_either_end(self):
        self.assertEqual(estimates.interquartile_mean([100, 2, 4, 0]), 3)
        self.assertEqual(estimates.interquartile_mean([1, 2, 6]), 3)
        self.assertEqual(estimates.interquartile_mean([7]), 7)

    def test_intervals_are_order_statistics(self):
        one = estimates.estimate([5, 1, 4, 2, 3])
        self.assertEqual((one.value, one.low, one.high, one.rounds), (3, 1, 5, 5))
        self.assertAlmostEqual(one.confidence, 1 - 2 / 32)
        nine = estimates.estimate(range(9))
        self.assertEqual((nine.low, nine.high), (1, 7))
        self.assertAlmostEqual(nine.confidence, 1 - 2 * (1 + 9) / 2 ** 9)
        self.assertEqual(estimates.estimate([2]).confidence, 0)

    def test_an_interval_holds_the_median_as_often_as_it_says(self):
        draw = random.Random(1)
        trials, held = 4000, 0
        for _ in range(trials):
            one = estimates.estimate([draw.gauss(0, 1) for _ in range(9)])
            held += one.low <= 0 <= one.high
        deviation = math.sqrt(one.confidence * (1 - one.confidence) / trials)
        self.assertLess(abs(held / trials - one.confidence), 4 * deviation)

    def test_a_paired_ratio_ignores_what_slows_a_whole_round(self):
        ratio = estimates.paired([2, 20, 8], [1, 10, 4])
        self.assertEqual((ratio.value, ratio.low, ratio.high), (2, 2, 2))
        with self.assertRaises(ValueError):
            estimates.paired([1, 2], [1])


class ProcessorKind(unittest.TestCase):
    def test_it_is_the_vendor_and_the_widest_instructions(self):
        for vendor, flags, kind in (("GenuineIntel", "fpu avx2 avx512f amx_tile", "intel-amx"),
                                    ("GenuineIntel", "fpu avx2 avx512f", "intel-avx512"),
                                    ("AuthenticAMD", "fpu avx2", "amd-avx2"), ("AuthenticAMD", "fpu", "amd")):
            with tempfile.NamedTemporaryFile("w", suffix=".cpuinfo") as cpuinfo:
                cpuinfo.write(f"processor\t: 0\nvendor_id\t: {vendor}\nflags\t\t: {flags}\n\nprocessor\t: 1\n")
                cpuinfo.flush()
                self.assertEqual(machine.processor_kind(pathlib.Path(cpuinfo.name)), kind)

    def test_an_unknown_one_is_named_by_its_architecture(self):
        self.assertEqual(machine.processor_kind(pathlib.Path("/nonexistent")), platform.machine())


class Launch(unittest.TestCase):
    def test_memory_is_that_of_the_largest_process(self):
        ended = launch.run([sys.executable, "-c", "x = bytearray(200_000_000); print(len(x))"])
        self.assertEqual(ended.output, "200000000\n")
        self.assertGreater(ended.peak_resident_bytes, 200_000_000)
        self.assertLess(ended.peak_resident_bytes, 300_000_000)

    def test_a_failure_says_why_and_ends_the_other_processes(self):
        slow = [sys.executable, "-c", "import time; time.sleep(300)"]
        wrong = [sys.executable, "-c", "import sys; sys.exit('the reason')"]
        for commands in ((wrong, slow), (slow, wrong)):
            with self.assertRaisesRegex(launch.Failed, "ended with 1: the reason"):
                launch.together([(command, {}) for command in commands])
        with self.assertRaisesRegex(launch.Failed, "more than"):
            launch.run(slow, timeout=0.2)

    def test_settings_of_the_shell_do_not_reach_a_side(self):
        with tempfile.TemporaryDirectory() as folder:
            said = subprocess.run(
                [sys.executable, "-B", "-c",
                 "from versus import launch; print(sorted(n for n in launch.environment({'OMP_NUM_THREADS': '2'}) "
                 "if n.startswith(('OMP', 'MALLOC'))))"],
                cwd=folder, capture_output=True, text=True, check=True,
                env={"PYTHONPATH": str(ROOT / "scripts" / "peers"), "OMP_PROC_BIND": "true", "MALLOC_ARENA_MAX": "1"})
        self.assertEqual(said.stdout, "['OMP_NUM_THREADS']\n")


class Pretended(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.addCleanup(self.kept.cleanup)
        self.folder = pathlib.Path(self.kept.name)
        self.torch = self.program("torch", TORCH)
        self.program("ddlbench", DDLBENCH, status="ok")
        self.program("machine_probe", PROBE)
        self.arguments = types.SimpleNamespace(rounds=3, seconds=1.0, passes=2, build=self.folder, out=self.folder)

    def program(self, name, text, **values):
        path = self.folder / name
        path.write_text(text.format(python=sys.executable, **values), encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def quiet(self, do):
        with contextlib.redirect_stderr(io.StringIO()):
            return do()

    def compared(self, model, ours, ranks=1):
        theirs = tournament.ways_of_all({self.torch: ["9.0", "0.9"]}, workloads.ALL[model], "fp32", ranks, 2 // ranks,
                                        self.folder)
        return self.quiet(lambda: comparison.Comparison(workloads.ALL[model], "fp32", ours, theirs, self.arguments))

    def test_the_fastest_way_is_chosen_and_failures_are_recorded(self):
        ways = tournament.ways(self.torch, "9.0", workloads.ALL["vgg16"], "fp32", 1, 2, self.folder)
        self.assertEqual([way.name.split(" ", 2)[2] for way in ways],
                         ["eager stock", "eager", "eager channels_last", "compile", "compile channels_last"])
        entries = self.quiet(lambda: tournament.measure_rounds(ways, workloads.ALL["vgg16"], "fp32", 2, 0.1))
        self.assertEqual(tournament.best_of(entries, stock=False).side.name, "torch 9.0 eager channels_last")
        self.assertEqual(tournament.best_of(entries, stock=True).step_seconds, 0.4)
        self.assertEqual([bool(entry.refused) for entry in entries], [False, False, False, True, True])

    def test_ways_of_a_text_an_old_version_and_many_ranks(self):
        def names(version, model, precision, ranks):
            return [way.name.split(" ", 2)[2] for way in
                    tournament.ways("p", version, workloads.ALL[model], precision, ranks, 1, None)]
        self.assertEqual(names("1.13.1", "gpt2-small", "bf16", 1), ["eager autocast stock", "eager autocast", "eager masters"])
        self.assertEqual(names("2.9", "gpt2-small", "fp32", 1), ["eager stock", "eager", "compile"])
        self.assertTrue(all("compile" not in name for name in names("2.9", "resnet50", "fp32", 2)))

    def test_rounds_give_ratios_shares_and_rows(self):
        one = self.compared("resnet50", [sides.DdlbenchSide(self.folder / "ddlbench", self.folder / "runs")])
        self.assertAlmostEqual(one.speedup(0, -1).value, 2)
        self.assertAlmostEqual(one.share_of_peak(0).value, 0.5)
        self.assertAlmostEqual(one.rate(0), 80)
        self.assertAlmostEqual(one.stock_rate(), 20)
        rows = list(one.round_rows())
        self.assertEqual(len(rows), 6)
        self.assertEqual([row["side"] for row in rows[:2]], ["ddlbench single, 1 x 2", "torch 9.0 eager channels_last"])
        self.assertEqual((rows[0]["steps"], rows[0]["peak_resident_bytes"]), (10, 4e9))
        self.assertEqual(json.loads((self.folder / "runs/resnet50-fp32-1x2-threads.json").read_text())["measure"]["steps"], 10)
        tables.write_csv(self.folder / "rounds.csv", rows)
        with open(self.folder / "rounds.csv", encoding="utf-8", newline="") as file:
            self.assertEqual(float(next(csv.DictReader(file))["step_seconds"]), 0.1)
        self.assertIn("MALLOC_TRIM_THRESHOLD_=", one.commands()["torch 9.0 eager channels_last"])

    def test_memory_is_summed_over_ranks(self):
        ours = sides.DdlbenchSide(self.folder / "ddlbench", self.folder / "runs", 2, 1, "mpi")
        measured = ours.measure(workloads.ALL["vgg16"], "fp32", 3)
        self.assertEqual((measured.peak_resident_bytes, measured.flops), (7, 20e9))
        single = sides.TorchSide(self.torch, "9.0").measure(workloads.ALL["vgg16"], "fp32", 1)
        both = sides.TorchSide(self.torch, "9.0", ranks=2).measure(workloads.ALL["vgg16"], "fp32", 1)
        self.assertGreater(both.peak_resident_bytes, 1.5 * single.peak_resident_bytes)

    def test_a_case_that_is_not_ok_is_not_measured(self):
        self.program("ddlbench", DDLBENCH, status="out_of_memory")
        with self.assertRaisesRegex(launch.Failed, "out_of_memory: why not"):
            self.compared("alexnet", [sides.DdlbenchSide(self.folder / "ddlbench", self.folder / "runs")])

    def test_the_seconds_of_a_round_determine_its_steps(self):
        self.assertEqual(rounds.steps_for(3, 0.7), 5)
        self.assertEqual(rounds.steps_for(3, 2), 3)


    def started(self, name, *words):
        return subprocess.run([ROOT / "scripts" / "peers" / name, "--build", self.folder, "--out", self.folder / "out", *words],
                              capture_output=True, text=True, check=False)

    def test_torch_bench_leaves_tables(self):
        ended = self.started("torch_bench", "--rounds", "5", "--models", "alexnet,gpt2-small", "--precision", "fp32",
                             "--python", self.torch)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("| alexnet | fp32 | 80 images/s | 40 | torch 9.0 eager channels_last | 20 | **2.00 (2.00–2.00)** | "
                      "0.50 (0.50–0.50) | 200 | 10.0 |", ended.stdout)
        self.assertIn("| gpt2-small | fp32 | 10,240 tokens/s |", ended.stdout)
        self.assertIn("| alexnet | fp32 |  | 3.00 |", ended.stdout)
        self.assertIn("| gpt2-small | fp32 | recompute gelu,layer_norm; update_in_backward | 3.00 |", ended.stdout)
        config = self.folder / "out" / "runs" / "gpt2-small-fp32-1x2-threads.json"
        self.assertEqual(json.loads(config.read_text(encoding="utf-8"))["strategies"],
                         [{"kind": "single", "recompute": ["gelu", "layer_norm"], "update_in_backward": True}])
        self.assertIn("| alexnet | fp32 | torch 9.0 compile | failed |  |", ended.stdout)
        self.assertIn("A CPU", ended.stdout)
        self.assertIn("94% confidence", ended.stdout)
        out = self.folder / "out"
        self.assertEqual((out / "table.md").read_text(encoding="utf-8"), ended.stdout[:-1])
        environment = (out / "environment.json").read_text(encoding="utf-8")
        self.assertIn("scripts/peers/torch_step.py", environment)
        self.assertNotIn(str(ROOT), environment)
        told = json.loads(environment)
        self.assertEqual(set(told["commands"]), {"alexnet fp32", "gpt2-small fp32"})
        for name, rows in (("rounds", 20), ("tournament", 5 + 3), ("summary", 2)):
            with open(out / f"{name}.csv", encoding="utf-8", newline="") as file:
                self.assertEqual(len(list(csv.DictReader(file))), rows, name)

    def test_torch_ddp_bench_leaves_tables(self):
        ended = self.started("torch_ddp_bench", "--rounds", "2", "--models", "resnet50", "--python", self.torch)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        for transport in ("threads", "mpi"):
            self.assertIn(f"| resnet50 | fp32 | {transport} | 80 images/s | 80 | 40 |", ended.stdout)
        self.assertIn("**1.00 (1.00–1.00)** | **2.00 (2.00–2.00)** | 200 | 10.0 |", ended.stdout)
        self.assertIn("| resnet50 | fp32 | ddlbench single, 1 x 2 | 100.0 | 30.0 | 50.0 | 10.0 | 1.0 | 9.0 |", ended.stdout)
        config = json.loads((self.folder / "out" / "runs" / "resnet50-fp32-2x1-threads.json").read_text())
        self.assertEqual(config["workload"]["model"], {"kind": "resnet50", "samples_per_statistic": 4})

    def test_torch_pipeline_bench_leaves_tables(self):
        ended = self.started("torch_pipeline_bench", "--rounds", "2", "--schedules", "1f1b,zb_v", "--microbatches", "8",
                             "--python", self.torch)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        for ours, theirs in (("1f1b", "1F1B"), ("zb_v", "ZBVZeroBubble")):
            self.assertIn(f"| {ours} | {theirs} | 10,240 tokens/s | 2,560 | **4.00 (4.00–4.00)** | 3,413 | "
                          "**3.00 (3.00–3.00)** | 0.00 |", ended.stdout)
            self.assertIn("| 1.0% | 1.5% | 200 | 10.0 |", ended.stdout)
            config = json.loads((self.folder / "out" / "runs" / f"gpt2-small-fp32-{ours}-2x1-mpi.json").read_text())
            self.assertEqual(config["strategies"], [{"kind": ours, "microbatches": 8}])
            self.assertEqual(config["devices"]["transport"], "mpi")
        told = json.loads((self.folder / "out" / "environment.json").read_text(encoding="utf-8"))
        self.assertEqual(set(told["commands"]), {"gpt2-small fp32 1f1b", "gpt2-small fp32 zb_v"})
        self.assertIn('"schedule":"ZBVZeroBubble"', told["commands"]["gpt2-small fp32 zb_v"][
            "torch 9.0 eager ZBVZeroBubble over gloo, 2 x 1"])
        with open(self.folder / "out" / "rounds.csv", encoding="utf-8", newline="") as file:
            sides = {row["side"] for row in csv.DictReader(file)}
        self.assertIn("torch 9.0 eager stock ZBVZeroBubble over gloo, 2 x 1", sides)

    def test_layers_check_compares_the_sum_with_forward_and_backward_of_a_step(self):
        ended = self.started("layers_check", "--rounds", "2", "--models", "gpt2-small")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("| gpt2-small | 100.0 | 80.0 | 76.0 | **0.95 (0.95–0.95)** |", ended.stdout)
        self.assertEqual(ended.stdout[:-1], (self.folder / "out" / "table.md").read_text(encoding="utf-8"))
        ended = self.started("layers_check", "--rounds", "1", "--models", "alexnet", "--tolerance", "4")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("deviates by more than 4 %: alexnet", ended.stderr)

    def test_a_side_that_fails_is_an_error_and_the_others_are_measured(self):
        self.program("machine_probe", PROBE + "import sys; sys.exit('bf16' in sys.argv)")
        ended = self.started("torch_bench", "--rounds", "1", "--models", "alexnet", "--python", self.torch)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("alexnet bf16: ", ended.stderr)
        self.assertIn("| alexnet | fp32 |", ended.stdout)

    def test_sigterm_ends_what_was_started(self):
        marker = self.folder / "started"
        self.program("ddlbench", "#!{python}\nimport os, pathlib, time\n"
                     "pathlib.Path({marker!r}).write_text(str(os.getpid()))\ntime.sleep(300)\n", marker=str(marker))
        driver = subprocess.Popen([ROOT / "scripts" / "peers" / "torch_bench", "--build", self.folder, "--out",
                                   self.folder / "out", "--models", "alexnet", "--python", self.torch],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (marker.exists() and marker.read_text()):
            self.assertIsNone(driver.poll())
            time.sleep(0.05)
        driver.terminate()
        self.assertEqual(driver.wait(), 143)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(marker.read_text()), 0)

    def test_without_torch_it_is_skipped(self):
        for name in ("torch_bench", "torch_ddp_bench", "torch_pipeline_bench"):
            ended = self.started(name, "--python", "/nowhere/python")
            self.assertEqual(ended.returncode, 77)
            self.assertIn("skipped: no Python here has torch", ended.stderr)

    def test_invalid_arguments_are_usage_errors(self):
        self.assertEqual(self.started("torch_bench", "--models", "lenet").returncode, 2)
        self.assertEqual(self.started("torch_bench", "--rounds", "0").returncode, 2)
        (self.folder / "machine_probe").unlink()
        ended = self.started("torch_bench", "--python", self.torch)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("machine_probe: build it", ended.stderr)


class Tables(unittest.TestCase):
    def test_numbers_and_rows(self):
        self.assertEqual([tables.number(value) for value in (12345.6, 99.94, 1.2345)], ["12,346", "99.9", "1.23"])
        self.assertEqual(tables.bounded(estimates.estimate([1, 2, 3])), "2.00 (1.00–3.00)")
        self.assertEqual(tables.markdown(["a", "b"], [["1", "2"]]), "| a | b |\n| --- | --- |\n| 1 | 2 |\n")


if __name__ == "__main__":
    unittest.main()
