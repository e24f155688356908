"""Tests what scripts/plot makes of sweeps: facets, seeds, weak scaling, memory at the peak, and what is left out."""

import math
import statistics

from plot_harness import InFolder, main, marks, plot, written
from plot_tables import STRATEGIES, Sweep

T_2 = 4.302652729749464  # Student's t for 95 % and 2 degrees of freedom


def near(test, found, expected, places=6):
    test.assertEqual(len(found), len(expected))
    for a, b in zip(found, expected):
        test.assertAlmostEqual(a / b, 1, places, (found, expected))


def estimate(values):
    """Returns the estimate and the interval of three values: here Student's is the wider of the two."""
    means = sorted((a + b) / 2 for i, a in enumerate(values) for b in values[i:])
    reach = T_2 * statistics.stdev(values) / math.sqrt(3)
    return [(means[2] + means[3]) / 2, statistics.fmean(values) - reach, statistics.fmean(values) + reach]


def of_logarithms(values):
    return [math.exp(end) for end in estimate([math.log(value) for value in values])]


class Sweeps(InFolder):
    def draw(self, sweep, *words, others=()):
        sweep.write(self.run_folder)
        return self.drawn(*words, others=others)

    def marks(self, name, column):
        return [data for data, _ in marks(self.out / f"{name}.svg") if data["column"] == column]


class Facets(Sweeps):
    def test_a_panel_for_each_batch_and_precision_and_one_legend(self):
        self.draw(Sweep(batches=(32, 64, 128), precisions=("fp32", "bf16"), epochs=2), "--only", "epoch_time,budget,learning")
        for name in ("epoch_time", "budget", "learning"):
            texts = written(self.out / f"{name}.svg")
            for precision in ("fp32", "bf16"):
                for batch in (32, 64, 128):
                    self.assertEqual(texts.count(f"{precision}, batch {batch}"), 1, (name, texts))
        texts = written(self.out / "epoch_time.svg")
        self.assertEqual([texts.count(word) for word in ("single", "ddp", "fsdp")], [1, 1, 1])
        self.assertIn("Epoch time against ranks: resnet18 on cifar10", texts)
        self.assertIn("sweep: cpu, threads, sgd, 2\u00a0threads per rank, seed 1", texts)

    def test_nothing_is_named_that_does_not_vary(self):
        self.draw(Sweep(strategies=STRATEGIES[:3]), "--only", "epoch_time")
        texts = written(self.out / "epoch_time.svg")
        self.assertFalse([text for text in texts if text.startswith("batch") or text == "fp32"])

    def test_threads_distinguish_panels(self):
        self.draw(Sweep(strategies=STRATEGIES[:2], threads=(1, 2)), "--only", "speedup")
        texts = [text.replace("\u00a0", " ") for text in written(self.out / "speedup.svg")]
        self.assertEqual([text for text in texts if "per rank" in text], ["1 thread per rank", "2 threads per rank"])

    def test_models_have_axes_of_their_own(self):
        other = Sweep(name="other", workload="vgg16", strategies=STRATEGIES[:2]).write(self.folder / "other")
        self.draw(Sweep(strategies=STRATEGIES[:2]), "--only", "epoch_time,budget", others=[other])
        texts = written(self.out / "epoch_time.svg")
        self.assertEqual([texts.count(text) for text in ("resnet18", "vgg16", "Epoch time (s)")], [1, 1, 2])
        self.assertIn("Epoch time against ranks: resnet18 on cifar10, vgg16 on cifar10", texts)


class Seeds(Sweeps):
    def test_seeds_are_one_point_with_an_interval(self):
        sweep = Sweep(strategies=STRATEGIES[:2], ranks=(1, 2, 4), seeds=(1, 2, 3), epochs=2)
        self.draw(sweep, "--only", "epoch_time,speedup,learning,budget")
        cases = {case["case_id"]: case for case in sweep.cases}
        single, two, four = self.marks("epoch_time", "epoch_seconds")[::2]
        self.assertEqual([len(data["case"].split()) for data in (single, two, four)], [3, 3, 3])
        for data in (single, two, four):
            seconds = [cases[case]["epoch_seconds"] for case in data["case"].split()]
            self.assertEqual(data["value"].split(), [str(value) for value in seconds])
            near(self, [float(end) for end in data["estimate"].split()], of_logarithms(seconds))
        ratios = [cases[base]["step_seconds"] / cases[own]["step_seconds"]
                  for base, own in zip(single["case"].split(), two["case"].split())]
        found = next(d for d in self.marks("speedup", "speedup_ratio") if d["case"] == two["case"])
        near(self, [float(end) for end in found["estimate"].split()], of_logarithms(ratios))
        self.check_accuracies(sweep, two["case"])

    def check_accuracies(self, sweep, cases):
        last = [row["accuracy_ratio"] for row in sweep.epochs if row["case_id"] in cases.split() and row["epoch"] == 2]
        found = next(data for data in self.marks("learning", "accuracy_ratio") if data["case"] == cases)
        self.assertEqual(found["epoch"].split(), ["1"] * 3 + ["2"] * 3)
        near(self, [float(end) for end in found["estimate"].split()[3:]], estimate(last))

    def test_only_cases_of_the_best_state_are_in_an_estimate(self):
        sweep = Sweep(strategies=STRATEGIES[:2], ranks=(1, 2), seeds=(1, 2, 3))
        sweep.cases[3]["certified"] = "false"
        sweep.cases[5] |= {"status": "lost_rank", "step_seconds": "", "epoch_seconds": ""}
        self.draw(sweep, "--only", "epoch_time")
        self.assertEqual([data["case"] for data in self.marks("epoch_time", "epoch_seconds")][-1], "002-ddp-r2")
        self.assertIn("lost 1/3", written(self.out / "epoch_time.svg"))

    def test_seeds_that_are_no_replicates_are_named(self):
        sweep = Sweep(strategies=STRATEGIES[:2], ranks=(1, 2), seeds=(1, 2))
        for case in sweep.cases:
            case["replicate_id"] = ""
        self.draw(sweep, "--only", "epoch_time")
        self.assertLessEqual({"seed 1", "seed 2"}, set(written(self.out / "epoch_time.svg")))


class Intervals(Sweeps):
    def test_a_speedup_has_the_interval_of_its_columns(self):
        sweep = Sweep(strategies=STRATEGIES[:2], ranks=(1, 2))
        self.draw(sweep, "--only", "speedup")
        found = self.marks("speedup", "speedup_low_ratio speedup_high_ratio")
        case = sweep.cases[1]
        self.assertEqual([data["value"] for data in found], [f"{case['speedup_low_ratio']} {case['speedup_high_ratio']}"])

    def test_weak_scaling_is_a_figure_of_its_own(self):
        sweep = Sweep(strategies=["ddp", "tensor"], ranks=(1, 2, 4), batches=(16,), per_rank=True)
        ended = self.draw(sweep)
        self.assertIn("epoch_time is not drawn: the batch per rank is constant, see weak_scaling", ended.stderr)
        found = self.marks("weak_scaling", "step_seconds")
        self.assertEqual([data["ranks"] for data in found], ["1", "2", "4"] * 2)
        self.assertIn("batch 16 per rank", written(self.out / "weak_scaling.svg"))
        self.assertEqual(len(self.marks("weak_scaling", "step_seconds_low step_seconds_high")), 4)

    def test_a_sweep_over_batches_and_ranks_has_figures_of_both_kinds(self):
        self.draw(Sweep(strategies=["ddp"], ranks=(1, 2), batches=(16, 32), per_rank=True), "--only", "epoch_time,weak_scaling")
        self.assertIn("batch 32", written(self.out / "epoch_time.svg"))
        self.assertEqual(len(self.marks("weak_scaling", "step_seconds")), 4)


class Memory(Sweeps):
    def test_the_classes_are_those_at_the_peak(self):
        self.draw(Sweep(strategies=STRATEGIES[:2], ranks=(1, 2)), "--only", "memory")
        columns = {data["column"] for data, _ in marks(self.out / "memory.svg")}
        self.assertIn("at_peak_statistics_bytes", columns)
        self.assertNotIn("peak_statistics_bytes", columns)

    def test_older_tables_have_the_peak_of_each_class(self):
        self.draw(Sweep(strategies=STRATEGIES[:2], ranks=(1, 2), instant=False), "--only", "memory")
        self.assertTrue(self.marks("memory", "peak_statistics_bytes"))
        self.assertIn("Classes peak at different moments", " ".join(written(self.out / "memory.svg")))


class LeftOut(Sweeps):
    def test_no_curve_of_a_single_epoch(self):
        ended = self.draw(Sweep(strategies=STRATEGIES[:2], epochs=1))
        self.assertIn("learning is not drawn: no case trained more than one epoch", ended.stderr)
        self.assertFalse((self.out / "learning.svg").exists())

    def test_utilisation_only_where_asked(self):
        self.draw(Sweep(strategies=STRATEGIES[:2], ranks=(1, 2)))
        self.assertFalse(list(self.out.glob("utilisation*")))


class Paper(Sweeps):
    def test_widths_and_pdf(self):
        Sweep(strategies=STRATEGIES[:3]).write(self.run_folder)
        for words, points in (([], 504), (["--width", "column"], 244.8), (["--width", "5"], 360)):
            ended = plot(self.run_folder, "--output", self.out, "--only", "budget", "--format", "svg,pdf", *words)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertIn(f'width="{points:g}pt"', (self.out / "budget.svg").read_text(encoding="utf-8"))
            self.assertTrue((self.out / "budget.pdf").read_bytes().startswith(b"%PDF"))


if __name__ == "__main__":
    main()
