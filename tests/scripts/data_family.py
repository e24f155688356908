"""Tests the tables of scripts/data_family, and that its page says what the records beside it say."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADER = importlib.machinery.SourceFileLoader("data_family", str(ROOT / "scripts" / "data_family"))
data_family = importlib.util.module_from_spec(importlib.util.spec_from_loader("data_family", LOADER))
LOADER.exec_module(data_family)


def accuracies(strategy, *values):
    return [{"strategy": strategy, "status": "ok", "final_accuracy_ratio": str(value)} for value in values]


def timed(strategy, rate, step, predicted, target):
    return {"strategy": strategy, "status": "ok", "throttle": f"1e-4 s, {rate} B/s", "step_seconds": str(step),
            "predicted_step_seconds": str(predicted), "seconds_to_target": str(target) if target else ""}


class Tables(unittest.TestCase):
    def test_accuracies_are_means_over_seeds(self):
        text = data_family.learning([*accuracies("ddp", 0.8, 0.9), *accuracies("gossip", 0.9, 0.92)])
        self.assertEqual(text.splitlines()[2:], ["| gossip | 0.9100 | 0.9000–0.9200 | +6.00 |", "| ddp | 0.8500 | 0.8000–0.9000 | +0.00 |"])

    def test_the_best_strategy_at_each_rate(self):
        text = data_family.bandwidth([timed("ddp", "1.25e7", 0.010, 0.0095, 20), timed("ddp", "1.25e9", 0.001, 0.001, 2),
                                      timed("one_bit", "1.25e7", 0.005, 0.004, 30), timed("one_bit", "1.25e9", 0.002, 0.002, None)])
        self.assertIn("| ddp | 10 ms, 0.95; 20 s | 1 ms, 1.00; 2 s |", text)
        self.assertIn("within 10 % of the measurement in 3 of 4 cases", text)
        self.assertIn("Fastest step: at 0.1 Gbit/s one_bit, 2.00 times as fast as ddp; at 10 Gbit/s ddp, 2.00 times as fast as one_bit.", text)
        self.assertIn("Fastest to the target: at 0.1 Gbit/s ddp, 1.50 times as fast as one_bit; at 10 Gbit/s ddp alone.", text)

    def test_a_certificate_that_does_not_hold_says_why(self):
        row = dict.fromkeys(["step_seconds", "predicted_step_seconds", "sent_bytes_per_rank_per_step", "peak_memory_bytes",
                             "final_accuracy_ratio", "seconds_to_target"], "")
        row |= {"strategy": "ddp", "certified": "false", "certificate_reason": "gradients differ", "status": "ok"}
        self.assertEqual(data_family.case_row(row)[-1], "gradients differ")

    def test_the_page_says_what_the_records_say(self):
        folder = ROOT / "results" / "reference" / "data_family"
        self.assertEqual(data_family.page(folder), (folder / "README.md").read_text(encoding="utf-8"),
                         "run scripts/data_family --write-page")


if __name__ == "__main__":
    unittest.main()
